// How many Initials a source may send that belong to no connection yet: a token bucket for each source, in a bounded table.
import { INITIALS_BURST, INITIALS_PER_SECOND, INITIAL_SOURCES_MAX } from './limits.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

export class InitialBudget {
  readonly #buckets = new Map<string, Bucket>();

  /** Takes one Initial from the source's budget; false = drop it. `nowMs` is monotonic. */
  take(source: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(source) ?? { tokens: INITIALS_BURST, atMs: nowMs };
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * INITIALS_PER_SECOND;
    bucket.tokens = Math.min(INITIALS_BURST, refilled);
    bucket.atMs = nowMs;
    // Set again at the end, so the map's order is the order of last sight.
    this.#buckets.delete(source);
    this.#buckets.set(source, bucket);
    if (this.#buckets.size > INITIAL_SOURCES_MAX) this.#forgetOldest();
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #forgetOldest(): void {
    for (const source of this.#buckets.keys()) {
      this.#buckets.delete(source);
      return;
    }
  }
}
