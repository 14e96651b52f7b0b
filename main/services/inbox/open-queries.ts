// Questions that somebody waits for on an open line: they promise nothing, so they live in memory, next to the durable inbox, and end with
// their deadline, their asker or this run of the hub (PROTOCOL.md, Streams and frames). One that a person must allow has its task and
// approval in the store; the others are written down once, when they end.
import type { DeliveryState } from '../../../preload/contract/closed-lists.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { ApprovalRow, DeliveryRow, TaskRow } from '../../ports/store.ts';
import { codeOf, responseOf, type AgentReply } from './agent-reply.ts';
import { deliveryDto, type DeliveryBody } from './delivery-body.ts';
import type { Untrusted } from '../tasks/approved-payload.ts';
import type { Deliveries } from './deliveries.ts';
import { checkAttempt, Leases, type Attempt } from './leases.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { DELIVERY_ATTEMPTS_MAX, OPEN_QUERIES_MAX, OPEN_QUERIES_PER_PARTY_MAX } from './limits.ts';
import type { PartyKey } from '../../ports/transport.ts';

/** What the asker gets: the payload of a `response`, or the error instead. */
export type QueryOutcome = Readonly<Record<string, unknown>> | AppError;

interface QueryOpening {
  readonly taskId: string;
  readonly party: PartyKey;
  readonly agent: string;
  readonly signal: AbortSignal;
}

/** Who ended it, for whoever keeps the record. */
export type QueryEnd = 'answered' | 'timeout' | 'gone' | 'hub';

interface OpenQuery {
  readonly taskId: string;
  readonly party: PartyKey;
  readonly agent: string;
  readonly settle: (outcome: QueryOutcome, end: QueryEnd) => void;
  item: { deliveryId: string; state: Exclude<DeliveryState, 'done' | 'dead'>; attempt: number; leaseUntil: number | null } | undefined;
  body: DeliveryBody | undefined;
  untrusted: Untrusted | undefined;
  deadlineAt: number | null;
}

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly deliveries: Pick<Deliveries, 'approvedWords' | 'bodyOf'>;
  readonly tasks: Pick<TaskViews, 'deadlineAt'>;
}

export class OpenQueries {
  readonly #deps: Deps;
  readonly #byTask = new Map<string, OpenQuery>();
  readonly #byDelivery = new Map<string, OpenQuery>();
  readonly #leases: Leases;
  readonly #listeners = new Set<(agent: string) => void>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#leases = new Leases(deps, (deliveryId) => this.#giveBack(deliveryId));
  }

  /** Told when something waits in an agent's inbox. */
  onQueued(listener: (agent: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether this party may open one more. @throws AppError overloaded: by its own questions (failedBy input), or by those of all */
  checkRoom(party: PartyKey): void {
    const own = [...this.#byTask.values()].filter((query) => query.party === party).length;
    if (own >= OPEN_QUERIES_PER_PARTY_MAX) throw tooManyOpen('You have', 'input');
    if (this.#byTask.size >= OPEN_QUERIES_MAX) throw tooManyOpen('This hub has', 'local');
  }

  /**
   * Opens the line: resolves with the answer, `timeout` after `deadlineMs` (null: the task's own deadline ends it through `fail`), or
   * `cancelled` when the asker has gone. Never rejects.
   */
  open(opening: QueryOpening, deadlineMs: number | null): Promise<{ readonly outcome: QueryOutcome; readonly end: QueryEnd }> {
    return new Promise((resolve) => {
      let timer: TimerHandle | undefined;
      const gone = () => settle(whyGone(opening.signal), 'gone');
      const settle = (outcome: QueryOutcome, end: QueryEnd) => {
        if (this.#byTask.get(opening.taskId) !== query) return;
        timer?.cancel();
        opening.signal.removeEventListener('abort', gone);
        this.#forget(query);
        resolve({ outcome, end });
      };
      const query: OpenQuery = {
        taskId: opening.taskId,
        party: opening.party,
        agent: opening.agent,
        settle,
        item: undefined,
        body: undefined,
        untrusted: undefined,
        deadlineAt: deadlineMs === null ? null : this.#deps.clock.wallMs() + deadlineMs,
      };
      this.#byTask.set(opening.taskId, query);
      opening.signal.addEventListener('abort', gone, { once: true });
      if (deadlineMs !== null) timer = this.#deps.clock.setTimer(deadlineMs, () => settle(timedOut(), 'timeout'));
      if (opening.signal.aborted) gone();
    });
  }

  /** Puts the question before its agent. */
  deliver(taskId: string, body: DeliveryBody, untrusted: Untrusted): void {
    const query = this.#byTask.get(taskId);
    if (!query || query.item) return;
    const deliveryId = this.#deps.random.uuid();
    query.item = { deliveryId, state: 'queued', attempt: 0, leaseUntil: null };
    query.body = body;
    query.untrusted = untrusted;
    this.#byDelivery.set(deliveryId, query);
    this.#announce(query.agent);
  }

  /** A person allowed it: the agent gets exactly what that person saw. */
  allowed(task: TaskRow, approval: ApprovalRow): void {
    const query = this.#byTask.get(task.id);
    if (query) query.deadlineAt = this.#deps.tasks.deadlineAt(task);
    const words = this.#deps.deliveries.approvedWords(approval, task);
    if (words.ok) this.deliver(task.id, this.#deps.deliveries.bodyOf(task, approval), words.value);
    else this.fail(task.id, new AppError('internal', 'The stored request was damaged; it was not run.'));
  }

  /** Ends the line with an error; nothing happens when it has ended. */
  fail(taskId: string, error: AppError): void {
    this.#byTask.get(taskId)?.settle(error, 'hub');
  }

  answer(taskId: string, payload: Readonly<Record<string, unknown>>): void {
    this.#byTask.get(taskId)?.settle(payload, 'answered');
  }

  failAllOf(agent: string, error: AppError): void {
    for (const query of this.#byTask.values()) if (query.agent === agent) query.settle(error, 'hub');
  }

  /** Whether somebody waits for the answer to this task's question. */
  isOpen(taskId: string): boolean {
    return this.#byTask.has(taskId);
  }

  has(deliveryId: string): boolean {
    return this.#byDelivery.has(deliveryId);
  }

  /** Hands out up to `max` questions under a lease. `seq` is that of the newest durable item, so that a reader's place stays true. */
  claim(agent: string, max: number, leaseMs: number, seq: number): readonly DeliveryDto[] {
    const items: DeliveryDto[] = [];
    for (const query of this.#byDelivery.values()) {
      if (items.length >= max) break;
      if (query.agent !== agent || query.item?.state !== 'queued') continue;
      query.item.state = 'claimed';
      query.item.attempt += 1;
      query.item.leaseUntil = Math.round(this.#deps.clock.wallMs() + leaseMs);
      this.#leases.hold(query.item.deliveryId, leaseMs);
      items.push(this.#dto(query, seq));
    }
    return items;
  }

  leased(agent: string, seq: number): readonly DeliveryDto[] {
    return [...this.#byDelivery.values()]
      .filter((query) => query.agent === agent && query.item?.state === 'claimed')
      .map((query) => this.#dto(query, seq));
  }

  /** As for a durable item: one hand-out is taken, and said to be so again only by its holder. @throws AppError not_found, conflict */
  ack(agent: string, deliveryId: string, seq: number, attempt: Attempt): DeliveryDto {
    const query = this.#own(agent, deliveryId, attempt);
    const { item } = query;
    if (item?.state === 'queued') throw notHeld('its lease is over');
    if (item?.state === 'running' && attempt === null && item.attempt > 1) throw notHeld('it is running already');
    if (item) {
      item.state = 'running';
      item.leaseUntil = null;
    }
    this.#leases.release(deliveryId);
    return this.#dto(query, seq);
  }

  nack(agent: string, deliveryId: string, attempt: Attempt): 'queued' | 'dead' {
    this.#own(agent, deliveryId, attempt);
    this.#giveBack(deliveryId);
    return this.#byDelivery.has(deliveryId) ? 'queued' : 'dead';
  }

  extend(
    agent: string,
    deliveryId: string,
    leaseMs: number,
    attempt: Attempt,
  ): { readonly leaseUntil: number | null; readonly taskId: string } {
    const query = this.#own(agent, deliveryId, attempt);
    if (query.item?.state === 'claimed') {
      query.item.leaseUntil = Math.round(this.#deps.clock.wallMs() + leaseMs);
      this.#leases.hold(deliveryId, leaseMs);
    }
    return { leaseUntil: query.item?.leaseUntil ?? null, taskId: query.taskId };
  }

  /** The agent's answer goes to whoever waits. @throws AppError not_found when nobody does any more */
  reply(agent: string, deliveryId: string, reply: AgentReply, attempt: Attempt): string {
    const query = this.#own(agent, deliveryId, attempt);
    if (reply.status !== 'failed') {
      query.settle(responseOf(reply), 'answered');
      return reply.status;
    }
    query.settle(
      new AppError(codeOf(reply), reply.error ?? reply.outcome ?? 'The agent could not answer.', { failedBy: 'peer' }),
      'answered',
    );
    return 'failed';
  }

  stop(): void {
    this.#leases.stop();
    for (const query of this.#byTask.values()) query.settle(new AppError('cancelled', 'This hub is stopping.'), 'hub');
  }

  #giveBack(deliveryId: string): void {
    const query = this.#byDelivery.get(deliveryId);
    if (query?.item?.state !== 'claimed') return;
    this.#leases.release(deliveryId);
    query.item.state = 'queued';
    query.item.leaseUntil = null;
    if (query.item.attempt >= DELIVERY_ATTEMPTS_MAX)
      query.settle(new AppError('unhandled', 'The agent was handed the question and never took it.'), 'hub');
    else this.#announce(query.agent);
  }

  #own(agent: string, deliveryId: string, attempt: Attempt): OpenQuery {
    const query = this.#byDelivery.get(deliveryId);
    if (query?.agent === agent && query.item) {
      checkAttempt(query.item, attempt);
      return query;
    }
    throw new AppError('not_found', 'There is no such item in this inbox: nobody waits for its answer any more.', { failedBy: 'input' });
  }

  #forget(query: OpenQuery): void {
    this.#byTask.delete(query.taskId);
    if (!query.item) return;
    this.#byDelivery.delete(query.item.deliveryId);
    this.#leases.release(query.item.deliveryId);
  }

  #announce(agent: string): void {
    for (const listener of this.#listeners) listener(agent);
  }

  #dto(query: OpenQuery, seq: number): DeliveryDto {
    const { item, body, untrusted } = query;
    if (!item || !body || !untrusted) throw new AppError('not_found', 'There is no such item in this inbox.');
    const row: Omit<DeliveryRow, 'body'> = {
      seq,
      deliveryId: item.deliveryId,
      agent: query.agent,
      kind: 'query',
      state: item.state,
      taskId: query.taskId,
      conversationId: null,
      urgency: 1,
      attempt: item.attempt,
      leaseUntilWallMs: item.leaseUntil,
      createdAt: body.envelope.received_at,
      finishedAt: null,
    };
    return deliveryDto(row, body, untrusted, query.deadlineAt);
  }
}

function notHeld(why: string): AppError {
  return new AppError('conflict', `You do not hold this item: ${why}.`, { failedBy: 'input', hint: 'Claim again.' });
}

/** What ended the wait, as an error for whoever asked. */
export function whyGone({ reason }: AbortSignal): AppError {
  return reason instanceof AppError ? reason : new AppError('cancelled', 'Whoever asked has gone.', { failedBy: 'peer' });
}

export function timedOut(): AppError {
  return new AppError('timeout', 'The agent did not answer in time.', {
    failedBy: 'timeout',
    hint: 'Ask again with a longer deadline_ms.',
  });
}

function tooManyOpen(who: string, failedBy: 'input' | 'local'): AppError {
  return new AppError('overloaded', `${who} too many open questions.`, { failedBy, hint: 'Try again in a few seconds.' });
}
