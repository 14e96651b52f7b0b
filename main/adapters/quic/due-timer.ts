// One timer for all that may be due on a connection; it moves only when something is due earlier.
// After this process stood still (a suspended computer, a stopped process) what peers sent
// meanwhile lies unread: so what is due is put off once, and that is read first. Only once, since
// on a computer that is always late nothing would ever fall due.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { READ_FIRST_MS, STANDSTILL_MIN_MS } from './limits.ts';

export class DueTimer {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #timer: TimerHandle | null = null;
  #dueMs = Infinity;
  /** Nothing fires before this: what came in while this process stood still is being read. */
  #notBeforeMs = -Infinity;
  /** It was put off once already, and fires however late it is. */
  #wasPutOff = false;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /**
   * Fires at `dueMs` of the monotonic clock at the latest, put off once where this process stood
   * still; Infinity = nothing is due.
   */
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
    this.#wasPutOff = false;
  }

  readonly #due = (): void => {
    const nowMs = this.#clock.monotonicMs();
    const mayWait = nowMs - this.#dueMs >= STANDSTILL_MIN_MS && !this.#wasPutOff;
    this.#timer = null;
    this.#dueMs = Infinity;
    this.#wasPutOff = mayWait;
    if (!mayWait) return this.#fire();
    this.#notBeforeMs = nowMs + READ_FIRST_MS;
    this.arm(nowMs, nowMs);
  };
}
