// Which ids were cancelled while nothing of theirs was open here: what comes under one within ten
// minutes was overtaken by its cancel and is not begun (PROTOCOL.md, Delegation states, "Who may
// speak of it"). Owns the remembering; holds no id of a message that came, only of a cancel that
// was told "nothing is open", and never more of one party than its share.
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PartyKey } from '../../ports/transport.ts';
import {
  CANCELLED_ID_WINDOW_MS,
  CANCELLED_IDS_MAX,
  CANCELLED_IDS_PER_PARTY_MAX,
} from './limits.ts';

export class CancelledIds {
  readonly #clock: Clock;
  /** Of each party, when each id was cancelled, by the monotonic clock; the oldest first. */
  readonly #cancelled = new Map<PartyKey, Map<string, number>>();
  #size = 0;

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  has(party: PartyKey, messageId: string): boolean {
    const cancelledAtMs = this.#cancelled.get(party)?.get(messageId);
    return cancelledAtMs !== undefined && !this.#isOld(cancelledAtMs);
  }

  /**
   * Beyond the share of this party its oldest is forgotten, beyond that of all the oldest of all.
   */
  keep(party: PartyKey, messageId: string): void {
    this.forget(party, messageId);
    const own = this.#cancelled.get(party) ?? new Map<string, number>();
    this.#cancelled.set(party, own.set(messageId, this.#clock.monotonicMs()));
    this.#size += 1;
    for (const [id, atMs] of own) {
      if (own.size <= CANCELLED_IDS_PER_PARTY_MAX && !this.#isOld(atMs)) break;
      this.forget(party, id);
    }
    if (this.#size > CANCELLED_IDS_MAX) this.#forgetOldest();
  }

  /** The cancel was not taken after all. */
  forget(party: PartyKey, messageId: string): void {
    const own = this.#cancelled.get(party);
    if (own?.delete(messageId) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#cancelled.delete(party);
  }

  #isOld(cancelledAtMs: number): boolean {
    return this.#clock.monotonicMs() - cancelledAtMs >= CANCELLED_ID_WINDOW_MS;
  }

  #forgetOldest(): void {
    let oldest:
      { readonly party: PartyKey; readonly id: string; readonly atMs: number } | undefined;
    for (const [party, own] of this.#cancelled) {
      for (const [id, atMs] of own) {
        if (oldest === undefined || atMs < oldest.atMs) oldest = { party, id, atMs };
        break;
      }
    }
    if (oldest !== undefined) this.forget(oldest.party, oldest.id);
  }
}

/** What whoever asked is told of a request that its own cancel overtook. */
export function cancelledBefore(): AppError {
  return new AppError(
    'cancelled',
    'It was cancelled before it came here. Send it again under a fresh id if it is wanted after all.',
    {
      failedBy: 'input',
    },
  );
}
