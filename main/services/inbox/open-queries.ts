// Open queries: questions whose asker waits on a stream. They promise nothing, so they live in
// memory, next to the durable inbox, and end with their deadline, their asker or this run of the
// hub (PROTOCOL.md, Streams and frames). One that a person must allow has its task and approval in
// the store; the others are stored once, when they end.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { StoryColumns } from '../../core/story-row.ts';
import { ok } from '../../lib/result.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { writeDecision } from '../../protocol/decision.ts';
import { errorPayload } from '../../protocol/error-payload.ts';
import { PERSON_NAME_MAX_CHARACTERS, TIMESTAMP_MAX_MS } from '../../protocol/limits.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import { isLocal } from '../tasks/parties.ts';
import { CUT_OFF, STOPPED_HERE } from '../tasks/task-endings.ts';
import { stopTellerOf } from '../tasks/wire-states.ts';
import type { Untrusted } from '../tasks/approved-payload.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { checkStop, errorOf, isFailure, responseOf } from './agent-reply.ts';
import type { Deliveries } from './deliveries.ts';
import { deliveryDto, type DeliveryBody } from './delivery-body.ts';
import type { Item, ItemKinds, ItemStore, ListedState, Step, WaitingItem } from './items.ts';
import { OPEN_QUERIES_MAX, OPEN_QUERIES_PER_PARTY_MAX } from './limits.ts';

/** What the asker gets: the payload of a `response`, or the error instead. */
export type QueryOutcome = Readonly<Record<string, unknown>> | AppError;

interface QueryOpening {
  readonly taskId: string;
  readonly party: PartyKey;
  readonly agent: string;
  readonly signal: AbortSignal;
}

/** Who ended it, for whoever keeps the record. */
type QueryEnd = 'answered' | 'timeout' | 'gone' | 'hub' | 'stopped' | 'cut_off';

interface OpenQuery extends QueryOpening {
  readonly settle: (outcome: QueryOutcome, end: QueryEnd) => void;
  /** undefined: it is not before its agent (yet). */
  delivered:
    | {
        item: Item;
        readonly body: DeliveryBody;
        readonly words: Untrusted;
        /** When its agent first had it. */
        handedAt: number | null;
      }
    | undefined;
  deadlineAt: number | null;
  /** A decision hung on it. */
  readonly isStored: boolean;
  /** Who stopped it, where a person here did. */
  stop?: Partial<StoryColumns>;
}

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly deliveries: Pick<Deliveries, 'approvedWords' | 'bodyOf'>;
  readonly tasks: Pick<TaskViews, 'deadlineAt'>;
  readonly events: Pick<TaskEvents, 'changed'>;
  readonly messenger: Pick<PeerMessenger, 'encode'>;
}

/** The response may get a decision beside it. */
const LONGEST_DECISION = writeDecision({
  outcome: 'answered',
  by: 'person',
  person: '€'.repeat(PERSON_NAME_MAX_CHARACTERS),
  as: 'adult',
  at: TIMESTAMP_MAX_MS,
});

export class OpenQueries implements ItemStore {
  readonly #deps: Deps;
  readonly #byTask = new Map<string, OpenQuery>();
  readonly #byDelivery = new Map<string, OpenQuery>();
  /** How many each party has open. */
  readonly #byParty = new Map<PartyKey, number>();
  /** Those before each agent, in the order in which they came. */
  readonly #byAgent = new Map<string, Set<OpenQuery>>();
  /** The latest that were answered, by the item: who did, and how. The oldest go first. */
  readonly #answered = new Map<string, { readonly agent: string; readonly status: string }>();
  readonly #listeners = new Set<(agent: string) => void>();
  readonly #step = this.#makeStep();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Told when something waits in an agent's inbox, or a place in it is free. */
  onQueued(listener: (agent: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Checks that this party may open one more.
   * @throws AppError overloaded: by its own questions (failedBy input), or by those of all
   */
  checkRoom(party: PartyKey): void {
    if ((this.#byParty.get(party) ?? 0) >= OPEN_QUERIES_PER_PARTY_MAX)
      throw tooManyOpen('You have', 'input');
    if (this.#byTask.size >= OPEN_QUERIES_MAX) throw tooManyOpen('This hub has', 'local');
  }

  /**
   * Opens the query. Resolves with the answer, with `timeout` after `deadlineMs` (null: the task's
   * own deadline ends it through `fail`), or with `cancelled` when the asker has gone. Never
   * rejects.
   */
  open(
    opening: QueryOpening,
    deadlineMs: number | null,
  ): Promise<{
    readonly outcome: QueryOutcome;
    readonly end: QueryEnd;
    readonly handed: Partial<StoryColumns>;
  }> {
    return new Promise((resolve) => {
      let timer: TimerHandle | undefined;
      const gone = () => settle(whyGone(opening.signal), 'gone');
      const settle = (outcome: QueryOutcome, end: QueryEnd) => {
        if (this.#byTask.get(opening.taskId) !== query) return;
        timer?.cancel();
        opening.signal.removeEventListener('abort', gone);
        this.#forget(query);
        const wasWith = query.delivered?.item;
        resolve({ outcome, end, handed: handedOver(query) });
        // Its place is free.
        if (wasWith !== undefined) this.#announce(wasWith.agent);
      };
      const deadlineAt = deadlineMs === null ? null : this.#deps.clock.wallMs() + deadlineMs;
      const isStored = deadlineMs === null;
      const query: OpenQuery = { ...opening, settle, delivered: undefined, deadlineAt, isStored };
      this.#byTask.set(opening.taskId, query);
      this.#byParty.set(opening.party, (this.#byParty.get(opening.party) ?? 0) + 1);
      opening.signal.addEventListener('abort', gone, { once: true });
      if (deadlineMs !== null)
        timer = this.#deps.clock.setTimer(deadlineMs, () => settle(timedOut(), 'timeout'));
      if (opening.signal.aborted) gone();
    });
  }

  #forget(query: OpenQuery): void {
    const { taskId, party, agent, delivered } = query;
    this.#byTask.delete(taskId);
    const left = (this.#byParty.get(party) ?? 0) - 1;
    if (left > 0) this.#byParty.set(party, left);
    else this.#byParty.delete(party);
    if (delivered === undefined) return;
    this.#byDelivery.delete(delivered.item.deliveryId);
    const before = this.#byAgent.get(agent);
    before?.delete(query);
    if (before?.size === 0) this.#byAgent.delete(agent);
  }

  /** Puts the question before its agent. */
  deliver(taskId: string, body: DeliveryBody, words: Untrusted): void {
    const query = this.#byTask.get(taskId);
    if (!query || query.delivered) return;
    const item: Item = {
      seq: 0,
      deliveryId: this.#deps.random.uuid(),
      agent: query.agent,
      kind: 'query',
      state: 'queued',
      taskId,
      conversationId: null,
      body: '',
      urgency: 1,
      attempt: 0,
      leaseUntilWallMs: null,
      createdAt: body.envelope.received_at,
      finishedAt: null,
    };
    query.delivered = { item, body, words, handedAt: null };
    this.#byDelivery.set(item.deliveryId, query);
    const before = this.#byAgent.get(query.agent) ?? new Set();
    this.#byAgent.set(query.agent, before.add(query));
    this.#announce(query.agent);
  }

  /** A person allowed it: the agent gets exactly what that person saw. */
  allowed(task: TaskRow, approval: ApprovalRow): void {
    const { deliveries, tasks } = this.#deps;
    const query = this.#byTask.get(task.id);
    if (query) query.deadlineAt = tasks.deadlineAt(task);
    const words = deliveries.approvedWords(approval, task);
    if (words.ok) this.deliver(task.id, deliveries.bodyOf(task, approval), words.value);
    else
      this.fail(
        task.id,
        new AppError('internal', 'The stored request was damaged; it was not run.'),
      );
  }

  /** Ends the line with an error; nothing happens when it has ended. */
  fail(taskId: string, error: AppError): void {
    this.#byTask.get(taskId)?.settle(error, 'hub');
  }

  answer(taskId: string, payload: Readonly<Record<string, unknown>>): void {
    this.#byTask.get(taskId)?.settle(payload, 'answered');
  }

  failAllOf(agent: string, error: AppError): void {
    for (const query of this.#byTask.values())
      if (query.agent === agent) query.settle(error, 'hub');
  }

  /** Whether its agent has the question of this task. */
  isWithAgent(taskId: string): boolean {
    const state = this.#byTask.get(taskId)?.delivered?.item.state;
    return state === 'claimed' || state === 'running';
  }

  /** How it stands with its agent, which no row says while it is open. */
  standing(taskId: string): Partial<StoryColumns & Pick<TaskRow, 'state'>> {
    const query = this.#byTask.get(taskId);
    if (query === undefined) return {};
    const { state } = query.delivered?.item ?? {};
    const isWithAgent = state === 'claimed' || state === 'running';
    return { ...handedOver(query), ...(isWithAgent ? { state } : {}) };
  }

  /** When its agent had it, for the story of its task. */
  handedOver(taskId: string): Partial<StoryColumns> {
    const query = this.#byTask.get(taskId);
    return query === undefined ? {} : handedOver(query);
  }

  failAll(error: AppError): void {
    for (const query of this.#byTask.values()) query.settle(error, 'hub');
  }

  /** A person here stops them; whoever asked is told so, and who it was where there is a name. */
  stopAll(person: string | null): void {
    const at = this.#deps.clock.wallMs();
    for (const query of this.#byTask.values()) {
      const decision = { outcome: 'passed', by: 'nobody', person: null, at } as const;
      const error = new AppError('rejected', STOPPED_HERE, {
        failedBy: 'peer',
        data: {
          ended_by: stopTellerOf(handedOver(query)),
          decision: writeDecision({ ...decision, stopped: { person, at } }),
        },
      });
      query.stop = { stopPerson: person, stopAt: at };
      query.settle(error, 'stopped');
    }
  }

  has(deliveryId: string): boolean {
    return this.#byDelivery.has(deliveryId) || this.#answered.has(deliveryId);
  }

  isWaiting(agent: string, kinds: ItemKinds): boolean {
    return this.#items(agent, 'queued', kinds).length > 0;
  }

  /** How many wait for the agent. */
  waitingCount(agent: string): number {
    return this.#items(agent, 'queued', null).length;
  }

  waiting(agent: string): readonly WaitingItem[] {
    return this.#items(agent, 'queued', null).map(({ deliveryId: id, seq }) => {
      const hub = this.#byDelivery.get(id)?.delivered?.body.trust.peer_id ?? null;
      return { id, seq, hub };
    });
  }

  /** At once, since nothing is written. */
  async step<T>(work: (step: Step) => T): Promise<T> {
    return work(this.#step);
  }

  list(agent: string, state: ListedState, _afterSeq: number, limit: number): readonly Item[] {
    return this.#items(agent, state, null).slice(0, limit);
  }

  leasedCount(agent: string): number {
    return this.#items(agent, 'claimed', null).length;
  }

  leased(): readonly Item[] {
    return [];
  }

  dto(item: Item): DeliveryDto | undefined {
    const query = this.#byDelivery.get(item.deliveryId);
    return (
      query?.delivered &&
      deliveryDto(item, query.delivered.body, query.delivered.words, query.deadlineAt)
    );
  }

  #items(agent: string, state: Item['state'], kinds: ItemKinds): readonly Item[] {
    if (kinds !== null && !kinds.includes('query')) return [];
    const items = [...(this.#byAgent.get(agent) ?? [])].flatMap(
      ({ delivered }) => delivered?.item ?? [],
    );
    return items.filter((item) => item.state === state);
  }

  /** Those before a person have a record, which shows it. */
  #changed({ deliveryId, taskId }: Item): void {
    if (taskId !== null && this.#byDelivery.get(deliveryId)?.isStored === true)
      this.#deps.events.changed(taskId);
  }

  #makeStep(): Step {
    const delivered = ({ deliveryId }: Item): NonNullable<OpenQuery['delivered']> => {
      const found = this.#byDelivery.get(deliveryId)?.delivered;
      if (found === undefined)
        throw inputError('not_found', 'Nobody waits for its answer any more.');
      return found;
    };
    const settle = ({ deliveryId }: Item, outcome: QueryOutcome, end: QueryEnd): void =>
      this.#byDelivery.get(deliveryId)?.settle(outcome, end);
    return {
      after: (effect) => effect(),
      find: (deliveryId) => this.#byDelivery.get(deliveryId)?.delivered?.item,
      answeredBefore: (agent, deliveryId) => {
        const answered = this.#answered.get(deliveryId);
        return answered?.agent === agent ? answered.status : undefined;
      },
      claimable: (agent, kinds, max) => this.#items(agent, 'queued', kinds).slice(0, max),
      put: (item, change) => (delivered(item).item = { ...item, ...change }),
      words: (item) => ok(delivered(item).words),
      claimed: (item) => {
        delivered(item).handedAt ??= this.#deps.clock.wallMs();
        this.#changed(item);
      },
      endIfCancelled: () => false,
      begun: (item) => this.#changed(item),
      estimated: () => undefined,
      returned: (item) => {
        if (item.state === 'queued') {
          this.#announce(item.agent);
          this.#changed(item);
        } else
          settle(
            item,
            new AppError(
              'unhandled',
              `The agent was handed the question ${item.attempt} times and never answered it.`,
            ),
            'hub',
          );
      },
      cutOff: (item) => settle(item, new AppError('cancelled', CUT_OFF), 'cut_off'),
      answered: () => undefined,
      replied: (item, reply) => {
        // A question that was stopped is here no more.
        checkStop(reply, false);
        const outcome = isFailure(reply.status) ? errorOf(reply) : responseOf(reply);
        const party = this.#byDelivery.get(item.deliveryId)?.party;
        if (party !== undefined) this.#checkFits(party, outcome);
        settle(item, outcome, 'answered');
        this.#keepAnswered(item, reply.status);
        return reply.status;
      },
      askerOf: (item) => delivered(item).words.origin,
      taskOf: () => undefined,
    };
  }

  #keepAnswered({ deliveryId, agent }: Item, status: string): void {
    const [oldest] = this.#answered.keys();
    if (oldest !== undefined && this.#answered.size >= OPEN_QUERIES_MAX)
      this.#answered.delete(oldest);
    this.#answered.set(deliveryId, { agent, status });
  }

  /**
   * The agent hears of an answer that cannot be sent, and not only whoever asked: so it can answer
   * with less.
   * @throws AppError payload_too_large, bad_request
   */
  #checkFits(party: PartyKey, outcome: QueryOutcome): void {
    if (isLocal(party)) return;
    const { messenger, random } = this.#deps;
    const [kind, answer] =
      outcome instanceof AppError
        ? (['error', errorPayload(outcome)] as const)
        : (['response', outcome] as const);
    const payload = { ...answer, decision: LONGEST_DECISION };
    messenger.encode(party, { id: random.uuid(), kind, ref: random.uuid(), payload });
  }

  #announce(agent: string): void {
    for (const listener of this.#listeners) listener(agent);
  }
}

function handedOver({ delivered, stop }: OpenQuery): Partial<StoryColumns> {
  const { handedAt = null, item } = delivered ?? {};
  return {
    ...(handedAt === null ? {} : { handedAt, handedTimes: item?.attempt ?? 1 }),
    ...stop,
  };
}

/** What ended the wait, as an error for whoever asked. */
export function whyGone({ reason }: AbortSignal): AppError {
  return reason instanceof AppError
    ? reason
    : new AppError('cancelled', 'Whoever asked has gone.', { failedBy: 'peer' });
}

function timedOut(): AppError {
  return new AppError('timeout', 'The agent did not answer in time.', {
    failedBy: 'timeout',
    hint: 'Ask again with a longer deadline_ms.',
  });
}

function tooManyOpen(who: string, failedBy: 'input' | 'local'): AppError {
  return new AppError('overloaded', `${who} too many open questions.`, {
    failedBy,
    hint: 'Try again in a few seconds.',
  });
}
