// Runs inside the main process of a measured hub, loaded before its program by NODE_OPTIONS, and
// answers the runner at a socket. Counts commits; has each unit of work committed by itself where
// it is told to, which is how a hub without group commit would write; watches the event loop once
// it is asked to.
import { createServer } from 'node:net';
import Database from 'better-sqlite3';

export interface Probed {
  /** Commits that held anything. */
  readonly commits: number;
  /** How late the loop came, ms, at each moment at which something could have been due. */
  readonly lateMs: readonly number[];
}

const STEP_MS = 1;
const path = process.env['AXON_BENCH_PROBE'];
const commitsEach = process.env['AXON_BENCH_COMMITS_EACH'] === '1';
let [commits, worksOfThis] = [0, 0];
let lateMs: number[] = [];
let isWatching = false;

const { exec } = Database.prototype;

/** The hub's own words for its transactions: see commit-queue.ts. */
Database.prototype.exec = function observed(this: Database.Database, sql: string) {
  if (sql === 'RELEASE work') {
    worksOfThis += 1;
    if (commitsEach) {
      exec.call(this, sql);
      this.exec('COMMIT');
      return exec.call(this, 'BEGIN IMMEDIATE');
    }
  }
  const done = exec.call(this, sql);
  if (sql === 'COMMIT' && worksOfThis > 0) {
    commits += 1;
    worksOfThis = 0;
  }
  return done;
};

/** What waits through a long standstill waits for its end, whenever in it it was due. */
function watch(dueAtMs: number): void {
  setTimeout(() => {
    const nowMs = performance.now();
    for (let at = dueAtMs; at <= nowMs; at += STEP_MS) lateMs.push(nowMs - at);
    watch(nowMs + STEP_MS);
  }, STEP_MS).unref();
}

if (path !== undefined)
  createServer({ allowHalfOpen: true }, (socket) => {
    let asked = '';
    socket.setEncoding('utf8').on('data', (part: string) => (asked += part));
    socket.on('end', () => {
      socket.end(JSON.stringify({ commits, lateMs } satisfies Probed));
      [commits, lateMs] = [0, []];
      if (asked !== 'loop' || isWatching) return;
      isWatching = true;
      watch(performance.now() + STEP_MS);
    });
  })
    .listen(path)
    .unref();
