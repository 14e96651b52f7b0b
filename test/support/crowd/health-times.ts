// How long an answer of a hub took, and how much of that is the hub's own: neither it nor whoever
// asks can go on without a processor, and that is the computer's. Linux counts such waits; where it
// does not, only the clock is judged.
import { existsSync, readFileSync } from 'node:fs';

export interface HealthTimes {
  readonly byClock: number;
  /** null: the kernel does not count who waits for a processor. */
  readonly ownMs: number | null;
}

/**
 * What such a call may take of the hub itself, and what it may take at all on a computer that
 * others keep busy.
 */
const HEALTH_LIMITS = { byClock: 10_000, ownMs: 1_000 };

/** Nothing was measured yet. */
export const NO_TIME: HealthTimes = { byClock: 0, ownMs: null };

/** The longer of each. */
export function slowest(one: HealthTimes, other: HealthTimes): HealthTimes {
  const own = [one.ownMs, other.ownMs].filter((ms) => ms !== null);
  return {
    byClock: Math.max(one.byClock, other.byClock),
    ownMs: own.length === 0 ? null : Math.max(...own),
  };
}

/** What passes its limit, in words. */
export function tooSlow({ byClock, ownMs }: HealthTimes, path = '/health'): readonly string[] {
  return [
    ...(byClock < HEALTH_LIMITS.byClock
      ? []
      : [`${path} took ${Math.round(byClock)} ms by the clock`]),
    ...(ownMs === null || ownMs < HEALTH_LIMITS.ownMs
      ? []
      : [`${path} took ${Math.round(ownMs)} ms of the hub itself`]),
  ];
}

/**
 * The time without the waits of both for a processor. Whoever asks waits for one before the hub has
 * the request, or after it has answered: the two add up, but for what the hub waits once it has
 * answered, which is none of its answer either.
 * @param waitsMs of the hub and of whoever asks, in that time; null: not counted
 */
export function timesOf(byClock: number, waitsMs: readonly (number | null)[]): HealthTimes {
  let ownMs = byClock;
  for (const waitMs of waitsMs) {
    if (waitMs === null) return { byClock, ownMs: null };
    ownMs -= waitMs;
  }
  return { byClock, ownMs: Math.max(0, ownMs) };
}

/**
 * How long the main thread of a process was ready to go on and had no processor, ms since its
 * start; null where the kernel does not count it.
 */
function waitedForProcessorMs(processId: number): number | null {
  const file = `/proc/${processId}/schedstat`;
  if (!existsSync(file)) return null;
  const [, waitedNanoseconds] = readFileSync(file, 'utf8').split(' ').map(Number);
  return waitedNanoseconds === undefined ? null : waitedNanoseconds / 1_000_000;
}

/** Counts the waits of these processes from now on; what is returned tells them. */
export function waitsOf(processIds: readonly number[]): () => readonly (number | null)[] {
  const before = processIds.map(waitedForProcessorMs);
  return () =>
    processIds.map((processId, at) => {
      const [from, to] = [before[at] ?? null, waitedForProcessorMs(processId)];
      return from === null || to === null ? null : to - from;
    });
}

/**
 * How often longer processes took than they would have with a processor for each at any time: 1
 * where none waited, or nobody counts it.
 */
export function slowdownOf(processIds: readonly number[]): () => number {
  const read = (processId: number): readonly number[] => {
    const file = `/proc/${processId}/schedstat`;
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : [];
  };
  const before = processIds.map(read);
  return () =>
    processIds.reduce((most, processId, at) => {
      const [ranFrom = 0, waitedFrom = 0] = before[at] ?? [];
      const [ranTo = 0, waitedTo = 0] = read(processId);
      const ran = ranTo - ranFrom;
      return ran > 0 ? Math.max(most, (ran + waitedTo - waitedFrom) / ran) : most;
    }, 1);
}
