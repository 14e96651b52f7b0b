// Sees when cards move: a strip appears above, a card grows, one leaves. A press right after a move may have been meant for what stood
// there before, so whoever moved is reported. Scrolling by the person is not a move.

/** Sub-pixel layout is not a move. */
const MOVE_MIN_PX = 1;

export class PlaceWatch {
  readonly #places = new Map<HTMLElement, number>();
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
    const page = list.closest('.page');
    if (page !== null) sizes.observe(page);
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
      const place = card.getBoundingClientRect().top - origin;
      const before = this.#places.get(card);
      this.#places.set(card, place);
      if (before !== undefined && Math.abs(before - place) > MOVE_MIN_PX) this.#onMoved(card.dataset['card'] ?? '');
    }
    for (const card of this.#places.keys()) if (!seen.has(card)) this.#places.delete(card);
  }
}
