// How long a request waits for a person, in ms from its receipt: this hub's own wait, or the
// deadline of whoever asked where that is sooner. While it is held nobody is asked, and only that
// deadline ends it (PROTOCOL.md, Delegation states). Pure; knows no clock.
import type { TaskRow } from '../../ports/store.ts';

/** True while a person of this hub is asked, or will be. */
export function isWaiting({ direction, state }: Pick<TaskRow, 'direction' | 'state'>): boolean {
  return direction !== 'outgoing' && (state === 'awaiting_approval' || state === 'held');
}

/** Ms from its receipt after which it ends undecided. */
export function waitOf({
  state,
  waitMs,
  deadlineMs,
}: Pick<TaskRow, 'state' | 'waitMs' | 'deadlineMs'>): number {
  return state === 'held' ? deadlineMs : Math.min(waitMs ?? deadlineMs, deadlineMs);
}

/**
 * The wait of a request about which a person is asked from now on: as long again as this hub waits,
 * and never less than before.
 */
export function waitFromNowMs(
  { waitMs, deadlineMs }: Pick<TaskRow, 'waitMs' | 'deadlineMs'>,
  remainingMs: number,
  ownWaitMs: number,
): number {
  const askedAfterMs = Math.round(deadlineMs - remainingMs);
  return Math.min(Math.max(waitMs ?? 0, askedAfterMs + ownWaitMs), deadlineMs);
}

/**
 * When it ends by the clock in its current state. Once allowed, it has all the time of the asker's
 * deadline.
 */
export function endAfterMs(
  task: Pick<TaskRow, 'direction' | 'state' | 'waitMs' | 'deadlineMs'>,
): number {
  return isWaiting(task) ? waitOf(task) : task.deadlineMs;
}
