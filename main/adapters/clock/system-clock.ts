// The machine's own time and chance: the only file where Date, timers and the random generators may
// be touched.
import { randomBytes, randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';

/** The longest delay a timer can hold; a longer one would fire at once. */
const TIMER_DELAY_MAX_MS = 2 ** 31 - 1;

/** Less than this is what the two clocks are read apart. */
const SLEEP_NOTICED_MIN_MS = 1_000;

/**
 * ms since the computer was started, its sleep counted: on Linux, where the monotonic clock leaves
 * it out; elsewhere that counts it itself.
 */
const sinceBoot = process.platform === 'linux' ? () => uptime() * 1_000 : null;

export class SystemClock implements Clock {
  readonly #sinceBoot: (() => number) | null;
  readonly #apartMs: number;
  #asleepMs = 0;

  /** @param bootMs a clock that goes on while the computer sleeps; null: the monotonic one does */
  constructor(bootMs: (() => number) | null = sinceBoot) {
    this.#sinceBoot = bootMs;
    this.#apartMs = this.#apart();
  }

  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  asleepMs(): number {
    const asleepMs = this.#apart() - this.#apartMs;
    if (asleepMs >= SLEEP_NOTICED_MIN_MS) this.#asleepMs = Math.max(this.#asleepMs, asleepMs);
    return this.#asleepMs;
  }

  #apart(): number {
    return this.#sinceBoot === null ? 0 : this.#sinceBoot() - performance.now();
  }

  setTimer(delayMs: number, run: () => void): TimerHandle {
    const timer = setTimeout(run, Math.min(Math.max(0, delayMs), TIMER_DELAY_MAX_MS));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  }
}

export class SystemRandom implements Random {
  bytes(length: number): Uint8Array {
    return new Uint8Array(randomBytes(length));
  }

  uuid(): string {
    return randomUUID();
  }

  fraction(): number {
    return Math.random();
  }
}
