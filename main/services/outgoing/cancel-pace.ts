// How fast another hub is asked to take things back: a few cancels at a time, and none for a while once it has said that these are too many.
// Counts only what is on its way now; what waits, and in which order it goes, is the outbox's.
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CANCELS_AT_ONCE_MAX, CANCELS_REFUSED_PAUSE_MS } from './limits.ts';

interface Pace {
  atOnce: number;
  /** By the monotonic clock. */
  pausedUntilMs: number;
}

export class CancelPace {
  readonly #clock: Clock;
  /** Only of hubs with a cancel on its way, or in a pause. */
  readonly #paces = new Map<KeyHex, Pace>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Whether one more may leave for this hub now. */
  mayBegin(peer: KeyHex): boolean {
    const pace = this.#paces.get(peer);
    return pace === undefined || (pace.atOnce < CANCELS_AT_ONCE_MAX && pace.pausedUntilMs <= this.#clock.monotonicMs());
  }

  begin(peer: KeyHex): void {
    const pace = this.#paces.get(peer) ?? { atOnce: 0, pausedUntilMs: 0 };
    pace.atOnce += 1;
    this.#paces.set(peer, pace);
  }

  /** @param tooMany the hub asked for patience */
  end(peer: KeyHex, tooMany: boolean): void {
    const pace = this.#paces.get(peer);
    if (pace === undefined) return;
    pace.atOnce -= 1;
    const now = this.#clock.monotonicMs();
    if (tooMany) pace.pausedUntilMs = now + CANCELS_REFUSED_PAUSE_MS;
    if (pace.atOnce === 0 && pace.pausedUntilMs <= now) this.#paces.delete(peer);
  }

  /** When the next pause is over, by the monotonic clock; undefined without one. */
  nextAtMs(): number | undefined {
    const now = this.#clock.monotonicMs();
    let nextAtMs: number | undefined;
    for (const [peer, { atOnce, pausedUntilMs }] of this.#paces) {
      if (pausedUntilMs > now) nextAtMs = Math.min(nextAtMs ?? pausedUntilMs, pausedUntilMs);
      else if (atOnce === 0) this.#paces.delete(peer);
    }
    return nextAtMs;
  }
}
