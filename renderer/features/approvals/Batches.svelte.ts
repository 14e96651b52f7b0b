// Which cards stand together as one group: small requests of the same hub for the same agent and
// area, which a person may answer with one press. Only says what is drawn where; every request of a
// group keeps its own card, its own words and its own decision.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { CardModel } from './CardModel.svelte.ts';

/** A single card, or a group of at least two. */
export interface Drawn {
  readonly key: string;
  readonly cards: readonly [CardModel, ...CardModel[]];
}

/**
 * What two requests must share to stand together, so that one sentence, one risk badge and one
 * "leaves here" is true of both; null for what never stands with another: what others see or is
 * dangerous, what names no area, and what asks a person to choose.
 */
export function companyOf(approval: ApprovalDto): string | null {
  const { peer_id, peer_name, from_agent, to_agent, domain, kind, leaves, risk_class } = approval;
  if ((risk_class !== 'R0' && risk_class !== 'R1') || domain === null || isOfItsOwnKind(approval))
    return null;
  return JSON.stringify([
    peer_id,
    peer_name,
    from_agent,
    to_agent,
    domain,
    kind,
    leaves,
    risk_class,
  ]);
}

/**
 * It asks to choose, is decided at another hub or for another one: its card says and offers
 * something else.
 */
function isOfItsOwnKind({
  choice,
  decided_by_hubs: hubs,
  remote_question: asked,
  turns,
}: ApprovalDto): boolean {
  return choice !== null || hubs !== null || asked !== null || turns !== null;
}

export class Batches {
  /**
   * By the card's id: the company it was put into. Cards move only when `regroup` is called, never
   * under somebody's hand.
   */
  #together = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** Taken out by a person: these stand alone for as long as they are there. */
  readonly #alone = new Set<string>();
  /**
   * The cards of groups about all of which a decision is on its way: such a group stands as it is
   * until each of its answers is there.
   */
  #settling = $state.raw<ReadonlySet<string>>(new Set());

  /** What is drawn, in the order of `cards`; a group stands where its first one would. */
  drawn(cards: readonly CardModel[]): readonly Drawn[] {
    const groups = new Map<string, CardModel[]>();
    for (const card of cards) {
      const key = this.#groupOf(card);
      if (key !== null) groups.set(key, [...(groups.get(key) ?? []), card]);
    }
    return cards.flatMap((card) => {
      const key = this.#groupOf(card);
      const [first, ...others] = key === null ? [] : (groups.get(key) ?? []);
      if (key === null || first === undefined || others.length === 0)
        return [{ key: card.id, cards: [card] as const }];
      return first === card ? [{ key, cards: [first, ...others] as const }] : [];
    });
  }

  /** Those that stand together with this one, itself included; none for one that stands alone. */
  companions(card: CardModel, cards: readonly CardModel[]): readonly CardModel[] {
    const drawn = this.drawn(cards).find((one) => one.cards.includes(card));
    return drawn === undefined || drawn.cards.length < 2 ? [] : drawn.cards;
  }

  /**
   * Puts together what belongs together now. @returns whether anything stands elsewhere than before
   */
  regroup(cards: readonly CardModel[]): boolean {
    if (this.#settling.size > 0) return false;
    const wanted = cards.map((card) =>
      this.#mayStandTogether(card) ? companyOf(card.approval) : null,
    );
    const together = cards.flatMap(({ id }, index) => {
      const key = wanted[index] ?? null;
      return key !== null && wanted.filter((other) => other === key).length > 1
        ? [[id, key] as const]
        : [];
    });
    const after = new Map(together);
    const isAsBefore = cards.every(({ id }) => after.get(id) === this.#together.get(id));
    if (!isAsBefore) this.#together = after;
    return !isAsBefore;
  }

  /** A person wants to see one by itself, with all that a card offers. */
  setApart(card: CardModel): void {
    this.#alone.add(card.id);
    this.#leave(card);
  }

  settle(cards: readonly CardModel[]): void {
    this.#settling = new Set([...this.#settling, ...cards.map(({ id }) => id)]);
  }

  /** Every answer about these is there; what else is on its way stays as it is. */
  settled(cards: readonly CardModel[]): void {
    const ended = new Set(cards.map(({ id }) => id));
    this.#settling = new Set([...this.#settling].filter((id) => !ended.has(id)));
  }

  isSettling(card: CardModel): boolean {
    return this.#settling.has(card.id);
  }

  /** It is gone: if it comes back, it comes as any other. */
  forget(card: CardModel): void {
    this.#alone.delete(card.id);
    this.#leave(card);
  }

  #leave(card: CardModel): void {
    if (this.#together.has(card.id))
      this.#together = new Map([...this.#together].filter(([id]) => id !== card.id));
  }

  /** A request that is another one now, or is decided, has left its group. */
  #groupOf(card: CardModel): string | null {
    const key = this.#together.get(card.id) ?? null;
    if (key === null || (!card.pending && !this.#settling.has(card.id))) return null;
    return companyOf(card.approval) === key ? key : null;
  }

  /** What a person is at work on stays where it is. */
  #mayStandTogether(card: CardModel): boolean {
    return (
      card.pending &&
      !card.sending &&
      !card.drawerOpen &&
      card.written === undefined &&
      !this.#alone.has(card.id)
    );
  }
}
