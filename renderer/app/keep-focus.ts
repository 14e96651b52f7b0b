// Keeps the focus on the page: when what had it leaves, it goes back to what had opened that, else
// to what now stands in its place, or to the heading above. It must never put it on a button that
// does anything but open: the second press of the same hand was meant for what has left.

const ROWS = 'li, article, .strip';
const HEADINGS = 'h1, h2, h3';
const OPENER = '[aria-expanded="false"]';
/** How many steps back to an opener are remembered. */
const STEPS_MAX = 32;

/**
 * Somebody was here, and this stood around it: the nearest first, each with the rows after and
 * before it.
 */
interface Place {
  readonly node: Element;
  readonly around: readonly { readonly parent: Element; readonly rows: readonly Element[] }[];
}

/**
 * An attachment, for what holds the screens. Whoever moves the focus by itself within a frame goes
 * first.
 */
export function keepFocus(root: HTMLElement): () => void {
  let place: Place | null = null;
  /** Where the focus was, the newest last. */
  let steps: readonly Element[] = [];
  let frame: number | null = null;

  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    place = target === root ? null : placeOf(target, root);
    steps = [...steps, target].slice(-STEPS_MAX);
  };
  const leave = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null) return;
    // Put down by the person, and not taken away from under them.
    requestAnimationFrame(() => {
      if (
        target === place?.node &&
        place?.node.isConnected === true &&
        document.activeElement !== target
      )
        place = null;
    });
  };
  const restore = () => {
    frame = null;
    if (place === null || place.node.isConnected || !isLost()) return;
    const before = steps.findLast((step) => step.isConnected);
    const target =
      before instanceof HTMLElement && before.matches(OPENER) ? before : standIn(place, root);
    place = null;
    if (target !== null) focusOn(target);
  };
  const observer = new MutationObserver(() => {
    if (place !== null && !place.node.isConnected) frame ??= requestAnimationFrame(restore);
  });

  root.addEventListener('focusin', remember);
  root.addEventListener('focusout', leave);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    root.removeEventListener('focusin', remember);
    root.removeEventListener('focusout', leave);
    if (frame !== null) cancelAnimationFrame(frame);
  };
}

const isLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

function placeOf(node: Element, root: Element): Place {
  const around: { parent: Element; rows: readonly Element[] }[] = [];
  for (let at = node; at !== root && at.parentElement !== null; at = at.parentElement) {
    const parent = at.parentElement;
    const siblings = at.matches(ROWS) ? [...parent.children] : [];
    const index = siblings.indexOf(at);
    const rows = [
      ...siblings.slice(index + 1),
      ...siblings.slice(0, Math.max(0, index)).toReversed(),
    ];
    around.push({ parent, rows: rows.filter((row) => row.matches(ROWS)) });
  }
  return { node, around };
}

function standIn({ around }: Place, root: Element): HTMLElement | null {
  const left = around.find(({ parent }) => parent.isConnected);
  if (left === undefined) return headingIn(root);
  const row = left.rows.find((other) => other.isConnected);
  if (row instanceof HTMLElement) return headingIn(row) ?? row;
  for (
    let at: Element | null = left.parent;
    at !== null && root.contains(at);
    at = at.parentElement
  ) {
    const heading = headingIn(at);
    if (heading !== null) return heading;
  }
  return null;
}

function headingIn(node: Element): HTMLElement | null {
  return node.querySelector<HTMLElement>(HEADINGS);
}

function focusOn(target: HTMLElement): void {
  if (!target.hasAttribute('tabindex')) {
    target.tabIndex = -1;
    target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true });
  }
  target.focus({ preventScroll: true });
}
