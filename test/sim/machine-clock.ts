// The clocks of one simulated computer. Its quartz runs a little fast or slow, its wall clock may
// jump, and both go on while the hub is down; the monotonic clock and the timers belong to one run
// of the hub and end with it.
import type { Clock, TimerHandle } from '../../main/ports/clock.ts';
import type { World } from './world.ts';

const WALL_START_MS = 1_800_000_000_000;
/** Real timers fire up to so much before their time by the finer clock. */
const EARLY_MAX_MS = 1;

/** What stays of a computer's clock while its hub is down. */
export interface Quartz {
  /** Its seconds in one true second. */
  readonly rate: number;
  wallOffsetMs: number;
}

export class MachineClock implements Clock {
  readonly #world: World;
  readonly #quartz: Quartz;
  readonly #startedAtMs: number;
  readonly #firstMs: number;
  readonly #live = new Set<() => void>();
  #isDead = false;

  constructor(world: World, quartz: Quartz) {
    this.#world = world;
    this.#quartz = quartz;
    this.#startedAtMs = world.nowMs;
    this.#firstMs = world.chance.between(0, 1_000_000);
  }

  /** Timers that have not run and were not cancelled. */
  get timers(): number {
    return this.#live.size;
  }

  wallMs(): number {
    return Math.floor(
      WALL_START_MS + this.#world.nowMs * this.#quartz.rate + this.#quartz.wallOffsetMs,
    );
  }

  monotonicMs(): number {
    return this.#firstMs + (this.#world.nowMs - this.#startedAtMs) * this.#quartz.rate;
  }

  setTimer(delayMs: number, run: () => void): TimerHandle {
    if (this.#isDead) return { cancel: () => undefined };
    if (Number.isNaN(delayMs)) this.#world.found('a timer was set to no number');
    const earlyMs = this.#world.chance.between(0, EARLY_MAX_MS);
    const revoke = this.#world.after(
      Math.max(0, Math.max(1, delayMs) - earlyMs) / this.#quartz.rate,
      () => {
        this.#live.delete(cancel);
        run();
      },
    );
    const cancel = (): void => {
      this.#live.delete(cancel);
      revoke();
    };
    this.#live.add(cancel);
    return { cancel };
  }

  /** The run of the hub is over: nothing of it ever happens again. */
  kill(): void {
    this.#isDead = true;
    for (const cancel of this.#live) cancel();
  }
}
