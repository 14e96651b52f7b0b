// A hub that is killed without warning while people decide and an agent works: what was said to be
// decided is decided, what was allowed runs once and what was declined never, and the audit log of
// it all fits, with its signatures.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import { checkStoppedAudit } from '../../../main/app/stopped-audit.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';
import { rounds } from '../../support/counts.ts';
import { endAfterTest, endPrograms } from '../../support/programs.ts';

const KILLS = rounds('kill -9 while people decide', { short: 6, long: 500 });
const ROOT = join(import.meta.dirname, '..', '..', '..');
const STEPS_MAX = 120;

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-deciding-'));
  home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
});
afterEach(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

type Step = 'asked' | 'approved' | 'declined' | 'ran' | 'ended' | 'audit';

/** Runs the hub until it said so many steps, or to its end, and writes down each. */
async function run(said: Record<Step, string[]>, steps: number): Promise<number | null> {
  const hooks = join(ROOT, 'test', 'support', 'raw-imports.mjs');
  const parameters = [
    '--import',
    hooks,
    join(import.meta.dirname, 'deciding-child.ts'),
    home,
    ...(steps === Infinity ? ['to-the-end'] : []),
  ];
  // Most of a round would be reading the same sources again.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const child = spawn(process.execPath, parameters, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  endAfterTest(child);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.endsWith('}')) continue;
    for (const [step, id] of Object.entries(JSON.parse(line) as Record<Step, string>) as [
      Step,
      string,
    ][])
      said[step].push(id);
    count += 1;
    if (count >= steps) child.kill('SIGKILL');
  }
  return ended;
}

test(
  'ST-01: after kill -9 at any moment of deciding, nothing decided is lost or run twice, and the audit log fits',
  { timeout: 60_000 + KILLS * 15_000 },
  async () => {
    const said: Record<Step, string[]> = {
      asked: [],
      approved: [],
      declined: [],
      ran: [],
      ended: [],
      audit: [],
    };
    let signatures = 0;
    /** Asserts of the steps that were said from there on what holds for each of them. */
    const holds = async (from: Readonly<Record<Step, number>>): Promise<void> => {
      const store = openStore({
        path: join(home, 'hub.db'),
        clock: new SystemClock(),
        log: SILENT_LOG,
      });
      const stateOf = (id: string) => store.read.approvalOfTask(id)?.state;
      const after = (step: Step): readonly string[] => said[step].slice(from[step]);
      expect(after('asked').filter((id) => store.read.task(id) === undefined)).toEqual([]);
      expect(
        after('approved').filter(
          (id) =>
            stateOf(id) !== 'approved' || store.read.deliveryOfTask(id, 'delegate') === undefined,
        ),
      ).toEqual([]);
      expect(
        after('declined').filter(
          (id) =>
            stateOf(id) !== 'declined' || store.read.deliveryOfTask(id, 'delegate') !== undefined,
        ),
      ).toEqual([]);
      expect(after('ran').filter((id) => stateOf(id) !== 'approved')).toEqual([]);
      expect(after('ended').filter((id) => store.read.task(id)?.state !== 'completed')).toEqual([]);
      expect(new Set(said.ran).size).toBe(said.ran.length);
      await store.close();
    };
    const saidSoFar = (): Record<Step, number> => ({
      asked: said.asked.length,
      approved: said.approved.length,
      declined: said.declined.length,
      ran: said.ran.length,
      ended: said.ended.length,
      audit: said.audit.length,
    });
    // One that ends in order keeps what it read, which one that is killed does not.
    expect(await run(said, Infinity)).toBe(0);
    let before = saidSoFar();
    for (let round = 0; round < KILLS; round++) {
      const now = saidSoFar();
      await run(said, 3 + ((round * 53) % STEPS_MAX));
      const checked = await checkStoppedAudit(home);
      expect([checked.state, checked.finding, checked.counted]).toEqual(['done', null, true]);
      ({ signatures } = checked);
      // Of this round and the one before; all of them at the end, since what is lost once stays
      // lost.
      await holds(before);
      before = now;
    }
    expect(await run(said, Infinity)).toBe(0);
    expect(new Set(said.ran).size).toBe(said.ran.length);
    expect(new Set(said.audit)).toEqual(new Set(['ok']));
    await holds({ asked: 0, approved: 0, declined: 0, ran: 0, ended: 0, audit: 0 });

    const store = openStore({
      path: join(home, 'hub.db'),
      clock: new SystemClock(),
      log: SILENT_LOG,
    });
    // What was allowed ran, and was said to have run, but where the kill came between the two.
    const ran = new Set(said.ran);
    const left = said.approved.filter(
      (id) => !ran.has(id) && store.read.task(id)?.state !== 'running',
    );
    await store.close();
    expect(left).toEqual([]);
    expect(ran.size).toBeGreaterThan(0);
    expect(signatures).toBeGreaterThan(0);
    const checked = await checkStoppedAudit(home);
    expect([checked.finding, checked.signed_seq]).toEqual([null, checked.rows]);
  },
);
