// Whose question goes to an adult's hub next, so that no one asker takes all the places that a child's hub has there: who asks of the child's hub
// takes turns, each with its oldest request, and has a few places at most (PROTOCOL.md, Consent, Turns). Remembers in memory alone whose turn was
// when, and forgets the longest ago first. Never asks anything itself.
import type { PartyKey } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_ASKERS_REMEMBERED_MAX, CONSENTS_OPEN_PER_ASKER_MAX, CONSENTS_OPEN_PER_HUB_MAX } from './limits.ts';

/** What is asked about at one adult's hub, or would be. */
export interface TurnOf {
  readonly asker: PartyKey;
}

export class ConsentTurns {
  /** Whoever had a turn at a hub, the longest ago first. */
  readonly #had = new Set<string>();

  /** Whether another question of that asker may be open at the hub where these are. */
  hasRoom(open: readonly TurnOf[], asker: PartyKey): boolean {
    if (open.length >= CONSENTS_OPEN_PER_HUB_MAX) return false;
    return open.filter((question) => question.asker === asker).length < CONSENTS_OPEN_PER_ASKER_MAX;
  }

  /**
   * What is put before the hub now: of those who have room, whoever never had a turn there, else had it longest ago; of its requests the first.
   * So each other asker goes at most once before one who waits with a place left to it. undefined: nothing, for now.
   * @param waiting the oldest first
   */
  next<T extends TurnOf>(hub: KeyHex, waiting: readonly T[], open: readonly TurnOf[]): T | undefined {
    const order = [...this.#had];
    let next: { readonly turn: number; readonly of: T } | undefined;
    for (const of of waiting) {
      if (!this.hasRoom(open, of.asker)) continue;
      const turn = order.indexOf(nameOf(hub, of.asker));
      if (next === undefined || turn < next.turn) next = { turn, of };
    }
    return next?.of;
  }

  /** It had its turn there. */
  had(hub: KeyHex, asker: PartyKey): void {
    const name = nameOf(hub, asker);
    this.#had.delete(name);
    this.#had.add(name);
    const [oldest] = this.#had;
    if (this.#had.size > CONSENT_ASKERS_REMEMBERED_MAX && oldest !== undefined) this.#had.delete(oldest);
  }

  /** What it had was none: the hub took nothing of anybody then. */
  hadNone(hub: KeyHex, asker: PartyKey): void {
    this.#had.delete(nameOf(hub, asker));
  }
}

function nameOf(hub: KeyHex, asker: PartyKey): string {
  return `${hub} ${asker}`;
}
