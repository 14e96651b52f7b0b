// A stretch of time that a person opened something for: over as soon as one of the two clocks says so. The monotonic clock stands still while
// the computer sleeps, and the wall clock may be set back; neither makes it longer. Sets no timers.
import type { Clock } from '../../ports/clock.ts';

export interface Stretch {
  /** Wall clock, ms since 1970. */
  readonly beganAt: number;
  /** Wall clock, ms since 1970. */
  readonly endsAt: number;
  /** Monotonic. */
  readonly endsAtMs: number;
}

type Clocks = Pick<Clock, 'wallMs' | 'monotonicMs'>;

/** From now on, for so many ms. */
export function stretchFromNow(clock: Clocks, durationMs: number): Stretch {
  const beganAt = clock.wallMs();
  return { beganAt, endsAt: beganAt + durationMs, endsAtMs: clock.monotonicMs() + durationMs };
}

/** True from the moment at which either clock ends it. */
export function isOver(stretch: Stretch, clock: Clocks): boolean {
  return msLeft(stretch, clock) <= 0;
}

/** How long it goes on by the clock that ends it first; 0 or less once it is over. */
export function msLeft({ endsAt, endsAtMs }: Stretch, clock: Clocks): number {
  return Math.min(endsAt - clock.wallMs(), endsAtMs - clock.monotonicMs());
}
