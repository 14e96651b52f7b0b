// Time and chance as ports, so that a simulator can own both: the core and the services ask no
// other clock, set no other timer and take no other chance.

export interface TimerHandle {
  cancel(): void;
}

export interface Clock {
  /** Wall clock, ms since 1970. For display and across restarts only: it may jump. */
  wallMs(): number;
  /**
   * Monotonic clock, ms since an arbitrary start, never going back. For deadlines, rates and ages.
   */
  monotonicMs(): number;
  /**
   * How long the computer has slept since this program began, as far as the monotonic clock stood
   * still meanwhile, ms, never going back; no word of the wall clock. Timers are late by as much.
   * Absent: not at all.
   */
  asleepMs?(): number;
  /** Calls `run` once after `delayMs`. Timers never keep the process alive by themselves. */
  setTimer(delayMs: number, run: () => void): TimerHandle;
}

export interface Random {
  bytes(length: number): Uint8Array;
  /** UUID version 4. */
  uuid(): string;
  /** In [0, 1). For jitter only, never for anything secret. */
  fraction(): number;
}
