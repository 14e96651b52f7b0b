// What stands in the store between two removals: the time that is believed, how far was looked, and what was removed and is not in the audit
// yet. Reading is strict: anything this program would not have written reads as nothing. Pure.
import type { KeptKind } from '../../ports/retention.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { FIRST_RECORD_MS } from './limits.ts';

export type RemovedCounts = Readonly<Record<KeptKind, number>>;

export type ReachedTimes = Readonly<Record<KeptKind, number>>;

export interface RetentionState {
  readonly believedMs: number;
  /** All that ended before this was looked at by a whole removal, ms since 1970. */
  readonly reached: ReachedTimes;
  /** Removed by commits since the last row of the audit about it. */
  readonly removed: RemovedCounts;
}

/** In the order of their removal: what others need goes after them. */
export const KINDS: readonly KeptKind[] = ['tasks', 'deliveries', 'messages', 'outbox', 'feed'];

export const NOTHING_REMOVED: RemovedCounts = { tasks: 0, messages: 0, deliveries: 0, outbox: 0, feed: 0 };

/** Every kind at the same time. */
export function reachedTimes(ms: number): ReachedTimes {
  return { tasks: ms, messages: ms, deliveries: ms, outbox: ms, feed: ms };
}

/** @param firstReached how far was looked where the state does not say: an earlier version wrote none */
export function readState(text: string | undefined, firstReached: () => number = () => FIRST_RECORD_MS): RetentionState | undefined {
  const value = parsed(text);
  if (!isJsonObject(value) || !isCount(value.believed_ms)) return undefined;
  const removed = readCounts(value.removed);
  const reached = value.reached === undefined ? reachedTimes(firstReached()) : readCounts(value.reached);
  if (removed === undefined || reached === undefined) return undefined;
  return { believedMs: value.believed_ms, reached, removed };
}

export function writeState({ believedMs, reached, removed }: RetentionState): string {
  return JSON.stringify({ believed_ms: believedMs, reached, removed });
}

function readCounts(value: unknown): Readonly<Record<KeptKind, number>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const counts = { ...NOTHING_REMOVED };
  for (const kind of KINDS) {
    const count = value[kind];
    if (!isCount(count)) return undefined;
    counts[kind] = count;
  }
  return counts;
}

export function isAnythingRemoved(removed: RemovedCounts): boolean {
  return KINDS.some((kind) => removed[kind] > 0);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
