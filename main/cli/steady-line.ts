// The line of a program that works for an agent as long as it runs: it calls until the hub answers,
// however often the hub is away in between. What the hub refuses for good is said aloud.
import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import type { ErrorCode, Problem } from '../../preload/contract/errors.ts';
import type { OperationInput, OperationResult } from '../../preload/contract/operations.ts';
import { AppError } from '../lib/app-error.ts';
import { HubProblem, type HubClient } from './hub-client.ts';
import type { Terminal } from './terminal.ts';

export const CLAIM_WAIT_MS = 55_000;
/** How often it is asked whether anybody waits for the answer to a question. */
const STILL_ASKED_EVERY_MS = 2_000;
/** Refusals that no later try can mend. */
const FATAL: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'forbidden']);
/** Waits between tries while the hub cannot be reached. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;

type SteadyCall =
  | 'inbox.waiting'
  | 'inbox.wake'
  | 'inbox.claim'
  | 'inbox.ack'
  | 'inbox.reply'
  | 'inbox.nack'
  | 'inbox.extend'
  | 'send.message';
/** What the hub made of a call; undefined: there was no time for it any more. */
export type Called<T> = { readonly value: T } | { readonly refused: Problem } | undefined;

export class SteadyLine {
  readonly #terminal: Pick<Terminal, 'note'>;
  #client: HubClient;

  constructor(client: HubClient, terminal: Pick<Terminal, 'note'>) {
    this.#client = client;
    this.#terminal = terminal;
  }

  /** The connection of now, for what is tried once only. */
  get client(): HubClient {
    return this.#client;
  }

  close(): void {
    this.#client.close();
  }

  /**
   * Calls until the hub answers, with pauses that grow. What it refuses for good is said (an item
   * was cancelled, or came too late). Throws for a token that is no longer any good.
   */
  async call<Name extends SteadyCall>(
    name: Name,
    params: OperationInput<Name>,
    signal: AbortSignal,
  ): Promise<Called<OperationResult<Name>>> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return { value: await this.#client.call(name, params, signal) };
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof HubProblem && !error.problem.retryable) {
          if (name === 'inbox.claim' || FATAL.has(error.problem.code)) throw error;
          this.#terminal.note(`the hub did not take it: ${error.problem.detail}`);
          return { refused: error.problem };
        }
        if (!isPassing(error)) throw error;
        await this.#pause(failures, signal, error);
      }
    }
    return undefined;
  }

  /** "I have it", of what needs no more than that. */
  async settle(item: DeliveryDto, signal: AbortSignal): Promise<void> {
    await this.call('inbox.ack', leaseOf(item), signal);
  }

  /**
   * Until the signal: cancels of every task are taken. Aborts `cancelled` at one of this item. A
   * question has none: it is over once nobody waits for its answer.
   */
  async watchForCancel(
    item: DeliveryDto,
    cancelled: AbortController,
    signal: AbortSignal,
  ): Promise<void> {
    const until = AbortSignal.any([signal, cancelled.signal]);
    const isQuestion = item.kind === 'query';
    const waitMs = isQuestion ? STILL_ASKED_EVERY_MS : CLAIM_WAIT_MS;
    const claim = { max: 4, wait_ms: waitMs, kinds: ['cancel' as const] };
    while (!until.aborted) {
      const claimed = await this.call('inbox.claim', claim, until);
      for (const cancel of valueOf(claimed)?.items ?? []) {
        await this.settle(cancel, signal);
        if (cancel.task_id === null || cancel.task_id !== item.task_id) continue;
        this.#terminal.note('it was cancelled, so the program is ended');
        cancelled.abort();
      }
      if (isQuestion && !until.aborted && (await this.#isForgotten(item, until))) {
        this.#terminal.note('nobody waits for the answer any more, so the program is ended');
        cancelled.abort();
      }
    }
  }

  /** What cannot be asked just now goes on, and so does a program that has answered by itself. */
  async #isForgotten(item: DeliveryDto, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#client.call('inbox.extend', leaseOf(item), signal);
      return false;
    } catch (error) {
      return error instanceof HubProblem && error.problem.code === 'not_found';
    }
  }

  async #pause(failures: number, signal: AbortSignal, error: unknown): Promise<void> {
    const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(failures, 6));
    const why =
      error instanceof HubProblem
        ? error.problem.detail.replace(/\.$/, '')
        : 'The hub does not answer';
    this.#terminal.note(`${why}; trying again in ${Math.ceil(waitMs / 1000)} s.`);
    await wait(waitMs, undefined, { signal }).catch(() => undefined);
    // What the hub says came by a connection that holds.
    if (error instanceof HubProblem) return;
    // It may have started again at another port.
    const next = await this.#client.again().catch(() => undefined);
    if (next === undefined) return;
    this.#client.close();
    this.#client = next;
  }
}

/**
 * Names the item and which attempt at it: after this one has ended the work is another listener's.
 */
export function leaseOf(item: DeliveryDto): {
  readonly delivery: string;
  readonly attempt: number;
} {
  return { delivery: item.delivery_id, attempt: item.attempt };
}

export function valueOf<T>(called: Called<T>): T | undefined {
  return called !== undefined && 'value' in called ? called.value : undefined;
}

/** Whether a later try may end otherwise. */
export function isPassing(error: unknown): boolean {
  if (error instanceof HubProblem) return error.problem.retryable;
  return (
    error instanceof AppError && (error.code === 'hub_unreachable' || error.code === 'timeout')
  );
}
