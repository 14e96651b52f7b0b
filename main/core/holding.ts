// Whether a person is asked about a request now or later. Pure: it can hold a question, never
// answer one. What rules decide is not held, with one exception: during a pause nothing is allowed
// by a rule.
import type { HoldReason } from '../../preload/contract/attention.ts';
import type { RiskClass } from '../../preload/contract/dto.ts';
import { DO_NOT_DISTURB_MAX_MS, CLOCK_SET_BACK_MAX_MS } from './limits.ts';

export interface Hold {
  readonly why: HoldReason;
  /** When the person is asked, wall clock, ms since 1970; null: not before somebody says so. */
  readonly until: number | null;
}

/** What holds or silences the requests of one party just now. */
export interface DoNotDisturbState {
  /** `until` null: until a person resumes. */
  readonly paused: { readonly until: number | null } | null;
  readonly mutedUntil: number | null;
  readonly quietUntil: number | null;
  /** The owner lets this party interrupt a pause or a quiet hour with what it marks urgent. */
  readonly mayInterrupt: boolean;
}

/** What decides whether a request is held. */
export interface HoldableRequest {
  /** What the rules say of it. */
  readonly decision: 'deliver' | 'ask' | 'decline';
  readonly urgent: boolean;
  readonly riskClass: RiskClass;
}

/**
 * Why and until when a person is asked later; null: now, or not at all. Neither a pause nor a quiet
 * hour holds a dangerous request (R3): people are asked at once, silenced (isSilenced). A mute
 * holds everything, dangerous and urgent requests too.
 */
export function holdOf(request: HoldableRequest, state: DoNotDisturbState): Hold | null {
  const { decision, urgent, riskClass } = request;
  if (decision === 'decline') return null;
  const passes = decision === 'ask' && (riskClass === 'R3' || (urgent && state.mayInterrupt));
  const holds: Hold[] = [];
  if (state.paused !== null && !passes) holds.push({ why: 'paused', until: state.paused.until });
  if (decision === 'ask' && state.mutedUntil !== null)
    holds.push({ why: 'muted', until: state.mutedUntil });
  if (decision === 'ask' && state.quietUntil !== null && !passes)
    holds.push({ why: 'quiet_hours', until: state.quietUntil });
  return holds.reduce<Hold | null>(
    (longest, hold) => (longest !== null && endsAfter(longest, hold) ? longest : hold),
    null,
  );
}

/**
 * Whether a request that is asked now may not notify yet: during a pause or a quiet hour only
 * urgent ones may, from a party that may interrupt.
 */
export function isSilenced(
  { urgent }: Pick<HoldableRequest, 'urgent'>,
  { paused, quietUntil, mayInterrupt }: DoNotDisturbState,
): boolean {
  return (paused !== null || quietUntil !== null) && !(urgent && mayInterrupt);
}

/**
 * Whether a pause, mute or snooze is over, by the wall clock, ms since 1970. One that began in the
 * future, or ends later than anyone may choose, is over too: it was set under a wrong clock that
 * has been corrected since.
 * @param since when it began; undefined where that is not kept @param until null: until a person
 * resumes, which no clock ends
 */
export function isOver(
  { since, until }: { readonly since?: number; readonly until: number | null },
  now: number,
): boolean {
  if (until === null) return false;
  const beganLater = since !== undefined && since > now + CLOCK_SET_BACK_MAX_MS;
  return until <= now || beganLater || until > now + DO_NOT_DISTURB_MAX_MS + CLOCK_SET_BACK_MAX_MS;
}

function endsAfter(one: Hold, other: Hold): boolean {
  if (one.until === null) return true;
  return other.until !== null && one.until >= other.until;
}
