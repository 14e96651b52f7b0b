// The real store in a real process that is killed without warning: what it acknowledged is there,
// once and whole; the rest is whole or absent.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';
import { keyOf } from '../../fakes/sample-rows.ts';
import { rounds } from '../../support/counts.ts';
import { verifyAudit } from '../../support/verify-audit.ts';

const KILLS = rounds('kill -9 of a writing store', { short: 6, long: 500 });
/**
 * Every row of a file is read after every kill: with one file for all of them that would be most of
 * the work.
 */
const KILLS_PER_FILE = 25;
const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
/** A start after a crash must not keep people waiting (F-01). */
const START_MAX_MS = 3_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Lets a child write until it acknowledged `until` works, kills it, and returns everything it had
 * said.
 */
async function writeAndKill(
  path: string,
  first: number,
  until: number,
): Promise<{ readonly acked: string[]; readonly completed: string[] }> {
  const hooks = join(REPOSITORY, 'test', 'support', 'raw-imports.mjs');
  const child = spawn(
    process.execPath,
    ['--import', hooks, join(import.meta.dirname, 'writer-child.ts'), path, String(first)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const said: { readonly acked: string[]; readonly completed: string[] } = {
    acked: [],
    completed: [],
  };
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.endsWith('}')) continue;
    const fact: unknown = JSON.parse(line);
    if (typeof fact !== 'object' || fact === null) continue;
    if ('acked' in fact) said.acked.push(String(fact.acked));
    if ('completed' in fact) said.completed.push(String(fact.completed));
    if (said.acked.length >= until) child.kill('SIGKILL');
  }
  return said;
}

test(
  'F-01, ST-01: after kill -9 at any moment every acknowledged work is there once, whole, and the audit chain holds',
  { timeout: 30_000 + KILLS * 3_000 },
  async () => {
    const acked = new Set<string>();
    const completed = new Set<string>();
    let ackedInAll = 0;
    for (let round = 0; round < KILLS; round++) {
      const path = join(folder, `hub-${Math.floor(round / KILLS_PER_FILE)}.db`);
      if (round % KILLS_PER_FILE === 0) {
        acked.clear();
        completed.clear();
      }
      // A different number of works each round, so that the kill meets the file in different states
      // (a checkpoint comes about every 100).
      const said = await writeAndKill(path, round * 100_000, 1 + ((round * 131) % 700));
      ackedInAll += said.acked.length;
      for (const id of said.acked) acked.add(id);
      for (const id of said.completed) completed.add(id);

      const startedAt = performance.now();
      const store = openStore({ path, clock: new SystemClock(), log: SILENT_LOG });
      expect(performance.now() - startedAt).toBeLessThan(START_MAX_MS);
      const lost = [...acked].filter(
        (id) =>
          store.read.taskByMessage('incoming', keyOf('Mum PC'), id)?.id !== id ||
          store.read.delivery(id)?.taskId !== id,
      );
      expect(lost).toEqual([]);
      expect([...completed].filter((id) => store.read.task(id)?.state !== 'completed')).toEqual([]);
      expect(verifyAudit(store.read).brokenSeq).toBeNull();
      await store.close();

      const probe = new Database(path, { readonly: true });
      const counts = ['tasks', 'messages', 'replays', 'approvals', 'audit', 'deliveries'].map(
        (table) => Number(probe.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
      );
      expect(new Set(counts).size).toBe(1);
      expect(probe.pragma('integrity_check', { simple: true })).toBe('ok');
      // The request of each task, and its message.
      expect(probe.prepare('SELECT sum(messages) FROM conversations').pluck().get()).toBe(
        2 * Number(counts[0]),
      );
      probe.close();
    }
    expect(ackedInAll).toBeGreaterThanOrEqual(KILLS);
  },
);
