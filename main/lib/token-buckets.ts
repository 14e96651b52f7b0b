// Rates as token buckets, keyed by text, on the monotonic clock. Owns nothing but the counting: who
// is limited and what is said to them is the caller's business.

/**
 * Buckets kept; beyond it the least recently used is dropped (it starts full again, so the number
 * is far above the peers that can connect).
 */
const BUCKETS_MAX = 4_096;

interface Rate {
  /** How many may come at once. */
  readonly burst: number;
  /** How many come back in a minute. */
  readonly perMinute: number;
}

/** What of a clock it needs. */
interface MonotonicClock {
  readonly monotonicMs: () => number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const MINUTE_MS = 60_000;

export class TokenBuckets {
  readonly #clock: MonotonicClock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /**
   * Takes `cost` tokens and returns 0, or takes none and returns how many ms to wait until they are
   * there.
   */
  take(key: string, rate: Rate, cost = 1): number {
    const now = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(key) ?? { tokens: rate.burst, atMs: now };
    bucket.tokens = Math.min(
      rate.burst,
      bucket.tokens + ((now - bucket.atMs) * rate.perMinute) / MINUTE_MS,
    );
    bucket.atMs = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > BUCKETS_MAX) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    if (bucket.tokens >= cost) {
      bucket.tokens -= cost;
      return 0;
    }
    return Math.max(1, Math.ceil(((cost - bucket.tokens) * MINUTE_MS) / rate.perMinute));
  }

  forget(key: string): void {
    this.#buckets.delete(key);
  }
}
