// When a question that an adult's hub did not take, or let expire, is put before it anew: at growing intervals, by request and hub. Kept in
// memory alone, since a start asks at once. Never asks anything itself.
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_RETRY } from './limits.ts';

interface Retry {
  readonly tries: number;
  /** Because too much waits there already. */
  readonly isFull: boolean;
  timer: TimerHandle | undefined;
}

export class ConsentRetries {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onDue: () => void;
  readonly #retries = new Map<string, Retry>();

  constructor(deps: { readonly clock: Clock; readonly random: Random }, onDue: () => void) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#onDue = onDue;
  }

  get isEmpty(): boolean {
    return this.#retries.size === 0;
  }

  /** Whether that hub is left alone about that request for now. */
  isWaiting(approvalId: string, hub: KeyHex): boolean {
    return this.#retries.get(nameOf(approvalId, hub))?.timer !== undefined;
  }

  /** Whether it is left alone because it has too much to decide already. */
  isFull(approvalId: string, hub: KeyHex): boolean {
    return this.isWaiting(approvalId, hub) && this.#retries.get(nameOf(approvalId, hub))?.isFull === true;
  }

  later(approvalId: string, hub: KeyHex, isFull: boolean): void {
    const name = nameOf(approvalId, hub);
    const before = this.#retries.get(name);
    before?.timer?.cancel();
    const tries = before?.tries ?? 0;
    const retry: Retry = { tries: tries + 1, isFull, timer: undefined };
    retry.timer = this.#clock.setTimer(backoffMs(tries, this.#random.fraction(), CONSENT_RETRY), () => {
      retry.timer = undefined;
      this.#onDue();
    });
    this.#retries.set(name, retry);
  }

  forget(isOver: (approvalId: string, hub: KeyHex, isFull: boolean) => boolean): void {
    for (const [name, { timer, isFull }] of this.#retries) {
      const [approvalId = '', hub = ''] = name.split(' ');
      if (!isOver(approvalId, hub, isFull)) continue;
      timer?.cancel();
      this.#retries.delete(name);
    }
  }
}

function nameOf(approvalId: string, hub: KeyHex): string {
  return `${approvalId} ${hub}`;
}
