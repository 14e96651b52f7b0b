// A value that must not be printed. Every way of turning it into text gives "[secret]"; `expose` is
// the one door.
const HIDDEN = '[secret]';

export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** Returns the value. Call it where the value is used, never to store or to log it. */
  expose(): T {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}
