// Notices that the computer slept or that this program stood still: a timer comes late, or the wall
// clock ran on while the monotonic clock stood. A wall clock that somebody sets forward looks the
// same and costs a check of every connection.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { RESUME_GAP_MS, RESUME_TICK_MS } from './limits.ts';

export class ResumeWatch {
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info'>;
  readonly #onResume: (awayMs: number) => void;
  #timer: TimerHandle | undefined;
  #monotonicMs = 0;
  #wallMs = 0;

  constructor(clock: Clock, log: Pick<Log, 'info'>, onResume: (awayMs: number) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#onResume = onResume;
  }

  /** Idempotent while it watches. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#monotonicMs = this.#clock.monotonicMs();
    this.#wallMs = this.#clock.wallMs();
    this.#plan();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #plan(): void {
    this.#timer = this.#clock.setTimer(RESUME_TICK_MS, () => {
      const [monotonicMs, wallMs] = [this.#clock.monotonicMs(), this.#clock.wallMs()];
      const awayMs =
        Math.max(monotonicMs - this.#monotonicMs, wallMs - this.#wallMs) - RESUME_TICK_MS;
      [this.#monotonicMs, this.#wallMs] = [monotonicMs, wallMs];
      this.#plan();
      if (awayMs < RESUME_GAP_MS) return;
      this.#log.info('the computer slept, or this program stood still', { ms: Math.round(awayMs) });
      this.#onResume(Math.round(awayMs));
    });
  }
}
