/** Runs one thing at a time, in the order of the calls. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** A failure is its caller's: what comes next runs all the same. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves once all that was queued so far is over. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
