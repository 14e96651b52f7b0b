// What stands in the store between two removals: the time that is believed, and what was removed and is not in the audit yet. Reading is strict:
// anything this program would not have written reads as nothing. Pure.
import type { KeptKind } from '../../ports/retention.ts';
import { isJsonObject } from '../../lib/json-object.ts';

export type RemovedCounts = Readonly<Record<KeptKind, number>>;

export interface RetentionState {
  readonly believedMs: number;
  /** Removed by commits since the last row of the audit about it. */
  readonly removed: RemovedCounts;
}

/** In the order of their removal: what others need goes after them. */
export const KINDS: readonly KeptKind[] = ['tasks', 'deliveries', 'messages', 'outbox', 'feed'];

export const NOTHING_REMOVED: RemovedCounts = { tasks: 0, messages: 0, deliveries: 0, outbox: 0, feed: 0 };

export function readState(text: string | undefined): RetentionState | undefined {
  const value = parsed(text);
  if (!isJsonObject(value) || !isCount(value.believed_ms) || !isJsonObject(value.removed)) return undefined;
  const removed = { ...NOTHING_REMOVED };
  for (const kind of KINDS) {
    const count = value.removed[kind];
    if (!isCount(count)) return undefined;
    removed[kind] = count;
  }
  return { believedMs: value.believed_ms, removed };
}

export function writeState({ believedMs, removed }: RetentionState): string {
  return JSON.stringify({ believed_ms: believedMs, removed });
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
