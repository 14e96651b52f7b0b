// A store on a disk that fails and recovers. Does one step for each word on standard input and says
// what came of it. Argument: the database's path.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import type { Store, Tables } from '../../../main/ports/store.ts';
import { approvalRow, AT, auditRow, keyOf, taskRow } from '../../fakes/sample-rows.ts';
import { CHILD_LOG, say } from './child-log.ts';
import { verifyAudit } from '../../support/verify-audit.ts';

const path = process.argv[2] ?? '';
const ballast = join(dirname(path), 'ballast');
const store = open();
const WORKS_MAX = 20_000;
let next = 0;

function open(): Store {
  try {
    return openStore({ path, clock: new SystemClock(), log: CHILD_LOG });
  } catch (error) {
    say({ refused: error instanceof AppError ? error.code : 'none', message: String(error) });
    process.exit(1);
  }
}

const receive = (tables: Tables, id: string): void => {
  tables.insertTask(taskRow({ id, payload: 'x'.repeat(3_000) }));
  tables.insertApproval(approvalRow({ id, taskId: id }));
  tables.appendAudit(auditRow({ object: id }));
};

/** One write; the code of its refusal, or null. */
async function attempt(
  work: (tables: Tables) => unknown,
): Promise<{ readonly code: string; readonly message: string } | null> {
  try {
    await store.write(work);
    return null;
  } catch (error) {
    return error instanceof AppError
      ? { code: error.code, message: error.message }
      : { code: 'none', message: String(error) };
  }
}

const steps: Readonly<Record<string, () => Promise<void>>> = {
  /** Three works in one commit. */
  three: async () => {
    const ids = [next++, next++, next++].map((number) => `task-${number}`);
    const outcomes = await Promise.all(ids.map((id) => attempt((tables) => receive(tables, id))));
    say({ three: ids, outcomes });
  },
  /** Works one by one until one is refused. */
  fill: async () => {
    const acked: string[] = [];
    while (acked.length < WORKS_MAX) {
      const id = `task-${next++}`;
      const refused = await attempt((tables) => receive(tables, id));
      if (refused !== null) return say({ filled: acked, refused: id, ...refused });
      acked.push(id);
    }
    say({ filled: acked, refused: null });
  },
  /** Something else takes the last byte of the disk. */
  choke: async () => {
    const file = openSync(ballast, 'a');
    let bytes = 0;
    try {
      for (const size of [65_536, 4_096, 1]) {
        try {
          for (;;) bytes += writeSync(file, Buffer.alloc(size));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        }
      }
    } finally {
      closeSync(file);
    }
    say({ choked: bytes });
    await Promise.resolve();
  },
  free: async () => {
    rmSync(ballast);
    say({ freed: true });
    await Promise.resolve();
  },
  /** A person's decision. */
  decide: async () => {
    const guard = { revision: 1, digest: keyOf('view') };
    const change = {
      state: 'approved',
      decidedAt: AT,
      decidedBy: 'ui:1',
      surface: 'browser',
      reason: null,
    } as const;
    const refused = await attempt((tables) => tables.decideApproval('task-0', guard, change));
    say({ decided: refused, state: store.read.approval('task-0')?.state ?? null });
  },
  /** What reads give now. */
  read: async () => {
    const tasks = store.read.tasksInStates(['received']).map((task) => task.id);
    say({ tasks, approvals: store.read.pendingApprovals().length, audit: verifyAudit(store.read) });
    await Promise.resolve();
  },
  close: async () => {
    await store.close();
    say({ closed: true });
  },
};

say({ opened: true });
for await (const word of createInterface({ input: process.stdin })) {
  await steps[word]?.();
  if (word === 'close') break;
}
