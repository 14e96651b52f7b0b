// How much one interface lets through: token buckets for packets in, one for each source and one for all, and for answers out. It
// counts; it reads no packet.
import { LINK_PACKETS_BURST, LINK_PACKETS_PER_SECOND, SOURCE_PACKETS_BURST, SOURCE_PACKETS_PER_SECOND, SOURCES_MAX } from './limits.ts';

export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  /** Full at `nowMs` (monotonic). */
  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = nowMs;
  }

  /** Takes one token; false when there is none. */
  take(nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1_000) * this.#perSecond);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

export class RateGate {
  readonly #all: TokenBucket;
  readonly #sources = new Map<string, TokenBucket>();

  constructor(nowMs: number) {
    this.#all = new TokenBucket(LINK_PACKETS_PER_SECOND, LINK_PACKETS_BURST, nowMs);
  }

  /** True when a packet from `source` may be read now. */
  admits(source: string, nowMs: number): boolean {
    const bucket = this.#sources.get(source) ?? new TokenBucket(SOURCE_PACKETS_PER_SECOND, SOURCE_PACKETS_BURST, nowMs);
    // Put back at the end: the first key of the map is the source that was quiet longest.
    this.#sources.delete(source);
    this.#sources.set(source, bucket);
    if (this.#sources.size > SOURCES_MAX) {
      const quietest = this.#sources.keys().next();
      if (!quietest.done) this.#sources.delete(quietest.value);
    }
    // The source's own bucket first, so that one that floods takes nothing from the others.
    return bucket.take(nowMs) && this.#all.take(nowMs);
  }
}
