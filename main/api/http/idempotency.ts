// Repeats of a POST with the same Idempotency-Key: the first answer again, while the same key with another body is refused. Kept in memory
// for 24 hours and a bounded number; what must hold across a restart (delegations) is kept by the services under the same key.
import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { IDEMPOTENCY_ANSWERS_MAX, IDEMPOTENCY_ANSWER_SIZE_MAX, IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEY_LENGTH_MAX } from './limits.ts';
import type { Answer } from './respond.ts';

interface Kept {
  readonly bodySha256: string;
  readonly answer: Promise<Answer>;
  readonly endsAtMs: number;
}

export class Idempotency {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `run` once for each (who, route, key); a repeat gets the same answer, and waits for it while it is being made. A failure is not
   * kept. Throws `idempotency_mismatch` for another body.
   */
  async once(who: string, route: string, key: string, body: Uint8Array, run: () => Promise<Answer>): Promise<Answer> {
    const now = this.#clock.monotonicMs();
    const name = JSON.stringify([who, route, key]);
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const before = this.#kept.get(name);
    if (before !== undefined && now < before.endsAtMs) {
      if (before.bodySha256 === bodySha256) return before.answer;
      throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another request.', {
        hint: 'Use a fresh key for each new request.',
        failedBy: 'input',
      });
    }
    const answer = run();
    this.#kept.delete(name);
    this.#kept.set(name, { bodySha256, answer, endsAtMs: now + IDEMPOTENCY_KEPT_MS });
    this.#forgetOldest();
    try {
      const made = await answer;
      if (made.body.length > IDEMPOTENCY_ANSWER_SIZE_MAX) this.#kept.delete(name);
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

/** The header's value, or null without one. Throws `bad_request` for one that is too long or not plain. */
export function readIdempotencyKey(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value.length > IDEMPOTENCY_KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(value)) {
    throw new AppError('bad_request', `An Idempotency-Key is 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters.`, {
      failedBy: 'input',
    });
  }
  return value;
}
