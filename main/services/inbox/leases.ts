// Who holds which inbox item, and for how long, by the monotonic clock. Owns the timers; what the end of a lease means is the caller's.
import { AppError } from '../../lib/app-error.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

/** Which hand-out of an item its holder speaks of, as `claim` told it; null when it does not say. */
export type Attempt = number | null;

/** @throws AppError conflict when the item was handed out again since */
export function checkAttempt(item: { readonly attempt: number }, attempt: Attempt): void {
  if (attempt === null || attempt === item.attempt) return;
  throw new AppError('conflict', `You do not hold this item: it was handed out again (attempt ${item.attempt}).`, {
    failedBy: 'input',
    hint: 'Claim again.',
    data: { attempt: item.attempt },
  });
}

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
