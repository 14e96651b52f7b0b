// Where the keyboard's focus is among the cards, and moving it. It never takes the focus from where
// somebody still is: that is for the inbox to ask for, which knows what happened.
import { tick } from 'svelte';
import type { CardModel } from './CardModel.svelte.ts';

export class CardFocus {
  /** The heading of a card, or of the page when there is no card. The view knows. */
  headingOf: (card: CardModel | undefined) => HTMLElement | null = () => null;

  /** In what is shown of this request, and not merely somewhere in its group. */
  isOn(card: CardModel): boolean {
    return this.headingOf(card)?.closest('[data-card]')?.contains(document.activeElement) === true;
  }

  /** In the card, or in the group in which it stands. */
  isInGroupOf(card: CardModel): boolean {
    return this.headingOf(card)?.closest('article')?.contains(document.activeElement) === true;
  }

  /**
   * The one of `companions` on which somebody is while `card` leaves their group, which may fall
   * apart around them. On the group's own buttons they are at the first. undefined: on `card`
   * itself, or elsewhere.
   */
  beside(card: CardModel, companions: readonly CardModel[]): CardModel | undefined {
    if (companions.length === 0 || this.isOn(card)) return undefined;
    return (
      companions.find((other) => this.isOn(other)) ??
      (this.isInGroupOf(card) ? companions[0] : undefined)
    );
  }

  /** Moves it once what has changed is drawn. */
  async moveTo(card: CardModel | undefined): Promise<void> {
    await tick();
    this.headingOf(card)?.focus();
  }

  /** The same, only where what had the focus is there no more. */
  async restoreTo(card: CardModel): Promise<void> {
    await tick();
    if (document.activeElement === null || document.activeElement === document.body)
      this.headingOf(card)?.focus();
  }
}
