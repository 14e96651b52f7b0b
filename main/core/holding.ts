// Whether a person is asked about a request now or later. Pure: it can put a question off, never answer one. What nobody is asked about goes
// on as the rules say, except while everything is paused: then nothing is let in by itself, either.
import type { HoldReason } from '../../preload/contract/attention.ts';

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

/**
 * Why and until when a person is asked later; null: now, or not at all. A dangerous request (R3) waits like any other.
 * @param request `decision`: what the rules say of it. A mute is not passed by what calls itself urgent.
 */
export function holdOf(request: { readonly decision: 'deliver' | 'ask' | 'decline'; readonly urgent: boolean }, calm: Calm): Hold | null {
  const { decision, urgent } = request;
  if (decision === 'decline') return null;
  const passes = decision === 'ask' && urgent && calm.mayInterrupt;
  const holds: Hold[] = [];
  if (calm.paused !== null && !passes) holds.push({ why: 'paused', until: calm.paused.until });
  if (decision === 'ask' && calm.mutedUntil !== null) holds.push({ why: 'muted', until: calm.mutedUntil });
  if (decision === 'ask' && calm.quietUntil !== null && !passes) holds.push({ why: 'quiet_hours', until: calm.quietUntil });
  return holds.reduce<Hold | null>((longest, hold) => (longest !== null && endsAfter(longest, hold) ? longest : hold), null);
}

function endsAfter(one: Hold, other: Hold): boolean {
  if (one.until === null) return true;
  return other.until !== null && one.until >= other.until;
}
