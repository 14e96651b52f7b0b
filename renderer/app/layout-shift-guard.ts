// Sees when cards or rows, or the buttons on them, move: a strip appears above, a card grows, one
// leaves. A press right after a move may have been meant for what stood there before, so whoever
// moved is reported. Scrolling by the person is not a move.

/** Sub-pixel layout is not a move. */
const MOVE_MIN_PX = 1;

interface Watched {
  /** Finds the cards or rows. */
  readonly each: string;
  /** Finds what is pressed on one: that may move while the rest of it stays. */
  readonly pressed: string;
  readonly onMoved: (moved: HTMLElement) => void;
}

export class LayoutShiftGuard {
  readonly #places = new Map<HTMLElement, readonly number[]>();
  readonly #watched: Watched;
  #list: HTMLElement | null = null;
  #scroller: HTMLElement | null = null;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Watches them inside `list`. Returns the way to stop. */
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

  /** Measures now and reports all that stands elsewhere than when last measured. */
  check(): void {
    if (this.#list === null) return;
    const { each, pressed, onMoved } = this.#watched;
    const origin =
      (this.#scroller?.getBoundingClientRect().top ?? 0) - (this.#scroller?.scrollTop ?? 0);
    const seen = new Set<HTMLElement>();
    for (const card of this.#list.querySelectorAll<HTMLElement>(each)) {
      seen.add(card);
      const places = [card, ...card.querySelectorAll(pressed)].map(
        (part) => part.getBoundingClientRect().top - origin,
      );
      const before = this.#places.get(card);
      this.#places.set(card, places);
      if (
        before?.some((place, index) => Math.abs(place - (places[index] ?? place)) > MOVE_MIN_PX) ===
        true
      ) {
        onMoved(card);
      }
    }
    for (const card of this.#places.keys()) if (!seen.has(card)) this.#places.delete(card);
  }
}
