// When a connection gets its next turn: at once or after what has come in, never twice for the same, and never inside another. It knows
// nothing of what a turn does.
export class Turns {
  readonly #work: () => void;
  #scheduled = false;
  #inside = false;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** A turn as soon as whoever asks is done, with all that he does until then. Whoever asks inside a turn has it already. */
  soon(): void {
    if (this.#scheduled || this.#inside) return;
    this.#scheduled = true;
    process.nextTick(this.#run);
  }

  /** A turn once everything that has come by now was taken in: datagrams come in bursts. */
  later(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#run);
  }

  /** Does something that counts as a turn now, and what it takes into account. */
  inside(work: () => void): void {
    this.#inside = true;
    try {
      work();
    } finally {
      this.#inside = false;
    }
  }

  readonly #run = (): void => {
    this.#scheduled = false;
    this.#work();
  };
}
