// When the app looks for an update, fetches it and offers it. A person installs it, from the tray,
// and not while a request waits: the hub ends for that. Nothing here knows Electron.
import type { Clock, TimerHandle } from '../ports/clock.ts';
import { isNewer } from './update-manifest.ts';

/** Not at once: a start has more to do. */
const FIRST_LOOK_MS = 60_000;
const LOOK_AGAIN_MS = 6 * 60 * 60_000;

/** How updates are had. Every call fails where the feed, a signature or a file is wrong. */
export interface Updater {
  /** The version that the signed manifest offers. */
  look(): Promise<string>;
  /** Fetches what `look` found. */
  fetch(): Promise<void>;
  /**
   * Installs what was fetched, and ends the app for it.
   * @param failed called, once or more, where that does not work; the app goes on then
   */
  install(failed: (error: unknown) => void): void;
}

interface UpdatesDeps {
  readonly clock: Clock;
  readonly updater: Updater;
  readonly running: string;
  /** Called with the version that is here and can be installed; null: none, or something waits. */
  show(version: string | null): void;
  report(error: unknown): void;
}

export class Updates {
  readonly #deps: UpdatesDeps;
  #timer: TimerHandle | undefined;
  #fetched: string | null = null;
  #waiting = 0;
  #shown: string | null = null;

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#lookIn(FIRST_LOOK_MS);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** How many requests wait for a person. */
  waitFor(count: number): void {
    this.#waiting = count;
    this.#show();
  }

  /** What can be installed now. */
  get ready(): string | null {
    return this.#waiting === 0 ? this.#fetched : null;
  }

  #lookIn(delayMs: number): void {
    this.#timer = this.#deps.clock.setTimer(delayMs, () => {
      void this.#look()
        .catch((error: unknown) => this.#deps.report(error))
        .finally(() => this.#lookIn(LOOK_AGAIN_MS));
    });
  }

  async #look(): Promise<void> {
    const { updater, running } = this.#deps;
    const offered = await updater.look();
    if (!isNewer(offered, this.#fetched ?? running)) return;
    await updater.fetch();
    this.#fetched = offered;
    this.#show();
  }

  #show(): void {
    if (this.#shown === this.ready) return;
    this.#shown = this.ready;
    this.#deps.show(this.#shown);
  }
}
