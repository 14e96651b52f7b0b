// What a live region says: a sentence stands there long enough to be spoken and is removed, so
// that nobody who reads the page later comes upon old news. The same sentence said again is heard
// again. Shows nothing to the eye.
import { tick } from 'svelte';

/** Long enough for every screen reader to have taken it up. */
export const SPOKEN_STAYS_MS = 5_000;

export class Spoken {
  #text = $state('');
  #next: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** What the live region holds now. */
  get text(): string {
    return this.#text;
  }

  /** Says the sentence; those of one moment are said together. */
  say(sentence: string): void {
    const isFirst = this.#next.length === 0;
    if (isFirst) this.stop();
    this.#next = [...this.#next, sentence];
    // A region that does not change is silent: it is empty for a moment first.
    if (isFirst) void tick().then(() => this.#speak());
  }

  /** Removes what stands there. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#next = [];
    this.#text = '';
  }

  #speak(): void {
    if (this.#next.length === 0) return;
    this.#text = this.#next.join(' ');
    this.#next = [];
    this.#timer = setTimeout(() => (this.#text = ''), SPOKEN_STAYS_MS);
  }
}
