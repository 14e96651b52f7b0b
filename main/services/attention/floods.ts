// Counts each hub's failed requests: declined, or refused because too many wait. Kept in memory
// only, so that a flood does not fill the disk. Decides only whether a hub may still notify, and
// whether muting it is offered.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { isLocal } from '../tasks/parties.ts';
import { FLOOD_NOTICE_INTERVAL_MS, FLOOD_WINDOW_MS, REFUSALS_BEFORE_MUTE_OFFER } from './limits.ts';

interface Flood {
  readonly party: PartyKey;
  /** Wall clock of the first refusal counted. */
  readonly since: number;
  readonly refused: number;
  /** It may not notify, and muting it is offered. */
  readonly silent: boolean;
}

type InVain = 'too_many' | 'declined';

interface Counted {
  readonly since: number;
  refused: number;
  /**
   * Monotonic times of the newest refusals, oldest first; never more than it takes to offer a mute.
   */
  newest: readonly number[];
}

export class Floods {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** One entry for each hub that is paired at most. */
  readonly #counted = new Map<PartyKey, Counted>();
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #telling: TimerHandle | undefined;
  #fading: TimerHandle | undefined;
  #stopped = false;

  /** @param onChange called after a change, at most once a second */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** One more request in vain; agents of this hub are not counted. */
  add(party: PartyKey, why: InVain): void {
    if (this.#stopped || isLocal(party)) return;
    this.#forgetOld();
    const nowMs = this.#clock.monotonicMs();
    const counted = this.#counted.get(party) ?? {
      since: this.#clock.wallMs(),
      refused: 0,
      newest: [],
    };
    if (why === 'too_many') counted.refused += 1;
    counted.newest = withNewest(counted.newest, nowMs);
    this.#counted.set(party, counted);
    this.#tell();
    this.#armFading();
  }

  /** True while this hub asks again and again in vain: it may not notify. */
  isFlooding(party: PartyKey): boolean {
    const counted = this.#counted.get(party);
    return counted !== undefined && this.#isOften(counted.newest);
  }

  list(): readonly Flood[] {
    return [...this.#counted]
      .map(([party, { since, refused, newest }]) => ({
        party,
        since,
        refused,
        silent: this.#isOften(newest),
      }))
      .filter(({ refused, silent }) => refused > 0 || silent);
  }

  /** The owner has answered it: the count begins anew. */
  forget(party: PartyKey): void {
    if (this.#counted.delete(party)) this.#tell();
  }

  /** Counts nothing more. Idempotent. */
  stop(): void {
    this.#stopped = true;
    this.#telling?.cancel();
    this.#fading?.cancel();
    this.#telling = undefined;
    this.#fading = undefined;
    this.#counted.clear();
  }

  #isOften(times: readonly number[]): boolean {
    const first = times[0];
    return (
      first !== undefined &&
      times.length >= REFUSALS_BEFORE_MUTE_OFFER &&
      this.#clock.monotonicMs() - first < FLOOD_WINDOW_MS
    );
  }

  #tell(): void {
    if (this.#telling !== undefined) return;
    const waitMs = this.#reportedAtMs + FLOOD_NOTICE_INTERVAL_MS - this.#clock.monotonicMs();
    const tell = (): void => {
      this.#telling = undefined;
      this.#reportedAtMs = this.#clock.monotonicMs();
      this.#onChange();
    };
    if (waitMs <= 0) tell();
    else this.#telling = this.#clock.setTimer(waitMs, tell);
  }

  /** Wakes when the oldest refusal that counts is too old to. */
  #armFading(): void {
    if (this.#fading !== undefined || this.#counted.size === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const ends = [...this.#counted.values()]
      .flatMap(({ newest }) => [newest[0], newest.at(-1)])
      .filter((time) => time !== undefined);
    const nextMs = Math.min(
      ...ends.map((time) => time + FLOOD_WINDOW_MS).filter((time) => time > nowMs),
    );
    this.#fading = this.#clock.setTimer(Math.max(0, nextMs - nowMs), () => {
      this.#fading = undefined;
      this.#forgetOld();
      this.#tell();
      this.#armFading();
    });
  }

  #forgetOld(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [party, { newest }] of this.#counted) {
      if (nowMs - (newest.at(-1) ?? 0) >= FLOOD_WINDOW_MS) this.#counted.delete(party);
    }
  }
}

function withNewest(times: readonly number[], nowMs: number): readonly number[] {
  return [...times, nowMs].slice(-REFUSALS_BEFORE_MUTE_OFFER);
}
