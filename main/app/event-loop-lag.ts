// How late the main process runs its timers, for collectors of metrics. Measured only while
// somebody reads it, so a hub without a collector is not woken for it. Holds a bounded number of
// samples, and never decides anything.
import type { Clock, TimerHandle } from '../ports/clock.ts';

const SAMPLE_MS = 50;
/**
 * What a reading tells of. No reading takes anything from another: any number of collectors see the
 * same.
 */
export const LAG_WINDOW_MS = 60_000;
/** Unread for so long, nothing is measured until it is read again. */
const UNREAD_MAX_MS = 120_000;
const SHARE = 0.99;

/** A moment at which something was due, and how much later it came. */
interface Sample {
  readonly dueAtMs: number;
  readonly lateMs: number;
}

export class EventLoopLag {
  readonly #clock: Clock;
  /** Oldest first, none older than the window: at most one for each SAMPLE_MS of it. */
  #samples: Sample[] = [];
  #readAtMs = 0;
  #timer: TimerHandle | undefined;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How late it came at most in 99 of 100 moments of the last LAG_WINDOW_MS, ms; null where nothing
   * was measured in them, as at the first reading, which begins it.
   */
  read(): number | null {
    this.#readAtMs = this.#clock.monotonicMs();
    this.#forget(this.#readAtMs);
    const sorted = this.#samples.map(({ lateMs }) => lateMs).toSorted((one, other) => one - other);
    if (this.#timer === undefined && !this.#isStopped) this.#measure();
    return sorted[Math.ceil(SHARE * sorted.length) - 1] ?? null;
  }

  /** Measures no more, whoever reads. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #measure(): void {
    const firstDueAtMs = this.#clock.monotonicMs() + SAMPLE_MS;
    this.#timer = this.#clock.setTimer(SAMPLE_MS, () => {
      this.#timer = undefined;
      const now = this.#clock.monotonicMs();
      this.#forget(now);
      // What was due at every moment of a long standstill waited for its end, not only the one
      // timer that was set.
      const steps = Math.max(0, Math.floor((now - firstDueAtMs) / SAMPLE_MS));
      for (
        let step = Math.max(0, steps - LAG_WINDOW_MS / SAMPLE_MS + 1);
        step <= steps;
        step += 1
      ) {
        const dueAtMs = firstDueAtMs + step * SAMPLE_MS;
        this.#samples.push({ dueAtMs, lateMs: Math.max(0, now - dueAtMs) });
      }
      if (now - this.#readAtMs < UNREAD_MAX_MS) this.#measure();
    });
  }

  #forget(now: number): void {
    const first = this.#samples.findIndex(({ dueAtMs }) => now - dueAtMs < LAG_WINDOW_MS);
    this.#samples.splice(0, first < 0 ? this.#samples.length : first);
  }
}
