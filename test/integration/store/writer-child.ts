// Writes delegations without end, each as one unit of work over several tables, and says each one's
// number once its promise settled. Killed by the test. Arguments: the database's path, the number
// to begin with.
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import type { Tables } from '../../../main/ports/store.ts';
import {
  approvalRow,
  auditRow,
  deliveryRow,
  messageRow,
  replayRow,
  taskRow,
} from '../../fakes/sample-rows.ts';
import { CHILD_LOG, say } from './child-log.ts';

const [, , path = '', first = '0'] = process.argv;
const WRITERS = 24;
let next = Number(first);

function receive(tables: Tables, id: string): void {
  tables.insertTask(
    taskRow({ id, payload: JSON.stringify({ task: id, filling: 'x'.repeat(400) }) }),
  );
  tables.insertMessage(
    messageRow({ messageId: id, conversationId: `c${id.at(-1)}`, payload: 'x'.repeat(600) }),
  );
  tables.putReplay(replayRow({ messageId: id, reply: '{"accepted":true}' }));
  tables.insertApproval(approvalRow({ id, taskId: id }));
  tables.appendAudit(auditRow({ object: id }));
  tables.insertDelivery(deliveryRow({ deliveryId: id, taskId: id }));
}

const store = openStore({ path, clock: new SystemClock(), log: CHILD_LOG });
say({ opened: true });

async function writer(): Promise<never> {
  for (;;) {
    const id = `task-${next++}`;
    await store.write((tables) => receive(tables, id));
    say({ acked: id });
    if (next % 7 === 0)
      await store
        .write((tables) => tables.updateTask(id, 1, { state: 'completed' }))
        .then(() => say({ completed: id }));
  }
}

await Promise.all(Array.from({ length: WRITERS }, writer));
