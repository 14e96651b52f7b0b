// What is opened is registered here on the next line, and closed in reverse order, once. A failing close never hides the others.

type Dispose = () => void | Promise<void>;

export class Disposables {
  readonly #stack: Dispose[] = [];

  add(dispose: Dispose): void {
    this.#stack.push(dispose);
  }

  /** Runs every registered close in reverse order. Idempotent. Returns what was thrown on the way. */
  async disposeAll(): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for (let dispose = this.#stack.pop(); dispose; dispose = this.#stack.pop()) {
      try {
        await dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }
}
