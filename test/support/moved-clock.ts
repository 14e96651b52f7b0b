// The machine's own clock, which a test may move by months: what is due after ten minutes or more
// comes only when the test lets it.
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import type { TimerHandle } from '../../main/ports/clock.ts';

const HELD_FROM_MS = 600_000;

export class MovedClock extends SystemClock {
  #wallByMs = 0;
  #monotonicByMs = 0;
  readonly #held = new Map<object, { readonly delayMs: number; readonly run: () => void }>();

  override wallMs(): number {
    return super.wallMs() + this.#wallByMs;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#monotonicByMs;
  }

  override setTimer(delayMs: number, run: () => void): TimerHandle {
    if (delayMs < HELD_FROM_MS) return super.setTimer(delayMs, run);
    const name = {};
    this.#held.set(name, { delayMs, run });
    return { cancel: () => void this.#held.delete(name) };
  }

  /**
   * @param wallMs how far the wall clock moves @param monotonicMs how long the process seems to
   * have run
   */
  move(wallMs: number, monotonicMs: number): void {
    this.#wallByMs += wallMs;
    this.#monotonicByMs += monotonicMs;
  }

  /** Runs what waits for exactly so long. Says how much that was. */
  release(delayMs: number): number {
    const due = [...this.#held].filter(([, held]) => held.delayMs === delayMs);
    for (const [name, { run }] of due) {
      this.#held.delete(name);
      run();
    }
    return due.length;
  }
}
