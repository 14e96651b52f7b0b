// The hubs in sight as a list that can be read and pressed however fast they come and go: in the
// order in which they were first seen, changed at most once a second, and with nothing moving while
// a person points at it or has the focus in it. Whoever announces false hubs without end gets a few
// rows, and the rest is drawn as far as a person asks for it.
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import type { PeerDto } from '../../../preload/contract/dto.ts';

export interface StableRow {
  readonly peer: PeerDto;
  /** Not in sight any more: it only keeps its place. */
  readonly gone: boolean;
}

/** After a change the next one shows no sooner than this. */
const CHANGE_INTERVAL_MS = 1_000;
/**
 * Rows drawn before anybody asks for more, which is more than a home has hubs; and how many each
 * press adds.
 */
const ROWS_SHOWN_FIRST = 16;
const ROWS_SHOWN_STEP = 48;
/**
 * While nothing may move, a list of this many rows takes no new ones: those that are gone are still
 * among them.
 */
const ROWS_HELD_MAX = 512;

interface StableListDeps {
  /** The hubs in sight. */
  readonly seen: () => readonly PeerDto[];
  /**
   * True of a hub that is known still, though it may stand elsewhere on the page now: it does not
   * keep its place here.
   */
  readonly isKnown: (id: string) => boolean;
}

export class StableList {
  readonly #deps: StableListDeps;
  #rows: readonly StableRow[] = $state.raw([]);
  #shown = $state(ROWS_SHOWN_FIRST);
  #isPointedAt = false;
  #hasFocus = false;
  #next: ReturnType<typeof setTimeout> | undefined;

  /** Belongs to the component that makes it. */
  constructor(deps: StableListDeps) {
    this.#deps = deps;
    untrack(() => this.#apply());
    $effect.pre(() => {
      deps.seen();
      untrack(() => this.#changed());
    });
    $effect(() => () => clearTimeout(this.#next));
  }

  get rows(): readonly StableRow[] {
    return this.#rows.slice(0, this.#shown);
  }

  /** How many are drawn when more are asked for; 0 when all are drawn. */
  get more(): number {
    return Math.min(ROWS_SHOWN_STEP, this.#rows.length - this.rows.length);
  }

  showMore(): void {
    this.#shown += ROWS_SHOWN_STEP;
  }

  /** For the element that holds the rows. */
  readonly hold: Attachment<HTMLElement> = (list) => {
    const point = (isPointedAt: boolean) => (): void => {
      this.#isPointedAt = isPointedAt;
      this.#apply();
    };
    const focus = ({ type, relatedTarget }: FocusEvent): void => {
      this.#hasFocus =
        type === 'focusin' || (relatedTarget instanceof Node && list.contains(relatedTarget));
      this.#apply();
    };
    const listening = new AbortController();
    const { signal } = listening;
    list.addEventListener('pointerenter', point(true), { signal });
    list.addEventListener('pointerleave', point(false), { signal });
    list.addEventListener('focusin', focus, { signal });
    list.addEventListener('focusout', focus, { signal });
    return () => {
      listening.abort();
      this.#isPointedAt = false;
      this.#hasFocus = false;
    };
  };

  #changed(): void {
    if (this.#next !== undefined || !this.#apply()) return;
    this.#next = setTimeout(() => {
      this.#next = undefined;
      this.#changed();
    }, CHANGE_INTERVAL_MS);
  }

  /** @returns false when there was nothing to change */
  #apply(): boolean {
    const isHeld = this.#isPointedAt || this.#hasFocus;
    const keep = isHeld ? Math.min(this.#shown, ROWS_HELD_MAX) : 0;
    const before = this.#rows;
    const after = nextRows(before, this.#deps, keep);
    if (
      after.length === before.length &&
      after.every(({ peer, gone }, at) => peer === before[at]?.peer && gone === before[at].gone)
    )
      return false;
    this.#rows = after;
    return true;
  }
}

/**
 * @param keep so many of the first rows keep their place though their hub is gone; none are added
 * to a list that is as long as may be
 */
function nextRows(
  before: readonly StableRow[],
  { seen, isKnown }: StableListDeps,
  keep: number,
): readonly StableRow[] {
  const left = new Map(seen().map((peer) => [peer.id, peer]));
  const stayed = before.flatMap(({ peer }, at) => {
    const now = left.get(peer.id);
    left.delete(peer.id);
    if (now !== undefined) return [{ peer: now, gone: false }];
    // What a person put here by its address goes by a person's hand, and then at once.
    const cameByItself = peer.how_found !== 'static' && !isKnown(peer.id);
    return at < keep && cameByItself ? [{ peer, gone: true }] : [];
  });
  const room = keep === 0 ? left.size : Math.max(0, ROWS_HELD_MAX - stayed.length);
  return [...stayed, ...[...left.values()].slice(0, room).map((peer) => ({ peer, gone: false }))];
}
