// Keeps the search index up with the messages: looks half a second after a commit, whoever stored
// something, and works in small commits that nobody waits for. A hub at rest looks at nothing. What
// a crash takes is taken in again.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { INDEX_LOOK_MS, INDEX_MESSAGES, INDEX_PAUSE_MS } from './limits.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
}

export class SearchIndex {
  readonly #deps: Deps;
  #timer: TimerHandle | undefined;
  #isRunning = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.store.onCommit(() => {
      if (this.#timer === undefined) this.#lookIn(INDEX_LOOK_MS);
    });
  }

  /** Idempotent. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#lookIn(INDEX_LOOK_MS);
  }

  /** Idempotent. */
  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #lookIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isRunning) this.#timer = this.#deps.clock.setTimer(delayMs, () => this.#look());
  }

  #look(): void {
    const { store } = this.#deps;
    this.#timer = undefined;
    if (!store.read.isSearchBehind()) return;
    // Also where the queue of records has no room for it.
    this.#lookIn(INDEX_LOOK_MS);
    store.writeBehind(
      (tables) => tables.tendSearch(INDEX_MESSAGES),
      (isMore) => {
        if (isMore) this.#lookIn(INDEX_PAUSE_MS);
      },
    );
  }
}
