// How fast questions of consent go to one adult's hub: below what that hub takes, so that none is refused for coming too soon, and none at all
// for a while where one was refused for that or for want of room. One timer a hub. Kept in memory alone; never asks anything itself
// (PROTOCOL.md, Consent, Pace).
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_PACE, CONSENT_REFUSED_PAUSE_MS, CONSENT_RETRY } from './limits.ts';

interface Pace {
  /** From when on all that may go at once could go again: each question moves it on by one interval. */
  allFreeAtMs: number;
  /** Until then it is left alone because these were too many in a short time. */
  tooFastUntilMs: number;
  /** Until then it is left alone because there was no room, or until some is made. */
  fullUntilMs: number;
  /** How often in a row there was no room. */
  fullTimes: number;
  timer: TimerHandle | undefined;
}

const INTERVAL_MS = 60_000 / CONSENT_PACE.perMinute;
const BURST_MS = (CONSENT_PACE.burst - 1) * INTERVAL_MS;

export class ConsentPace {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onDue: () => void;
  readonly #paces = new Map<KeyHex, Pace>();

  constructor(deps: { readonly clock: Clock; readonly random: Random }, onDue: () => void) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#onDue = onDue;
  }

  /** How long until the next question may go to that hub, ms; 0: now. */
  waitMs(hub: KeyHex): number {
    const pace = this.#paces.get(hub);
    if (pace === undefined) return 0;
    const dueMs = Math.max(pace.tooFastUntilMs, pace.fullUntilMs, pace.allFreeAtMs - BURST_MS);
    return Math.max(0, dueMs - this.#clock.monotonicMs());
  }

  /** A question goes there now. */
  asked(hub: KeyHex): void {
    const pace = this.#of(hub);
    pace.allFreeAtMs = Math.max(pace.allFreeAtMs, this.#clock.monotonicMs()) + INTERVAL_MS;
  }

  /** That hub said that these were too many in a short time. */
  tooFast(hub: KeyHex): void {
    const pace = this.#of(hub);
    pace.tooFastUntilMs = this.#clock.monotonicMs() + CONSENT_REFUSED_PAUSE_MS;
    this.#oneByOne(pace);
  }

  /** That hub said that it has no room for more. What was on its way together counts as one. */
  full(hub: KeyHex): void {
    const pace = this.#of(hub);
    const now = this.#clock.monotonicMs();
    if (pace.fullUntilMs > now) return;
    pace.fullUntilMs = now + backoffMs(pace.fullTimes, this.#random.fraction(), CONSENT_RETRY);
    pace.fullTimes += 1;
    this.#oneByOne(pace);
  }

  /** It took a question, or has ended one: where it had no room, there may be some now. */
  hasRoom(hub: KeyHex): void {
    const pace = this.#paces.get(hub);
    if (pace === undefined || pace.fullTimes === 0) return;
    pace.fullTimes = 0;
    this.#endFull(pace);
  }

  /** It came back: whether there is room by now is to be seen, so how often there was none stays counted. */
  cameBack(hub: KeyHex): void {
    const pace = this.#paces.get(hub);
    if (pace !== undefined) this.#endFull(pace);
  }

  /** One that was too fast is waited out all the same. */
  #endFull(pace: Pace): void {
    const now = this.#clock.monotonicMs();
    if (pace.fullUntilMs <= now) return;
    pace.fullUntilMs = now;
    pace.allFreeAtMs = Math.max(now, pace.tooFastUntilMs) + BURST_MS;
  }

  /** Something waits for that hub: says so when the next may go. */
  wake(hub: KeyHex): void {
    const pace = this.#of(hub);
    pace.timer?.cancel();
    pace.timer = this.#clock.setTimer(this.waitMs(hub), () => {
      pace.timer = undefined;
      this.#onDue();
    });
  }

  stop(): void {
    for (const { timer } of this.#paces.values()) timer?.cancel();
    this.#paces.clear();
  }

  /** After a pause the questions go one by one, not all that could have gone at once. */
  #oneByOne(pace: Pace): void {
    pace.allFreeAtMs = Math.max(pace.tooFastUntilMs, pace.fullUntilMs) + BURST_MS;
  }

  #of(hub: KeyHex): Pace {
    const pace = this.#paces.get(hub) ?? { allFreeAtMs: 0, tooFastUntilMs: 0, fullUntilMs: 0, fullTimes: 0, timer: undefined };
    this.#paces.set(hub, pace);
    return pace;
  }
}
