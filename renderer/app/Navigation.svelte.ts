// Which screen is open, kept in the address after "#/", so that Back, Forward and a reload do what
// people expect. Knows no screen's inside.
export const SCREENS = [
  'now',
  'people',
  'feed',
  'conversations',
  'rules',
  'agents',
  'settings',
] as const;
export type Screen = (typeof SCREENS)[number];

export interface Place {
  readonly screen: Screen;
  /** What follows the screen: an id, "add", "pair" and an id ... */
  readonly rest: readonly string[];
}

export function readPlace(hash: string): Place {
  const [first, ...rest] = hash.replace(/^#\/?/, '').split('/').map(decode);
  const screen = SCREENS.find((name) => name === first) ?? 'now';
  return { screen, rest: rest.filter((part) => part !== '') };
}

export function hrefOf(screen: Screen, ...rest: readonly string[]): string {
  return `#/${[screen, ...rest].map(encodeURIComponent).join('/')}`;
}

export class Navigation {
  #place = $state.raw<Place>(readPlace(''));
  /** An axon:// link that was opened outside the page: it stands in the form for one. */
  #link = $state<string | null>(null);
  readonly #page: Window;
  readonly #onHashChange = () => {
    this.#place = readPlace(this.#page.location.hash);
  };

  constructor(page: Window) {
    this.#page = page;
    this.#place = readPlace(page.location.hash);
  }

  get place(): Place {
    return this.#place;
  }
  get screen(): Screen {
    return this.#place.screen;
  }

  get link(): string | null {
    return this.#link;
  }

  start(): void {
    this.#page.addEventListener('hashchange', this.#onHashChange);
  }

  stop(): void {
    this.#page.removeEventListener('hashchange', this.#onHashChange);
  }

  go(screen: Screen, ...rest: readonly string[]): void {
    this.#page.location.hash = hrefOf(screen, ...rest);
    this.#onHashChange();
  }

  /** Goes where somebody asked for outside the page. @param link null: none was opened */
  show(place: string, link: string | null): void {
    this.#page.location.hash = place;
    this.#link = link;
    this.#onHashChange();
  }

  /** What was opened has been looked at. */
  forgetLink(): void {
    this.#link = null;
  }

  /** Like go, but Back does not lead here. */
  replace(screen: Screen, ...rest: readonly string[]): void {
    this.#page.history.replaceState(null, '', hrefOf(screen, ...rest));
    this.#onHashChange();
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
