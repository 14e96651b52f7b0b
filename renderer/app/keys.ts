// The keys of the whole page: screens by number, J and K through what can be gone through, / for
// the search, ? for the panel. Keys of a card are the card's.
import { tick } from 'svelte';
import { SCREENS } from './Navigation.svelte.ts';
import type { Navigation } from './Navigation.svelte.ts';

/**
 * Letters that do something by themselves, by their name in the words of the keys, unless the owner
 * switched them off.
 */
export const SINGLE_KEYS = [
  ['allow', 'A'],
  ['decline', 'D'],
  ['reason', 'R'],
  ['more', 'M'],
  ['answer', 'W'],
  ['undo', 'U'],
] as const;

/** What J and K go through: cards by their heading, rows and links of a list. */
const STOPS = '[data-card] :is(h2, h3)[tabindex], [data-row]';

export function modifierName(platform: string): string {
  return /^(Mac|iPhone|iPad)/.test(platform) ? '⌘' : 'Ctrl';
}

/** Returns the way to stop listening. */
export function listenToKeys(
  page: Window,
  navigation: Navigation,
  onPanel: () => void,
): () => void {
  const mac = modifierName(page.navigator.platform) === '⌘';
  const onKey = (event: KeyboardEvent) => {
    const back = mac
      ? event.metaKey && event.key === '['
      : event.altKey && event.key === 'ArrowLeft';
    if (back) {
      event.preventDefault();
      page.history.back();
      return;
    }
    const modified = mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (modified && !event.altKey && !event.shiftKey) {
      const screen = /^[1-9]$/.test(event.key) ? SCREENS[Number(event.key) - 1] : undefined;
      if (screen === undefined) return;
      event.preventDefault();
      navigation.go(screen);
      return;
    }
    const inText =
      event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
    if (
      inText ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      page.document.querySelector('dialog[open]') !== null
    )
      return;
    if (event.key === '?') onPanel();
    else if (event.key === '/') void search(page.document, navigation);
    else if (event.key === 'j' || event.key === 'k')
      step(page.document, event.key === 'j' ? 1 : -1);
    else return;
    event.preventDefault();
  };
  page.addEventListener('keydown', onKey);
  return () => page.removeEventListener('keydown', onKey);
}

async function search(document: Document, navigation: Navigation): Promise<void> {
  navigation.go('conversations');
  await tick();
  document.querySelector<HTMLElement>('[data-search]')?.focus();
}

function step(document: Document, by: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>(STOPS)].filter(
    (stop) => stop.getClientRects().length > 0,
  );
  const active = document.activeElement;
  const within = stops.findIndex(
    (stop) => stop === active || (stop.closest('[data-card]') ?? stop).contains(active),
  );
  const next = within === -1 ? (by === 1 ? stops[0] : stops.at(-1)) : stops[within + by];
  next?.focus();
}
