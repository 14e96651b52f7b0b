// When a question that an adult's hub gave no answer to, or could not read, is put before it anew: at growing intervals, by request and hub. Kept
// in memory alone, since a start asks at once. Never asks anything itself.
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_RETRY } from './limits.ts';

/** unanswered: it ended there without a person's word; refused: that hub did not take it for a question. */
export type RetryWhy = 'unanswered' | 'refused';

/** A request before one adult's hub. */
export type ConsentKey = `${string} ${KeyHex}`;

interface Retry {
  readonly approvalId: string;
  readonly hub: KeyHex;
  readonly tries: number;
  readonly why: RetryWhy;
  timer: TimerHandle | undefined;
}

export function consentKey(approvalId: string, hub: KeyHex): ConsentKey {
  return `${approvalId} ${hub}`;
}

export class ConsentRetries {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onDue: () => void;
  readonly #retries = new Map<ConsentKey, Retry>();

  constructor(deps: { readonly clock: Clock; readonly random: Random }, onDue: () => void) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#onDue = onDue;
  }

  get isEmpty(): boolean {
    return this.#retries.size === 0;
  }

  /** Why that hub is left alone about that request for now; undefined: it is not. */
  waitsBecause(approvalId: string, hub: KeyHex): RetryWhy | undefined {
    const retry = this.#retries.get(consentKey(approvalId, hub));
    return retry?.timer === undefined ? undefined : retry.why;
  }

  later(approvalId: string, hub: KeyHex, why: RetryWhy): void {
    const key = consentKey(approvalId, hub);
    const before = this.#retries.get(key);
    before?.timer?.cancel();
    const tries = before?.tries ?? 0;
    const retry: Retry = { approvalId, hub, tries: tries + 1, why, timer: undefined };
    retry.timer = this.#clock.setTimer(backoffMs(tries, this.#random.fraction(), CONSENT_RETRY), () => {
      retry.timer = undefined;
      this.#onDue();
    });
    this.#retries.set(key, retry);
  }

  forget(isOver: (approvalId: string, hub: KeyHex) => boolean): void {
    for (const [key, { approvalId, hub, timer }] of this.#retries) {
      if (!isOver(approvalId, hub)) continue;
      timer?.cancel();
      this.#retries.delete(key);
    }
  }
}
