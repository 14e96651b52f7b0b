// How many packets of one kind a source may send that belongs to no connection yet: a token bucket for each source, in a bounded table.
import { BUDGET_SOURCES_MAX } from './limits.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

export class SourceBudget {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: { readonly perSecond: number; readonly burst: number }) {
    this.#perSecond = limits.perSecond;
    this.#burst = limits.burst;
  }

  /** Takes one packet from the source's budget; false = drop it. `nowMs` is monotonic. */
  take(source: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(source) ?? { tokens: this.#burst, atMs: nowMs };
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * this.#perSecond;
    bucket.tokens = Math.min(this.#burst, refilled);
    bucket.atMs = nowMs;
    // Set again at the end, so the map's order is the order of last sight.
    this.#buckets.delete(source);
    this.#buckets.set(source, bucket);
    if (this.#buckets.size > BUDGET_SOURCES_MAX) this.#forgetOldest();
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
