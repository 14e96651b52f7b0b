// Moves the focus to what has just opened. It decides nothing about what opens, and must never take
// the focus a second time.
import { untrack } from 'svelte';

/**
 * An attachment: focuses the node itself, or in a group its picked (else its first) input where it
 * has one, once, as it appears.
 */
export function takeFocus(node: HTMLElement): void {
  const first = node.matches('input, textarea')
    ? node
    : (node.querySelector<HTMLElement>('input:checked') ??
      node.querySelector<HTMLElement>('input') ??
      node);
  // What listens to the focus may read state of the page, which must not run this again.
  untrack(() => first.focus());
}
