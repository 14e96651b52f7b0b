// The present, for the eyes: moves once a second, counted by the hub's clock so that "8 minutes
// left" is the hub's eight minutes.
const TICK_MS = 1_000;

export class Ticker {
  #now: number = $state(Date.now());
  #offsetMs = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Unix ms by the hub's clock. */
  get now(): number {
    return this.#now;
  }

  /** Unix ms by this page's own clock, as link states count. */
  get pageNow(): number {
    return this.#now - this.#offsetMs;
  }

  /** @param hubNow what the hub's clock said just now, Unix ms */
  follow(hubNow: number): void {
    this.#offsetMs = hubNow - Date.now();
    this.#now = hubNow;
  }

  start(): void {
    this.#timer ??= setInterval(() => (this.#now = Date.now() + this.#offsetMs), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
