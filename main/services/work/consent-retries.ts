// When a question that an adult's hub gave no answer to, or could not read, is put before it anew: at growing intervals, by request and hub; and
// soon what this hub itself failed to ask. Kept in memory alone, since a start asks at once. Never asks anything itself.
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_LOOK_AGAIN_MS, CONSENT_RETRY } from './limits.ts';

/** unanswered: it ended there without a person's word; refused: that hub did not take it for a question. */
export type RetryWhy = 'unanswered' | 'refused';

/** A request before one adult's hub. */
export type ConsentKey = `${string} ${KeyHex}`;

interface Retry {
  readonly approvalId: string;
  readonly hub: KeyHex;
  readonly tries: number;
  /** null: it failed here, and says nothing of that hub. */
  readonly why: RetryWhy | null;
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

  /** Whether that hub is left alone about that request for now. */
  waits(approvalId: string, hub: KeyHex): boolean {
    return this.#retries.get(consentKey(approvalId, hub))?.timer !== undefined;
  }

  /** What of that hub makes this one leave it alone about that request for now; undefined: nothing. */
  waitsBecause(approvalId: string, hub: KeyHex): RetryWhy | undefined {
    const retry = this.#retries.get(consentKey(approvalId, hub));
    return retry?.timer === undefined ? undefined : (retry.why ?? undefined);
  }

  later(approvalId: string, hub: KeyHex, why: RetryWhy): void {
    const tries = this.#triesOf(approvalId, hub);
    this.#wait({ approvalId, hub, tries: tries + 1, why, timer: undefined }, backoffMs(tries, this.#random.fraction(), CONSENT_RETRY));
  }

  /** It failed here: that hub's own waits grow by nothing. */
  soon(approvalId: string, hub: KeyHex): void {
    const tries = this.#triesOf(approvalId, hub);
    this.#wait({ approvalId, hub, tries, why: null, timer: undefined }, CONSENT_LOOK_AGAIN_MS);
  }

  #triesOf(approvalId: string, hub: KeyHex): number {
    return this.#retries.get(consentKey(approvalId, hub))?.tries ?? 0;
  }

  #wait(retry: Retry, waitMs: number): void {
    const key = consentKey(retry.approvalId, retry.hub);
    this.#retries.get(key)?.timer?.cancel();
    retry.timer = this.#clock.setTimer(waitMs, () => {
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
