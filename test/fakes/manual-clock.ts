// Time that stands still until a test moves it. Timers run in order of their time, and what they
// set going is let finish before the next.
import type { Clock, TimerHandle } from '../../main/ports/clock.ts';

interface Waiting {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Turns of the event loop in which everything that hangs on finished work (a commit, a delivered
 * message) can go on.
 */
const SETTLING_TURNS = 12;

export class ManualClock implements Clock {
  #monotonicMs = 1_000;
  #wallOffsetMs = 1_800_000_000_000;
  #asleepMs = 0;
  #order = 0;
  readonly #waiting = new Set<Waiting>();

  wallMs(): number {
    return Math.floor(this.#monotonicMs) + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  asleepMs(): number {
    return this.#asleepMs;
  }

  setTimer(delayMs: number, run: () => void): TimerHandle {
    const waiting: Waiting = {
      atMs: this.#monotonicMs + Math.max(0, delayMs),
      order: this.#order++,
      run,
    };
    this.#waiting.add(waiting);
    return { cancel: () => void this.#waiting.delete(waiting) };
  }

  /** Timers that have not run and were not cancelled. */
  get timers(): number {
    return this.#waiting.size;
  }

  /** Changes the wall clock alone, as a person or a time server would. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /**
   * The computer sleeps: the monotonic clock and all timers stand still, the wall clock does not.
   */
  sleep(forMs: number): void {
    this.#asleepMs += forMs;
    this.#wallOffsetMs += forMs;
  }

  /**
   * Time passes while nothing runs, as on a busy machine: what is due by then runs with the next
   * `advance`.
   */
  standStill(forMs: number): void {
    this.#monotonicMs += forMs;
  }

  /** Lets everything that needs no time finish. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn++)
      await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves time on, timer by timer. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#monotonicMs + byMs;
    await this.settle();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#waiting.delete(next);
      this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs);
      next.run();
      await this.settle();
    }
    this.#monotonicMs = untilMs;
  }

  /**
   * Moves time on in small steps until `condition` holds; throws when it does not within `limitMs`
   * of this clock's time.
   */
  async until(condition: () => boolean, what = 'the condition', limitMs = 60_000): Promise<void> {
    await this.settle();
    for (let passedMs = 0; !condition(); passedMs += 50) {
      if (passedMs >= limitMs)
        throw new Error(`${what} did not come true within ${limitMs} ms of the test's time`);
      await this.advance(50);
    }
  }

  #next(untilMs: number): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.atMs > untilMs) continue;
      if (
        next === undefined ||
        waiting.atMs < next.atMs ||
        (waiting.atMs === next.atMs && waiting.order < next.order)
      )
        next = waiting;
    }
    return next;
  }
}
