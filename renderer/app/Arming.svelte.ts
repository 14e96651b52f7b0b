// Input safety of one card: its buttons are inert for a moment after it appears, moves or changes, or the window gains focus. So a press
// that was meant for something else decides nothing.

/** Long enough to see that something new stands under the pointer. */
export const ARM_DELAY_MS = 700;

export class Arming {
  #inert = $state(true);
  /** Grows with every start, so that the filling of the buttons starts anew. */
  #round = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.again();
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
    this.#timer = setTimeout(() => (this.#inert = false), ARM_DELAY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#inert = true;
  }
}
