// The machine's own time and chance: the only file where Date, timers and the random generators may be touched.
import { randomBytes, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';

/** The longest delay a timer can hold; a longer one would fire at once. */
const TIMER_DELAY_MAX_MS = 2 ** 31 - 1;

export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
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
