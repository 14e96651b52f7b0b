// Input safety of one card or row: its buttons are inert for a moment after it appears, moves or
// changes, or the window gains focus. So a press that was meant for something else decides nothing.
import { untrack } from 'svelte';

/** Long enough to see that something new stands under the pointer. */
const ACTIVATION_DELAY_MS = 700;

export class ActivationDelay {
  #inert = $state(false);
  /** Grows with every start, so that the filling of the buttons starts anew. */
  #round = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param start open: nothing else stood where it appears */
  constructor(start: 'inert' | 'open' = 'inert') {
    if (start === 'inert') this.again();
  }

  get inert(): boolean {
    return this.#inert;
  }
  get round(): number {
    return this.#round;
  }

  /** Starts the delay from its beginning. */
  again(): void {
    clearTimeout(this.#timer);
    this.#inert = true;
    this.#round++;
    this.#timer = setTimeout(() => (this.#inert = false), ACTIVATION_DELAY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#inert = true;
  }
}

/**
 * For a component while it is set up: delayed anew at every change of `what`, so that the second
 * half of a double click does nothing where a button has come to stand in the place of another.
 * Stops with the component. A change within an object is none.
 */
export function delayedBy(what: () => unknown, start: 'inert' | 'open' = 'open'): ActivationDelay {
  const delay = new ActivationDelay(start);
  let before = untrack(what);
  $effect(() => {
    const now = what();
    if (now !== before) untrack(() => delay.again());
    before = now;
  });
  $effect(() => () => delay.stop());
  return delay;
}
