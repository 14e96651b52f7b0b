// Which queries and notifications came a short while ago: their ids are not kept for ever, so this
// memory is what stops one that comes twice (PROTOCOL.md, Delegation states, "Once only"). Owns the
// remembering; what a repeat means is the caller's.
import type { Clock } from '../../ports/clock.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { RECENT_MESSAGE_WINDOW_MS, RECENT_MESSAGES_MAX } from './limits.ts';

export class RecentMessages {
  readonly #clock: Clock;
  /** When each was taken, by the monotonic clock; the oldest first. */
  readonly #takenAtMs = new Map<string, number>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  has(party: PartyKey, messageId: string): boolean {
    const takenAtMs = this.#takenAtMs.get(`${party} ${messageId}`);
    return (
      takenAtMs !== undefined && this.#clock.monotonicMs() - takenAtMs < RECENT_MESSAGE_WINDOW_MS
    );
  }

  keep(party: PartyKey, messageId: string): void {
    const name = `${party} ${messageId}`;
    this.#takenAtMs.delete(name);
    this.#takenAtMs.set(name, this.#clock.monotonicMs());
    if (this.#takenAtMs.size <= RECENT_MESSAGES_MAX) return;
    const oldest = this.#takenAtMs.keys().next();
    if (!oldest.done) this.#takenAtMs.delete(oldest.value);
  }
}
