// The calls of one keychain: each waited for only as long as it is allowed to, and one question at
// a time, because an open call holds a thread of the process until a person answers its prompt.
// Knows nothing of what is asked.
import type { Clock } from '../../ports/clock.ts';
import { KEYCHAIN_OPEN_CALLS_MAX, KEYCHAIN_TIMEOUT_MS } from './limits.ts';

export class KeychainCalls {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #open = new Set<Promise<void>>();
  #lastBeganMs = 0;

  constructor(clock: Clock, timeoutMs: number = KEYCHAIN_TIMEOUT_MS) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** True while the system still works on a call that was given up. */
  get hasOpenCall(): boolean {
    return this.#open.size > 0;
  }

  /**
   * Waits for its turn and for the answer; gives up with SlowKeychain, without ending the call, on
   * `signal` or after the time limit.
   */
  run<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => {
        settle();
        reject(new SlowKeychain());
      };
      let waiting = true;
      const settle = (): void => {
        waiting = false;
        timer.cancel();
        signal.removeEventListener('abort', giveUp);
      };
      const timer = this.#clock.setTimer(this.#timeoutMs, giveUp);
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      void this.#inTurn(() => waiting, ask).then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  /**
   * Waits until no call is open that may still be answered, then runs unless nobody waits any more.
   */
  async #inTurn<T>(wanted: () => boolean, ask: () => Promise<T>): Promise<T> {
    while (this.#open.size > 0 && !this.#mayPassOpenCalls()) await Promise.race(this.#open);
    if (!wanted()) throw new SlowKeychain();
    const call = ask();
    const open = call.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(open);
    this.#lastBeganMs = this.#clock.monotonicMs();
    void open.then(() => this.#open.delete(open));
    return call;
  }

  #mayPassOpenCalls(): boolean {
    return (
      this.#open.size < KEYCHAIN_OPEN_CALLS_MAX &&
      this.#clock.monotonicMs() - this.#lastBeganMs >= this.#timeoutMs
    );
  }
}

export class SlowKeychain extends Error {
  override readonly name = 'SlowKeychain';
}
