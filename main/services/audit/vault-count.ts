// The counter in the key vault: what it is known to hold, how often it may be asked to take the
// next count, and one call at a time. It only ever rises. Knows nothing of what is counted.
import { AppError } from '../../lib/app-error.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CounterMark, RollbackCounter } from '../../ports/rollback-counter.ts';
import { COUNT_PAUSE_MS, REFUSED_PAUSE_MAX_MS, REFUSED_PAUSE_MIN_MS } from './limits.ts';

export class VaultCount {
  readonly #clock: Clock;
  #kept: CounterMark | undefined;
  /** Monotonic: when the vault was last asked to take one. */
  #askedMs = -Infinity;
  /** How often in a row it took none. */
  #refusals = 0;
  readonly #queue = new SerialQueue();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The highest count the vault is known to hold; undefined: none yet. */
  get kept(): CounterMark | undefined {
    return this.#kept;
  }

  /** The vault was read, and holds this. */
  wasRead(mark: CounterMark): void {
    this.#kept = mark;
  }

  /** A person unlocked the vault: what it refused before is asked again at once. */
  askAgain(): void {
    if (this.#refusals > 0) this.#askedMs = -Infinity;
    this.#refusals = 0;
  }

  /**
   * How long until the vault may be asked again, in ms. After refusals the pauses grow, so that no
   * prompt of it comes up every time.
   */
  get waitMs(): number {
    const growing = Math.min(
      REFUSED_PAUSE_MIN_MS * 2 ** (this.#refusals - 1),
      REFUSED_PAUSE_MAX_MS,
    );
    return Math.max(
      0,
      this.#askedMs + (this.#refusals === 0 ? COUNT_PAUSE_MS : growing) - this.#clock.monotonicMs(),
    );
  }

  /** @throws AppError identity_locked, storage_failed when the vault did not take it */
  keep(counter: RollbackCounter, mark: CounterMark, signal: AbortSignal): Promise<void> {
    return this.#queue.run(() => this.#keep(counter, mark, signal));
  }

  async #keep(counter: RollbackCounter, mark: CounterMark, signal: AbortSignal): Promise<void> {
    if (this.#kept?.databaseId === mark.databaseId && this.#kept.value >= mark.value) return;
    try {
      await counter.write(mark, signal);
      this.#kept = mark;
      this.#refusals = 0;
    } catch (cause) {
      this.#refusals += 1;
      if (cause instanceof AppError) throw cause;
      throw new AppError(
        'identity_locked',
        'The key vault did not keep the signature counter of the audit log.',
        {
          hint: 'Unlock the keychain of this computer, then try again.',
          cause,
        },
      );
    } finally {
      this.#askedMs = this.#clock.monotonicMs();
    }
  }
}
