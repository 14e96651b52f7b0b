// One timer for all that may be due on a connection. It is only moved when something is due earlier; it decides nothing. After this process
// stood still (a suspended computer, a stopped process) what peers sent meanwhile lies unread: that is taken in first.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { READ_FIRST_MS, STANDSTILL_MIN_MS } from './limits.ts';

export class DueTimer {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #timer: TimerHandle | null = null;
  #dueMs = Infinity;
  /** Nothing fires before this: what came in while this process stood still is being read. */
  #notBeforeMs = -Infinity;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Fires at `dueMs` of the monotonic clock at the latest, unless this process stands still; Infinity = nothing is due. */
  arm(nowMs: number, dueMs: number): void {
    // What is overdue is due now: lateness is what comes on top of it.
    const atMs = Math.max(dueMs, nowMs, this.#notBeforeMs);
    if (this.#timer !== null && atMs >= this.#dueMs) return;
    this.#timer?.cancel();
    this.#dueMs = atMs;
    this.#timer = atMs === Infinity ? null : this.#clock.setTimer(atMs - nowMs, this.#due);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#dueMs = Infinity;
  }

  readonly #due = (): void => {
    const nowMs = this.#clock.monotonicMs();
    const lateMs = nowMs - this.#dueMs;
    this.#timer = null;
    this.#dueMs = Infinity;
    if (lateMs < STANDSTILL_MIN_MS) return this.#fire();
    this.#notBeforeMs = nowMs + READ_FIRST_MS;
    this.arm(nowMs, nowMs);
  };
}
