// How much of this process one connection takes: the time spent in its turns and on its datagrams, and how many datagrams it moved. It is
// measured by the monotonic clock, so time in which the process had no processor counts as well. It judges nothing.
import type { Clock } from '../../ports/clock.ts';

export class Effort {
  readonly #clock: Clock;
  #sinceMs = 0;
  #spentMs = 0;
  #datagrams = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What follows until `end` is done for this connection. Now, by the monotonic clock. */
  begin(): number {
    this.#sinceMs = this.#clock.monotonicMs();
    return this.#sinceMs;
  }

  /** `datagrams` of them were received meanwhile. */
  end(datagrams = 0): void {
    this.#datagrams += datagrams;
    this.#spentMs += this.#clock.monotonicMs() - this.#sinceMs;
  }

  /** A datagram was sent. */
  sent(): void {
    this.#datagrams += 1;
  }

  /** What was spent since this was asked last. */
  take(): { readonly spentMs: number; readonly datagrams: number } {
    const taken = { spentMs: this.#spentMs, datagrams: this.#datagrams };
    this.#spentMs = 0;
    this.#datagrams = 0;
    return taken;
  }
}
