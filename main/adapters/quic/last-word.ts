// A dial that is given up before anything was heard: the library would forget it without a word, and the other side might hold its half of
// the handshake for a minute, during which some answer nobody else. So the word waits for the first sign of the other side, and not for long.
import { LAST_WORD_LIMIT_MS } from './limits.ts';

export class LastWord {
  #say: (() => void) | null = null;
  #dueMs = Infinity;
  #hasHeard = false;

  /** When to stop waiting, by the monotonic clock. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Says it at once when the other side was heard before, else with its first sign. */
  say(nowMs: number, say: () => void): void {
    if (this.#hasHeard) return say();
    this.#say = say;
    this.#dueMs = nowMs + LAST_WORD_LIMIT_MS;
  }

  heard(): void {
    this.#hasHeard = true;
    this.#say?.();
    this.#say = null;
    this.#dueMs = Infinity;
  }
}
