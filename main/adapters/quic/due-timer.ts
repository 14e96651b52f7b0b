// One timer for all that may be due on a connection. It is only moved when something is due earlier; it decides nothing.
import type { Clock, TimerHandle } from '../../ports/clock.ts';

export class DueTimer {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #timer: TimerHandle | null = null;
  #dueMs = Infinity;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Fires at `dueMs` of the monotonic clock at the latest; Infinity = nothing is due. */
  arm(nowMs: number, dueMs: number): void {
    if (this.#timer !== null && dueMs >= this.#dueMs) return;
    this.#timer?.cancel();
    this.#dueMs = dueMs;
    this.#timer = dueMs === Infinity ? null : this.#clock.setTimer(Math.max(0, dueMs - nowMs), this.#due);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#dueMs = Infinity;
  }

  readonly #due = (): void => {
    this.#timer = null;
    this.#dueMs = Infinity;
    this.#fire();
  };
}
