// Whether a person is asked about a request now or later. Pure: it can put a question off, never answer one. What nobody is asked about goes
// on as the rules say, except while everything is paused: then nothing is let in by itself, either.
import type { HoldReason } from '../../preload/contract/attention.ts';
import type { RiskClass } from '../../preload/contract/dto.ts';
import { CALM_MAX_MS, CLOCK_SET_BACK_MAX_MS } from './limits.ts';

export interface Hold {
  readonly why: HoldReason;
  /** When the person is asked, wall clock, ms since 1970; null: not before somebody says so. */
  readonly until: number | null;
}

/** What stands between a request and a person just now. */
export interface Calm {
  /** `until` null: until a person goes on. */
  readonly paused: { readonly until: number | null } | null;
  readonly mutedUntil: number | null;
  readonly quietUntil: number | null;
  /** The owner lets this one disturb a quiet hour, or a pause, with what it marks urgent. */
  readonly mayInterrupt: boolean;
}

/** A request as far as it may be put off. */
export interface PutOffRequest {
  /** What the rules say of it. */
  readonly decision: 'deliver' | 'ask' | 'decline';
  readonly urgent: boolean;
  readonly riskClass: RiskClass;
}

/**
 * Why and until when a person is asked later; null: now, or not at all. Neither a pause nor a quiet hour holds a dangerous request (R3): it waits
 * before the people at once, without a sound (see isStill). A mute is passed by nothing, neither by that nor by what calls itself urgent.
 */
export function holdOf(request: PutOffRequest, calm: Calm): Hold | null {
  const { decision, urgent, riskClass } = request;
  if (decision === 'decline') return null;
  const passes = decision === 'ask' && (riskClass === 'R3' || (urgent && calm.mayInterrupt));
  const holds: Hold[] = [];
  if (calm.paused !== null && !passes) holds.push({ why: 'paused', until: calm.paused.until });
  if (decision === 'ask' && calm.mutedUntil !== null) holds.push({ why: 'muted', until: calm.mutedUntil });
  if (decision === 'ask' && calm.quietUntil !== null && !passes) holds.push({ why: 'quiet_hours', until: calm.quietUntil });
  return holds.reduce<Hold | null>((longest, hold) => (longest !== null && endsAfter(longest, hold) ? longest : hold), null);
}

/** Whether what a person is asked now makes no sound yet: only what is urgent from one that may disturb does during a pause or a quiet hour. */
export function isStill({ urgent }: Pick<PutOffRequest, 'urgent'>, { paused, quietUntil, mayInterrupt }: Calm): boolean {
  return (paused !== null || quietUntil !== null) && !(urgent && mayInterrupt);
}

/**
 * Whether what a person put off until a time is over, by the wall clock, ms since 1970. It is, too, when that time cannot be meant any more:
 * it began in what is the future by now, or ends further off than anyone may put off. Then the clock was wrong, and has been put right since.
 * @param since when it began; undefined where that is not kept @param until null: until somebody says so, which no clock ends
 */
export function isOver({ since, until }: { readonly since?: number; readonly until: number | null }, now: number): boolean {
  if (until === null) return false;
  const beganLater = since !== undefined && since > now + CLOCK_SET_BACK_MAX_MS;
  return until <= now || beganLater || until > now + CALM_MAX_MS + CLOCK_SET_BACK_MAX_MS;
}

function endsAfter(one: Hold, other: Hold): boolean {
  if (one.until === null) return true;
  return other.until !== null && one.until >= other.until;
}
