// What a test sees of a hub while crowds work: its health and memory, looked at again and again,
// and the crowds' reports added up.
import { quantile } from './crowd.ts';
import type { PeerReport } from './crowd-process.ts';
import type { CrowdedHub } from './crowded-hub.ts';
import { NO_TIME, slowest as slowestOf, type HealthTimes } from './health-times.ts';

export const MEBIBYTE = 1024 * 1024;
const SAMPLE_MS = 250;

export interface Watched<Result> {
  readonly result: Result;
  /**
   * By the clock, and of the hub itself: a computer that is busy elsewhere makes the first long.
   */
  readonly slowestHealth: HealthTimes;
  /** Of the page's call for what waits for a person. */
  readonly slowestApprovals: HealthTimes;
  readonly memory: readonly number[];
}

/** The largest; 0 of none. */
export const most = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.max(one, other), 0);

/**
 * By how much it grew once it was warm, but for the twentieth of the readings that are peaks,
 * between two collections of garbage: in the first quarter a hub that was just started still takes
 * what it works with.
 */
export function warmGrowthBytes(memory: readonly number[]): number {
  const warm = Math.ceil(memory.length / 4);
  return quantile(memory.slice(warm), 0.95) - quantile(memory.slice(0, warm), 0.5);
}

/**
 * By how much the middle of the last quarter is above that of the quarter before the half: single
 * peaks say nothing.
 */
export function lateGrowthBytes(memory: readonly number[]): number {
  const quarter = (number: number) =>
    memory.slice((number * memory.length) / 4, ((number + 1) * memory.length) / 4);
  return quantile(quarter(3), 0.5) - quantile(quarter(1), 0.5);
}

export const inMebibytes = (bytes: number): number => Math.round(bytes / MEBIBYTE);

/**
 * Looks at the hub's health, its page's call and its memory again and again until the work is over.
 */
export async function watch<Result>(
  hub: CrowdedHub,
  work: Promise<Result>,
): Promise<Watched<Result>> {
  const over = new AbortController();
  let [slowestHealth, slowestApprovals] = [NO_TIME, NO_TIME];
  const memory: number[] = [];
  const watching = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      await hub.stayLoggedIn();
      slowestHealth = slowestOf(slowestHealth, await hub.healthMs());
      slowestApprovals = slowestOf(slowestApprovals, await hub.approvalsMs());
      memory.push(hub.memoryBytes());
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  try {
    const result = await Promise.race([work, watching.then(() => work)]);
    return { result, slowestHealth, slowestApprovals, memory };
  } finally {
    over.abort();
    await watching;
  }
}

export function said({ byClock, ownMs }: HealthTimes): string {
  return `${Math.round(byClock)} ms (${ownMs === null ? 'unknown' : Math.round(ownMs)} ms without waiting for a processor)`;
}

export function total(
  reports: readonly PeerReport[],
  read: (report: PeerReport) => number,
): number {
  return reports.reduce((sum, report) => sum + read(report), 0);
}

/** How many answers a peer got. */
export const answersOf = ({ answers }: PeerReport): number =>
  Object.values(answers).reduce((sum, count) => sum + count, 0);

/** What all peers got, by kind. */
export function answersOfAll(reports: readonly PeerReport[]): Readonly<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const { answers } of reports)
    for (const [name, count] of Object.entries(answers)) all[name] = (all[name] ?? 0) + count;
  return all;
}
