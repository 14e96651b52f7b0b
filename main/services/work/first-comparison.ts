// Holds up what agents of this hub ask each other between the opening of the local door and the comparison of the record, for which the vault is
// asked: rules act only after it, and what a rule decides should not lie before a person because it came a moment too early. Only for a short
// while after a start; beyond that, as where the vault is locked, a person is asked. Never decides anything, and never looks back at a request.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { COMPARISON_WAIT_MAX_MS } from './limits.ts';

interface Deps {
  readonly clock: Clock;
  readonly handsOutOld?: () => boolean;
  readonly isPutBack?: () => boolean;
}

export class FirstComparison {
  readonly #deps: Deps;
  #timer: TimerHandle | undefined;
  #end: () => void = () => undefined;
  #over: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The door opens soon. Idempotent. */
  start(): void {
    if (this.#over !== undefined) return;
    this.#over = new Promise((resolve) => (this.#end = resolve));
    this.#timer = this.#deps.clock.setTimer(COMPARISON_WAIT_MAX_MS, () => this.ended());
  }

  /** It was made, there is no more time for it, or the hub stops: whoever waits goes on. */
  ended(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#end();
  }

  /** True while it is worth waiting for. */
  get isAwaited(): boolean {
    const { handsOutOld, isPutBack } = this.#deps;
    return this.#timer !== undefined && handsOutOld?.() === false && isPutBack?.() !== true;
  }

  /** Resolves when it was made, or is not waited for any longer. */
  async over(): Promise<void> {
    if (this.isAwaited) await this.#over;
  }
}
