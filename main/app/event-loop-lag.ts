// How late the main process comes to what is due, for collectors of metrics. Measured only while somebody reads it: a hub whose metrics nobody
// collects is not woken for them. Holds a bounded number of samples, and never decides anything.
import type { Clock } from '../ports/clock.ts';

const SAMPLE_MS = 50;
/** Unread for so long, nothing is measured until it is read again. */
const UNREAD_MAX_MS = 120_000;
const SAMPLES_MAX = UNREAD_MAX_MS / SAMPLE_MS;
const SHARE = 0.99;

export class EventLoopLag {
  readonly #clock: Clock;
  #latenessMs: number[] = [];
  #readAtMs = 0;
  #isMeasuring = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How late it came at most in 99 of 100 moments since the reading before, ms; null where nothing was measured yet, as at the first reading,
   * which begins it.
   */
  read(): number | null {
    const sorted = this.#latenessMs.toSorted((one, other) => one - other);
    this.#latenessMs = [];
    this.#readAtMs = this.#clock.monotonicMs();
    if (!this.#isMeasuring) this.#measure();
    return sorted[Math.min(sorted.length - 1, Math.floor(SHARE * sorted.length))] ?? null;
  }

  #measure(): void {
    this.#isMeasuring = true;
    const dueAtMs = this.#clock.monotonicMs() + SAMPLE_MS;
    this.#clock.setTimer(SAMPLE_MS, () => {
      const now = this.#clock.monotonicMs();
      // What was due at every moment of a long standstill waited for its end, not only the one timer that was set.
      for (let lateMs = Math.max(0, now - dueAtMs); lateMs >= 0 && this.#latenessMs.length < SAMPLES_MAX; lateMs -= SAMPLE_MS) {
        this.#latenessMs.push(lateMs);
      }
      this.#isMeasuring = false;
      if (now - this.#readAtMs < UNREAD_MAX_MS) this.#measure();
    });
  }
}
