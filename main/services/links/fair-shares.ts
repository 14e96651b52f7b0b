// The day's bytes of each hub that asks for others, shared out among those others (PROTOCOL.md, Consent, Pace): nobody takes more of them than is
// left free behind it. So there is always some left for whoever asked for little, however many take all they can. Owns nothing but the counting,
// in memory, on the monotonic clock.
import { BUCKETS_MAX } from '../../lib/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import { ASKERS_COUNTED_PER_HUB_MAX } from './limits.ts';

/** Why something does not fit, and for how long at most, in ms: too much of the hub in all, or of this one asker behind it. */
export interface NoShare {
  readonly of: 'hub' | 'asker';
  readonly waitMs: number;
}

interface Used {
  bytes: number;
  atMs: number;
  readonly byAsker: Map<string, number>;
}

const DAY_MS = 86_400_000;

export class FairShares {
  readonly #clock: Clock;
  readonly #bytesPerDay: number;
  readonly #hubs = new Map<string, Used>();

  /** @param bytesPerDay what one hub may use at once; as much comes back in a day */
  constructor(clock: Clock, bytesPerDay: number) {
    this.#clock = clock;
    this.#bytesPerDay = bytesPerDay;
  }

  /** Counts the bytes and returns undefined, or counts nothing and says why. */
  take(hub: string, asker: string, bytes: number): NoShare | undefined {
    const used = this.#now(hub);
    const perMs = this.#bytesPerDay / DAY_MS;
    const leftFree = this.#bytesPerDay - used.bytes - bytes;
    if (leftFree < 0) return { of: 'hub', waitMs: Math.ceil(-leftFree / perMs) };
    const own = (used.byAsker.get(asker) ?? 0) + bytes;
    if (own > leftFree) return { of: 'asker', waitMs: Math.ceil((own - leftFree) / perMs) };
    used.bytes += bytes;
    used.byAsker.set(asker, own);
    if (used.byAsker.size > ASKERS_COUNTED_PER_HUB_MAX) forgetLeast(used.byAsker);
    return undefined;
  }

  /** What comes back comes back to each in proportion to what it used, so that the askers' parts never add up to more than their hub's. */
  #now(hub: string): Used {
    const now = this.#clock.monotonicMs();
    const used = this.#hubs.get(hub) ?? { bytes: 0, atMs: now, byAsker: new Map() };
    const left = Math.max(0, used.bytes - ((now - used.atMs) * this.#bytesPerDay) / DAY_MS);
    if (left === 0) used.byAsker.clear();
    else for (const [asker, bytes] of used.byAsker) used.byAsker.set(asker, (bytes * left) / used.bytes);
    used.bytes = left;
    used.atMs = now;
    this.#hubs.delete(hub);
    this.#hubs.set(hub, used);
    if (this.#hubs.size > BUCKETS_MAX) {
      const oldest = this.#hubs.keys().next();
      if (!oldest.done) this.#hubs.delete(oldest.value);
    }
    return used;
  }
}

/** What it used stays counted for its hub. */
function forgetLeast(byAsker: Map<string, number>): void {
  let least: readonly [string, number] | undefined;
  for (const one of byAsker) if (least === undefined || one[1] < least[1]) least = one;
  if (least !== undefined) byAsker.delete(least[0]);
}
