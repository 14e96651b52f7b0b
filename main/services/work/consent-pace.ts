// How fast questions of consent go to one adult's hub: below what that hub takes, so that none is refused for coming too soon, and none at all
// for a while where one was refused for that or for want of room. One wait and one timer a hub. Kept in memory alone; never asks anything itself
// (PROTOCOL.md, Consent, Pace).
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_PACE, CONSENT_REFUSED_PAUSE_MS, CONSENT_RETRY } from './limits.ts';

interface Pace {
  /** From when on all that may go at once could go again: each question moves it on by one interval. */
  allFreeAtMs: number;
  pausedUntilMs: number;
  /** How often in a row there was no room. */
  fullTimes: number;
  /** It is paused because there was no room, which ends sooner when some is made. */
  isFull: boolean;
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
    const dueMs = Math.max(pace.pausedUntilMs, pace.allFreeAtMs - BURST_MS);
    return Math.max(0, dueMs - this.#clock.monotonicMs());
  }

  /** A question goes there now. */
  asked(hub: KeyHex): void {
    const pace = this.#of(hub);
    pace.allFreeAtMs = Math.max(pace.allFreeAtMs, this.#clock.monotonicMs()) + INTERVAL_MS;
  }

  /** That hub said that these were too many in a short time. */
  tooFast(hub: KeyHex): void {
    this.#pause(this.#of(hub), CONSENT_REFUSED_PAUSE_MS);
  }

  /** That hub said that it has no room for more. What was on its way together counts as one. */
  full(hub: KeyHex): void {
    const pace = this.#of(hub);
    if (pace.isFull && pace.pausedUntilMs > this.#clock.monotonicMs()) return;
    this.#pause(pace, backoffMs(pace.fullTimes, this.#random.fraction(), CONSENT_RETRY));
    pace.isFull = true;
    pace.fullTimes += 1;
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

  #endFull(pace: Pace): void {
    if (!pace.isFull) return;
    pace.isFull = false;
    const now = this.#clock.monotonicMs();
    pace.pausedUntilMs = now;
    pace.allFreeAtMs = Math.min(pace.allFreeAtMs, now + BURST_MS);
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

  /** After it the questions go one by one, not all that could have gone at once. */
  #pause(pace: Pace, pauseMs: number): void {
    pace.pausedUntilMs = Math.max(pace.pausedUntilMs, this.#clock.monotonicMs() + pauseMs);
    pace.allFreeAtMs = pace.pausedUntilMs + BURST_MS;
    pace.isFull = false;
  }

  #of(hub: KeyHex): Pace {
    const pace = this.#paces.get(hub) ?? { allFreeAtMs: 0, pausedUntilMs: 0, fullTimes: 0, isFull: false, timer: undefined };
    this.#paces.set(hub, pace);
    return pace;
  }
}
