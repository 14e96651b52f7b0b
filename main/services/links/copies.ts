// Another hub with the key of this one: a copy of its data folder that runs as well, or a thief of
// the key. An announcement only says where to look; a connection that proves the key is what
// counts, whichever of the two dialled it. This hub itself is none, by whatever way it reaches
// itself: its transport refuses such a connection. Looks again for as long as there is a place to
// look at, and takes an alarm back only after it has looked at what raised it, several times.
import { messageOf } from '../../lib/app-error.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Transport } from '../../ports/transport.ts';
import type { IdentityService } from '../base/identity.ts';
import { writeHubAddress, type HubAddress } from './hub-address.ts';
import {
  COPY_DIAL_TIMEOUT_MS,
  COPY_LOOK_AGAIN_MS,
  COPY_LOOKS_IN_VAIN_MAX,
  COPY_PLACES_MET_MAX,
} from './limits.ts';

interface CopiesDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Pick<IdentityService, 'agentId' | 'keyHex'>;
  readonly transport: Pick<Transport, 'dial'>;
  readonly onChange: () => void;
}

interface MetPlace {
  readonly place: HubAddress;
  /** Looks in vain since the key was proven there. */
  readonly inVain: number;
}

export class Copies {
  readonly #deps: CopiesDeps;
  /** Where the key was proven, the latest proof last; by the place as text. */
  readonly #met = new Map<string, MetPlace>();
  #seen: HubAddress | null = null;
  /** Where somebody announces the id of this hub now. Anybody can say that. */
  #announced: readonly HubAddress[] = [];
  #timer: TimerHandle | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #isLooking = false;
  /** More was announced since the last look began. */
  #hasNews = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** From start to stop. */
  #run = new AbortController();

  constructor(deps: CopiesDeps) {
    this.#deps = deps;
  }

  /** Where a copy of this hub runs, as far as is known; null where none was met. */
  get seen(): HubAddress | null {
    return this.#seen;
  }

  start(): void {
    this.#run = new AbortController();
  }

  /** Idempotent. */
  stop(): void {
    this.#run.abort();
    this.#timer?.cancel();
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#isLooking = false;
    this.#hasNews = false;
    this.#met.clear();
    this.#seen = null;
    this.#announced = [];
  }

  /** Every place where another start than this one announces the id of this hub now. */
  heard(places: readonly HubAddress[]): void {
    this.#announced = places;
    if (places.length === 0) return;
    this.#hasNews = true;
    const waitedMs = this.#deps.clock.monotonicMs() - this.#lookedAtMs;
    this.#lookIn(Math.max(0, COPY_DIAL_TIMEOUT_MS - waitedMs));
  }

  /** A connection from this place, or to it, has proven the key of this hub. */
  met(place: HubAddress): void {
    if (this.#run.signal.aborted) return;
    const name = writeHubAddress(place);
    this.#met.delete(name);
    this.#met.set(name, { place, inVain: 0 });
    const [longestSilent] = this.#met.keys();
    if (this.#met.size > COPY_PLACES_MET_MAX && longestSilent !== undefined)
      this.#met.delete(longestSilent);
    this.#show();
    this.#lookIn(COPY_LOOK_AGAIN_MS);
  }

  #metInVain(name: string): void {
    const met = this.#met.get(name);
    if (met === undefined) return;
    const inVain = met.inVain + 1;
    if (inVain < COPY_LOOKS_IN_VAIN_MAX) this.#met.set(name, { ...met, inVain });
    else this.#met.delete(name);
    this.#show();
  }

  /** One alarm, however many places raise it: it stays with its place while that one stands. */
  #show(): void {
    const before = this.#seen === null ? null : writeHubAddress(this.#seen);
    if (before !== null && this.#met.has(before)) return;
    this.#seen = [...this.#met.values()].at(-1)?.place ?? null;
    if (this.#seen !== null)
      this.#deps.log.warn('another hub with the key of this one was met', {
        at: writeHubAddress(this.#seen),
      });
    else if (before === null) return;
    else
      this.#deps.log.info('the other hub with the key of this one is met no more', {
        at: before,
      });
    this.#deps.onChange();
  }

  /** A look that is due earlier stays. */
  #lookIn(delayMs: number): void {
    const { clock } = this.#deps;
    const dueMs = clock.monotonicMs() + delayMs;
    if (this.#run.signal.aborted || this.#isLooking || dueMs >= this.#dueMs) return;
    this.#timer?.cancel();
    this.#dueMs = dueMs;
    this.#timer = clock.setTimer(delayMs, () => void this.#look());
  }

  /** Every place gets its turn, whatever answers at another. */
  async #look(): Promise<void> {
    const run = this.#run;
    this.#isLooking = true;
    this.#hasNews = false;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#lookedAtMs = this.#deps.clock.monotonicMs();
    const all = [...[...this.#met.values()].map(({ place }) => place), ...this.#announced];
    const places = new Map(all.map((place) => [writeHubAddress(place), place]));
    try {
      for (const [name, place] of places) {
        const answers = await this.#answers(place, run.signal);
        if (run.signal.aborted) return;
        if (answers) this.met(place);
        else this.#metInVain(name);
      }
    } finally {
      if (run === this.#run) this.#looked();
    }
  }

  #looked(): void {
    this.#isLooking = false;
    if (this.#met.size > 0 || this.#announced.length > 0)
      this.#lookIn(this.#hasNews ? COPY_DIAL_TIMEOUT_MS : COPY_LOOK_AGAIN_MS);
  }

  async #answers(place: HubAddress, stopped: AbortSignal): Promise<boolean> {
    const { clock, identity, log, transport } = this.#deps;
    const bounded = new AbortController();
    const timer = clock.setTimer(COPY_DIAL_TIMEOUT_MS, () => bounded.abort());
    try {
      const { agentId, keyHex } = identity;
      const signal = AbortSignal.any([bounded.signal, stopped]);
      return (await transport.dial({ agentId, keyHex, ...place }, signal)).ok;
    } catch (error) {
      // A fault at one place must not keep the others from being looked at, nor the next look.
      log.error('a place where a copy of this hub may be could not be dialled', {
        at: writeHubAddress(place),
        error: messageOf(error),
      });
      return false;
    } finally {
      timer.cancel();
    }
  }
}
