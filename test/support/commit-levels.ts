// How the commits of this process treat the disk, as SQLite is told: 2 (FULL) waits for it, 1
// (NORMAL) does not.
import Database from 'better-sqlite3';
import { vi } from 'vitest';

export const NORMAL = 1;
export const FULL = 2;

/** The level of each commit that is made while `work` runs, in their order. */
export async function commitLevels(
  work: (levels: readonly number[]) => Promise<void>,
): Promise<readonly number[]> {
  const levels: number[] = [];
  const { exec } = Database.prototype;
  const spy = vi.spyOn(Database.prototype, 'exec').mockImplementation(function (
    this: Database.Database,
    sql,
  ) {
    if (sql === 'COMMIT') levels.push(Number(this.pragma('synchronous', { simple: true })));
    return exec.call(this, sql);
  });
  try {
    await work(levels);
  } finally {
    spy.mockRestore();
  }
  return levels;
}
