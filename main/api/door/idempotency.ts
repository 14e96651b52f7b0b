// Repeats of a call under the same key: the first answer again, while the same key with other parameters is refused. Kept in memory
// for 24 hours and a bounded number; what must hold across a restart (delegations) is kept by the services under the same key.
import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../ports/clock.ts';
import { IDEMPOTENCY_ANSWERS_MAX, IDEMPOTENCY_ANSWER_SIZE_MAX, IDEMPOTENCY_KEPT_MS } from './limits.ts';

interface Kept {
  readonly paramsSha256: string;
  readonly answer: Promise<unknown>;
  readonly endsAtMs: number;
}

export class Idempotency {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `run` once for each (who, operation, key); a repeat gets the same answer, and waits for it while it is being made. A failure is not
   * kept. @throws AppError idempotency_mismatch for other parameters
   */
  async once<T>(who: string, operation: string, key: string, params: unknown, run: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonicMs();
    const name = JSON.stringify([who, operation, key]);
    const paramsSha256 = createHash('sha256')
      .update(canonicalJson(JSON.parse(JSON.stringify(params))))
      .digest('hex');
    const before = this.#kept.get(name);
    if (before !== undefined && now < before.endsAtMs) {
      // It was made by this very operation.
      if (before.paramsSha256 === paramsSha256) return (await before.answer) as T;
      throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another request.', {
        hint: 'Use a fresh key for each new request.',
        failedBy: 'input',
      });
    }
    const answer = run();
    this.#kept.delete(name);
    this.#kept.set(name, { paramsSha256, answer, endsAtMs: now + IDEMPOTENCY_KEPT_MS });
    this.#forgetOldest();
    try {
      const made = await answer;
      if (JSON.stringify(made).length > IDEMPOTENCY_ANSWER_SIZE_MAX) this.#kept.delete(name);
      return made;
    } catch (error) {
      this.#kept.delete(name);
      throw error;
    }
  }

  #forgetOldest(): void {
    for (const name of this.#kept.keys()) {
      if (this.#kept.size <= IDEMPOTENCY_ANSWERS_MAX) return;
      this.#kept.delete(name);
    }
  }
}
