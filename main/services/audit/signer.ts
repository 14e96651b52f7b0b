// When the audit log is signed and its counter raised in the key vault: soon after a person acts,
// otherwise at intervals. Knows nothing of what a signature covers; its owner decides whether one
// may be made now.
import { messageOf } from '../../lib/app-error.ts';
import { isOneOf, PEOPLE_SURFACES } from '../../../preload/contract/closed-lists.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CounterMark } from '../../ports/rollback-counter.ts';
import type { IdentityService } from '../base/identity.ts';
import { SIGN_INTERVAL_MS, SIGN_ROWS_MAX, SIGN_SOON_MS } from './limits.ts';
import type { VaultCount } from './vault-count.ts';

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Pick<IdentityService, 'counter'>;
  readonly count: VaultCount;
  /** Signs what was added since the last signature. Never rejects. */
  readonly sign: () => Promise<void>;
  /** What the vault is to keep; undefined: nothing now. */
  readonly mark: () => CounterMark | undefined;
}

export class Signer {
  readonly #deps: Deps;
  #appended = 0;
  #timer: TimerHandle | undefined;
  #soonTimer: TimerHandle | undefined;
  #countTimer: TimerHandle | undefined;
  #raising: Promise<void> | undefined;
  #running = false;
  /** Ends what waits for the vault when the hub stops. */
  #stopping = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = true;
    this.#stopping = new AbortController();
    this.#arm();
  }

  /** Ends the timers and what waits for the vault. */
  async stop(): Promise<void> {
    this.#running = false;
    for (const timer of [this.#timer, this.#soonTimer, this.#countTimer]) timer?.cancel();
    this.#soonTimer = undefined;
    this.#countTimer = undefined;
    this.#stopping.abort();
    await this.#raising;
  }

  /** A row was added: one of what a person did is signed soon, many in a short time at once. */
  appended(surface: string): void {
    this.#appended += 1;
    if (isOneOf(PEOPLE_SURFACES, surface)) this.soon();
    if (this.#appended < SIGN_ROWS_MAX) return;
    this.#appended = 0;
    if (this.#running) void this.#sign();
  }

  soon(): void {
    if (!this.#running) return;
    this.#soonTimer ??= this.#deps.clock.setTimer(SIGN_SOON_MS, () => {
      this.#soonTimer = undefined;
      void this.#sign();
    });
  }

  /** A person unlocked the vault: what waited out a pause after a refusal is counted now. */
  askAgain(): void {
    this.#countTimer?.cancel();
    this.#countTimer = undefined;
    this.#countSoon();
  }

  /**
   * Brings the vault's counter up to the newest signature. One that is behind shows less and breaks
   * nothing: a refusal is logged. Never rejects.
   */
  async raise(signal: AbortSignal = this.#stopping.signal): Promise<void> {
    const { identity, count, mark: newest, log } = this.#deps;
    const mark = newest();
    if (mark === undefined || identity.counter === undefined) return;
    await count.keep(identity.counter, mark, signal).catch((error: unknown) => {
      log.warn('the counter of the audit log was not kept', {
        error: messageOf(error),
      });
    });
  }

  async #sign(): Promise<void> {
    await this.#deps.sign();
    this.#countSoon();
  }

  /**
   * Beside the signing: a vault that takes its time, or waits for a person, holds no signature up.
   */
  #countSoon(): void {
    const { clock, count, mark: newest } = this.#deps;
    const mark = newest();
    const isKept = mark?.databaseId === count.kept?.databaseId && mark?.value === count.kept?.value;
    if (
      !this.#running ||
      mark === undefined ||
      isKept ||
      this.#countTimer !== undefined ||
      this.#raising !== undefined
    )
      return;
    this.#countTimer = clock.setTimer(count.waitMs, () => {
      this.#countTimer = undefined;
      this.#raising = this.raise().finally(() => {
        this.#raising = undefined;
        this.#countSoon();
      });
    });
  }

  #arm(): void {
    this.#timer = this.#deps.clock.setTimer(SIGN_INTERVAL_MS, () => {
      if (!this.#running) return;
      this.#arm();
      void this.#sign();
    });
  }
}
