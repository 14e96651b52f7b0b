// Repeats of a call under the same key: the first answer again, while the same key with other
// parameters is refused. Kept in memory for 24 hours and a bounded number for each caller; what
// must hold across a restart (delegations) is kept by the services under the same key.
import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  IDEMPOTENCY_ANSWERS_PER_CALLER_MAX,
  IDEMPOTENCY_ANSWER_SIZE_MAX,
  IDEMPOTENCY_KEPT_MS,
} from './limits.ts';

interface Kept {
  readonly who: string;
  readonly paramsSha256: string;
  readonly answer: Promise<unknown>;
  readonly endsAtMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortController;
  waiting: number;
  isSettled: boolean;
}

interface Repeatable {
  readonly who: string;
  readonly operation: string;
  readonly key: string;
  readonly params: unknown;
  readonly gone: AbortSignal;
}

export class AnswerCache {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `run` once for each (who, operation, key); a repeat gets the same answer, and waits for it
   * while it is being made. A failure is not kept. The call is given up when all who wait for it
   * have gone.
   * @throws AppError idempotency_mismatch for other parameters
   */
  async once<T>(
    { who, operation, key, params, gone }: Repeatable,
    run: (gone: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const name = JSON.stringify([who, operation, key]);
    const paramsSha256 = createHash('sha256')
      .update(canonicalJson(JSON.parse(JSON.stringify(params))))
      .digest('hex');
    const before = this.#kept.get(name);
    const isRepeat = before !== undefined && this.#clock.monotonicMs() < before.endsAtMs;
    if (isRepeat && before.paramsSha256 !== paramsSha256) {
      throw new AppError(
        'idempotency_mismatch',
        'This Idempotency-Key was used for another request.',
        {
          hint: 'Use a fresh key for each new request.',
          failedBy: 'input',
        },
      );
    }
    const kept = isRepeat ? before : this.#begin(name, who, paramsSha256, run);
    kept.waiting += 1;
    const leave = (): void => {
      kept.waiting -= 1;
      if (kept.waiting === 0) kept.gone.abort();
    };
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
    // It was made by this very operation.
    return (await kept.answer) as T;
  }

  #begin<T>(
    name: string,
    who: string,
    paramsSha256: string,
    run: (gone: AbortSignal) => Promise<T>,
  ): Kept {
    const gone = new AbortController();
    const answer = run(gone.signal);
    const endsAtMs = this.#clock.monotonicMs() + IDEMPOTENCY_KEPT_MS;
    const kept: Kept = { who, paramsSha256, answer, endsAtMs, gone, waiting: 0, isSettled: false };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    this.#forgetOldest(who);
    const forget = (): unknown => this.#kept.get(name) === kept && this.#kept.delete(name);
    answer.then((made) => {
      kept.isSettled = true;
      if (JSON.stringify(made).length > IDEMPOTENCY_ANSWER_SIZE_MAX) forget();
    }, forget);
    return kept;
  }

  /** What one caller has answered it can only push out its own; what is still under way stays. */
  #forgetOldest(who: string): void {
    const now = this.#clock.monotonicMs();
    const own: string[] = [];
    for (const [name, kept] of this.#kept) {
      if (kept.endsAtMs <= now) this.#kept.delete(name);
      else if (kept.who === who && kept.isSettled) own.push(name);
    }
    for (const name of own.slice(0, Math.max(0, own.length - IDEMPOTENCY_ANSWERS_PER_CALLER_MAX)))
      this.#kept.delete(name);
  }
}
