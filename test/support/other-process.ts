// A write to the database of a hub by a process of its own, beside the hub that runs.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const WRITE = "new (require('better-sqlite3'))(process.argv[1]).exec(process.argv[2])";

/** @param folder of the hub; returns once the write is stored */
export function writeInOtherProcess(folder: string, sql: string): void {
  execFileSync(process.execPath, ['-e', WRITE, join(folder, 'hub.db'), sql], {
    cwd: join(import.meta.dirname, '../..'),
  });
}
