// Counts what the adapter did and what it threw away. It never decides anything.

export class Counters {
  readonly #values = new Map<string, number>();

  add(name: string, amount = 1): void {
    this.#values.set(name, (this.#values.get(name) ?? 0) + amount);
  }

  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#values);
  }
}
