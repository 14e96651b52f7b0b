// Ids of the last ten minutes, by the hub or agent that sent them: queries and notifications that
// came (one that comes again is not acted on twice), and requests that were cancelled before they
// came (PROTOCOL.md, Delegation states, "Once only" and "Who may speak of it"). In memory.
import type { Clock } from '../../ports/clock.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { RECENT_ID_WINDOW_MS, RECENT_IDS_MAX } from './limits.ts';

export class RecentIds {
  readonly #clock: Clock;
  readonly #perPartyMax: number;
  /** Of each party, when each id was kept, by the monotonic clock; the oldest first. */
  readonly #keptAtMs = new Map<PartyKey, Map<string, number>>();
  #size = 0;

  /** @param perPartyMax beyond it the oldest id of that party is forgotten */
  constructor(deps: { readonly clock: Clock }, perPartyMax = RECENT_IDS_MAX) {
    this.#clock = deps.clock;
    this.#perPartyMax = perPartyMax;
  }

  has(party: PartyKey, id: string): boolean {
    const keptAtMs = this.#keptAtMs.get(party)?.get(id);
    return keptAtMs !== undefined && !this.#isOld(keptAtMs);
  }

  keep(party: PartyKey, id: string): void {
    this.forget(party, id);
    const own = this.#keptAtMs.get(party) ?? new Map<string, number>();
    this.#keptAtMs.set(party, own.set(id, this.#clock.monotonicMs()));
    this.#size += 1;
    for (const [oldest, keptAtMs] of own) {
      if (own.size <= this.#perPartyMax && !this.#isOld(keptAtMs)) break;
      this.forget(party, oldest);
    }
    if (this.#size > RECENT_IDS_MAX) this.#forgetOldest();
  }

  forget(party: PartyKey, id: string): void {
    const own = this.#keptAtMs.get(party);
    if (own?.delete(id) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#keptAtMs.delete(party);
  }

  #isOld(keptAtMs: number): boolean {
    return this.#clock.monotonicMs() - keptAtMs >= RECENT_ID_WINDOW_MS;
  }

  #forgetOldest(): void {
    let oldest:
      { readonly party: PartyKey; readonly id: string; readonly atMs: number } | undefined;
    for (const [party, own] of this.#keptAtMs) {
      for (const [id, atMs] of own) {
        if (oldest === undefined || atMs < oldest.atMs) oldest = { party, id, atMs };
        break;
      }
    }
    if (oldest !== undefined) this.forget(oldest.party, oldest.id);
  }
}
