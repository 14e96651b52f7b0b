// What time this hub believes it is when it removes something for ever. A wall clock may jump by years, by a dead battery, a hand or a time
// server; what was kept must not be gone by that. So the wall clock is followed, in both directions, but never faster than so many times the time
// this hub itself has run since. Pure.
import { BELIEF_RATE, FIRST_RECORD_MS } from './limits.ts';

/**
 * What is believed now.
 * @param believedMs what was believed before, ms since 1970
 * @param ranMs how long this hub has run since, by the monotonic clock
 * @param wallMs what the wall clock says
 */
export function believedAfter(believedMs: number, ranMs: number, wallMs: number): number {
  const most = Math.max(0, ranMs) * BELIEF_RATE;
  return Math.round(believedMs + Math.min(most, Math.max(-most, wallMs - believedMs)));
}

/** No end that a right clock wrote is earlier than this hub's oldest record. */
export function firstReached(oldestRecordMs: number | undefined, wallMs: number): number {
  return Math.max(FIRST_RECORD_MS, firstBelief(oldestRecordMs, wallMs));
}

/**
 * How far a whole removal has looked. Never less than before: where the clock is behind, so is `before`, and what is written meanwhile must
 * not be taken for seen. Never more than what is believed: else a clock that was ahead would make everything be kept twice as long for ever. Never
 * before any hub ran, for a clock that was wrong from the first start on: nothing true ended then.
 */
export function reachedAfter(reachedMs: number, before: number, believedMs: number): number {
  return Math.round(Math.max(FIRST_RECORD_MS, Math.min(Math.max(reachedMs, before), believedMs)));
}

/** What is believed the first time: no more than that it is later than the oldest record. */
export function firstBelief(oldestRecordMs: number | undefined, wallMs: number): number {
  return Math.round(Math.min(wallMs, Math.max(FIRST_RECORD_MS, oldestRecordMs ?? wallMs)));
}
