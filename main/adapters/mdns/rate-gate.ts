// How many packets one interface lets in: a token bucket for each source and one for all. It counts; it reads no packet.
import { LINK_PACKETS_BURST, LINK_PACKETS_PER_SECOND, SOURCE_PACKETS_BURST, SOURCE_PACKETS_PER_SECOND, SOURCES_MAX } from './limits.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

export class RateGate {
  readonly #all: Bucket = { tokens: LINK_PACKETS_BURST, atMs: 0 };
  readonly #sources = new Map<string, Bucket>();

  /** True when a packet from `source` may be read now (`nowMs` monotonic). */
  admits(source: string, nowMs: number): boolean {
    const bucket = this.#sources.get(source) ?? { tokens: SOURCE_PACKETS_BURST, atMs: nowMs };
    // Put back at the end: the first key of the map is the source that was quiet longest.
    this.#sources.delete(source);
    this.#sources.set(source, bucket);
    if (this.#sources.size > SOURCES_MAX) {
      const quietest = this.#sources.keys().next();
      if (!quietest.done) this.#sources.delete(quietest.value);
    }
    // The source's own bucket first, so that one that floods takes nothing from the others.
    return (
      take(bucket, nowMs, SOURCE_PACKETS_PER_SECOND, SOURCE_PACKETS_BURST) &&
      take(this.#all, nowMs, LINK_PACKETS_PER_SECOND, LINK_PACKETS_BURST)
    );
  }
}

function take(bucket: Bucket, nowMs: number, perSecond: number, burst: number): boolean {
  bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond);
  bucket.atMs = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
