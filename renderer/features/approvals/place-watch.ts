// Sees when cards or the buttons on them move: a strip appears above, a card grows, one leaves. A press right after a move may have been
// meant for what stood there before, so whoever moved is reported. Scrolling by the person is not a move.

/** Sub-pixel layout is not a move. */
const MOVE_MIN_PX = 1;

/** What decides stands in these; drawers that a person opens below them have buttons of their own. */
const DECIDING = '.do, .options';

export class PlaceWatch {
  readonly #places = new Map<HTMLElement, readonly number[]>();
  readonly #onMoved: (cardId: string) => void;
  #list: HTMLElement | null = null;
  #scroller: HTMLElement | null = null;

  constructor(onMoved: (cardId: string) => void) {
    this.#onMoved = onMoved;
  }

  /** Watches the elements with data-card inside `list`. Returns the way to stop. */
  observe(list: HTMLElement): () => void {
    this.#list = list;
    this.#scroller = list.closest('main');
    const sizes = new ResizeObserver(() => this.check());
    sizes.observe(list);
    // What stands above the list may grow while the list itself stays as it is.
    for (const part of this.#scroller?.children ?? []) sizes.observe(part);
    this.check();
    return () => {
      sizes.disconnect();
      this.#places.clear();
      this.#list = null;
    };
  }

  /** Measures now and reports every card that stands elsewhere than when last measured. */
  check(): void {
    if (this.#list === null) return;
    const origin = (this.#scroller?.getBoundingClientRect().top ?? 0) - (this.#scroller?.scrollTop ?? 0);
    const seen = new Set<HTMLElement>();
    for (const card of this.#list.querySelectorAll<HTMLElement>('[data-card]')) {
      seen.add(card);
      const places = [card, ...card.querySelectorAll(DECIDING)].map((part) => part.getBoundingClientRect().top - origin);
      const before = this.#places.get(card);
      this.#places.set(card, places);
      if (before?.some((place, index) => Math.abs(place - (places[index] ?? place)) > MOVE_MIN_PX) === true) {
        this.#onMoved(card.dataset['card'] ?? '');
      }
    }
    for (const card of this.#places.keys()) if (!seen.has(card)) this.#places.delete(card);
  }
}
