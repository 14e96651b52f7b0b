// Who holds which inbox item, and for how long, by the monotonic clock. Owns the timers; what the end of a lease means is the caller's.
import type { Clock, TimerHandle } from '../../ports/clock.ts';

export class Leases {
  readonly #clock: Clock;
  readonly #onEnd: (deliveryId: string) => void;
  readonly #timers = new Map<string, TimerHandle>();

  constructor(deps: { readonly clock: Clock }, onEnd: (deliveryId: string) => void) {
    this.#clock = deps.clock;
    this.#onEnd = onEnd;
  }

  /** Starts the lease anew. */
  hold(deliveryId: string, leaseMs: number): void {
    this.release(deliveryId);
    const timer = this.#clock.setTimer(leaseMs, () => {
      this.#timers.delete(deliveryId);
      this.#onEnd(deliveryId);
    });
    this.#timers.set(deliveryId, timer);
  }

  release(deliveryId: string): void {
    this.#timers.get(deliveryId)?.cancel();
    this.#timers.delete(deliveryId);
  }

  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
