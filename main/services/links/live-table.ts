// What is true of each key just now. Holds nothing for a key of which there is nothing to say; the directory decides who is worth keeping.
import type { KeyHex } from '../../ports/transport.ts';
import { type LiveFacts, NO_LIVE_FACTS } from './peer-view.ts';

export class LiveTable {
  readonly #facts = new Map<KeyHex, LiveFacts>();

  get(key: KeyHex): LiveFacts {
    return this.#facts.get(key) ?? NO_LIVE_FACTS;
  }

  keys(): Iterable<KeyHex> {
    return this.#facts.keys();
  }

  /** True when something changed. */
  set(key: KeyHex, change: Partial<LiveFacts>): boolean {
    const before = this.get(key);
    const after = { ...before, ...change };
    if (JSON.stringify(before) === JSON.stringify(after)) return false;
    if (JSON.stringify(after) === JSON.stringify(NO_LIVE_FACTS)) this.#facts.delete(key);
    else this.#facts.set(key, after);
    return true;
  }

  forget(key: KeyHex): void {
    this.#facts.delete(key);
  }
}
