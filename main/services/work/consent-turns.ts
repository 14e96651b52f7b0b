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

interface Turn {
  /** Counted over all hubs and askers, so that the lower is the longer ago. */
  readonly nth: number;
  /** The question that it went to. */
  readonly questionId: string;
}

/** The turns of an asker that are kept: those that may turn out to be none yet, and the one before them. */
const TURNS_KEPT = CONSENTS_OPEN_PER_ASKER_MAX + 1;

export class ConsentTurns {
  /** The last turns of whoever had one at a hub, the newest last. */
  readonly #had = new Map<string, readonly Turn[]>();
  #count = 0;

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
    let next: { readonly turn: number; readonly of: T } | undefined;
    for (const of of waiting) {
      if (!this.hasRoom(open, of.asker)) continue;
      const turn = lastOf(this.#had.get(nameOf(hub, of.asker)));
      if (next === undefined || turn < next.turn) next = { turn, of };
    }
    return next?.of;
  }

  /** It had its turn there, with that question. */
  had(hub: KeyHex, asker: PartyKey, questionId: string): void {
    const name = nameOf(hub, asker);
    this.#count += 1;
    this.#had.set(name, [...(this.#had.get(name) ?? []), { nth: this.#count, questionId }].slice(-TURNS_KEPT));
    if (this.#had.size > CONSENT_ASKERS_REMEMBERED_MAX) this.#forgetOldest();
  }

  /** What it had with that question was none, since the hub took nothing of anybody then: it stands where it stood without it. */
  hadNone(hub: KeyHex, asker: PartyKey, questionId: string): void {
    const name = nameOf(hub, asker);
    const left = this.#had.get(name)?.filter((turn) => turn.questionId !== questionId) ?? [];
    if (left.length > 0) this.#had.set(name, left);
    else this.#had.delete(name);
  }

  #forgetOldest(): void {
    let oldest: { readonly name: string; readonly nth: number } | undefined;
    for (const [name, turns] of this.#had) {
      const nth = lastOf(turns);
      if (oldest === undefined || nth < oldest.nth) oldest = { name, nth };
    }
    if (oldest !== undefined) this.#had.delete(oldest.name);
  }
}

/** 0: there was none yet. */
function lastOf(turns: readonly Turn[] = []): number {
  return turns.at(-1)?.nth ?? 0;
}

function nameOf(hub: KeyHex, asker: PartyKey): string {
  return `${hub} ${asker}`;
}
