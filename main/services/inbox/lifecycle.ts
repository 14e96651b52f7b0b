// The life of an inbox item: queued -> claimed -> running -> done or dead. It is delivered under a
// lease. Until its agent says "I have it", an item whose lease ends goes back under the same id,
// eight times; from then on it is delivered again only if its agent gives it back. Each step is
// answered only after it is done.
import { isWork } from '../../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { ok } from '../../lib/result.ts';
import type { TaskRow } from '../../ports/store.ts';
import { answererOf, isOpen, isStoppedHere } from '../tasks/task-moves.ts';
import type { Untrusted } from '../tasks/approved-payload.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import { story } from '../../../preload/contract/strings/story.ts';
import type { Items } from '../../../preload/contract/results.ts';
import type { AgentReply } from './agent-reply.ts';
import type { Asker, Begun, Item, ItemKinds, ItemStore, ListedState, Step } from './items.ts';
import type { DurableItems } from './durable-items.ts';
import type { OpenQueries } from './open-queries.ts';
import {
  DELIVERY_ATTEMPTS_MAX,
  LEASE_MAX_MS,
  LEASE_RETRY_MS,
  OPEN_ITEMS_MAX,
  SEEN_ITEMS_MAX,
} from './limits.ts';

/** Which attempt its holder means, as `claim` told it; null when it does not say. */
export type Attempt = number | null;

/** What became of what its holder gave back. */
export type GivenBack = 'queued' | 'dead' | 'done';

/** The state in which a reply leaves the work, who gets it, and the task; a question has none. */
interface Replied extends Omit<OperationResult<'inbox.reply'>, 'story'> {
  readonly task: TaskRow | undefined;
}

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  /** Questions that somebody waits for: an agent is given these first. */
  readonly memory: ItemStore & Pick<OpenQueries, 'has'>;
  readonly durable: ItemStore & Pick<DurableItems, 'newestDone'>;
}

interface Listed {
  /** In the order of the inbox. */
  readonly seq: number;
  readonly dto: DeliveryDto;
}

interface Lease {
  readonly timer: TimerHandle;
  readonly words: Untrusted | undefined;
}

export class Lifecycle {
  readonly #deps: Deps;
  readonly #stores: readonly ItemStore[];
  /** What is leased: when that ends, and the words that were handed over in this run. */
  readonly #leases = new Map<string, Lease>();
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#stores = [deps.memory, deps.durable];
  }

  /** Goes on with the leases of the run before; one that ended meanwhile ends now. */
  start(): void {
    const { clock } = this.#deps;
    this.#isStopped = false;
    for (const { deliveryId, leaseUntilWallMs } of this.#stores.flatMap((store) =>
      store.leased(),
    )) {
      // The wall clock may have been set meanwhile: back by hours, it would keep the item from
      // everybody for as long.
      const leftMs = (leaseUntilWallMs ?? 0) - clock.wallMs();
      this.#hold(deliveryId, Math.min(LEASE_MAX_MS, Math.max(0, leftMs)));
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#leases.values()) timer.cancel();
    this.#leases.clear();
  }

  /** Delivers up to `max` items under a lease. */
  async claim(
    agent: string,
    max: number,
    leaseMs: number,
    kinds: ItemKinds,
  ): Promise<readonly DeliveryDto[]> {
    const items: DeliveryDto[] = [];
    for (const store of this.#stores) {
      if (items.length >= max) break;
      if (!store.isWaiting(agent, kinds)) continue;
      try {
        items.push(
          ...(await store.step((step) =>
            this.#lease(store, step, agent, max - items.length, leaseMs, kinds),
          )),
        );
      } catch (error) {
        // What is leased already must reach its agent, whatever became of the rest.
        if (items.length === 0) throw error;
        this.#deps.log.warn('inbox items not claimed', { error: String(error) });
      }
    }
    return items;
  }

  /**
   * Ends the leases of what was delivered to this agent after `afterSeq` and not acknowledged. It
   * is delivered again, as the next attempt.
   */
  async giveBack(agent: string, afterSeq: number, max: number): Promise<void> {
    const { durable } = this.#deps;
    const unacknowledged = durable.list(agent, 'claimed', afterSeq, max);
    if (unacknowledged.length === 0) return;
    await durable.step((step) => {
      for (const { deliveryId } of unacknowledged) {
        const item = step.find(deliveryId);
        if (item?.state === 'claimed') this.#giveBack(step, item);
      }
    });
  }

  isKept(deliveryId: string): boolean {
    return this.#storeOf(deliveryId) === this.#deps.durable;
  }

  leasedCount(agent: string): number {
    return this.#stores.reduce((sum, store) => sum + store.leasedCount(agent), 0);
  }

  /** Delivered too often, and undone; the oldest first. */
  dead(agents: readonly string[], limit: number, afterSeq: number): Items<DeliveryDto> {
    const found = agents
      .flatMap((agent) => this.#list(agent, 'dead', afterSeq, limit + 1))
      .toSorted((one, other) => one.seq - other.seq);
    const page = found.slice(0, limit);
    const next = found.length > limit ? String(page.at(-1)?.seq ?? '') : null;
    return { items: page.map(({ dto }) => dto), next };
  }

  /** Delivered and not done; the oldest first. */
  open(agent: string): readonly DeliveryDto[] {
    return (['claimed', 'running'] as const)
      .flatMap((state) => this.#list(agent, state, 0, OPEN_ITEMS_MAX))
      .map(({ dto }) => dto)
      .toSorted((one, other) => one.envelope.received_at - other.envelope.received_at);
  }

  /** Delivered and done, the newest; the oldest of them first. */
  seen(agent: string): readonly DeliveryDto[] {
    const { durable } = this.#deps;
    const rows = durable.newestDone(agent, SEEN_ITEMS_MAX).toReversed();
    return rows.flatMap((item) => (item.attempt === 0 ? [] : (durable.dto(item) ?? [])));
  }

  /** What is kept in memory alone comes last. */
  #list(agent: string, state: ListedState, afterSeq: number, max: number): readonly Listed[] {
    const found = this.#stores.flatMap((store) =>
      store.list(agent, state, afterSeq, max).flatMap((item) => {
        const dto = store.dto(item);
        return dto === undefined ? [] : [{ seq: item.seq || Number.MAX_SAFE_INTEGER, dto }];
      }),
    );
    return found.toSorted((one, other) => one.seq - other.seq).slice(0, max);
  }

  /**
   * "I have it": the item does not come back by itself. Only one attempt can say so; a repeat must
   * come from that same attempt.
   * @throws AppError not_found, gone, cancelled, conflict
   */
  async ack(
    agent: string,
    deliveryId: string,
    begun: Begun,
    attempt: Attempt,
  ): Promise<DeliveryDto> {
    const { estimatedMs } = begun;
    const store = this.#storeOf(deliveryId);
    const outcome = await store.step((step): DeliveryDto | AppError => {
      const item = own(step, agent, deliveryId);
      checkAttempt(item, attempt);
      // Said before: an agent that did not hear the answer says it again.
      const isSaidAgain =
        (item.state === 'done' && !isWork(item.kind)) ||
        (item.state === 'running' && (attempt !== null || item.attempt === 1));
      if (isSaidAgain) {
        if (estimatedMs !== null && item.state === 'running') step.estimated(item, estimatedMs);
        return store.dto(item) ?? damaged();
      }
      if (item.state !== 'claimed') throw notHeld(item, step.taskOf(item));
      const handed = this.#leases.get(deliveryId)?.words;
      step.after(() => this.#release(deliveryId));
      const words = handed === undefined ? step.words(item) : ok(handed);
      if (!words.ok) return words.error;
      if (!isWork(item.kind)) {
        const done = step.put(item, {
          state: 'done',
          leaseUntilWallMs: null,
          finishedAt: this.#deps.clock.wallMs(),
        });
        return store.dto(done, words.value) ?? damaged();
      }
      if (step.endIfCancelled(item, 'agent')) {
        return new AppError('cancelled', 'This task was cancelled. Do not run it.', {
          failedBy: 'peer',
        });
      }
      const running = step.put(item, { state: 'running', leaseUntilWallMs: null });
      step.begun(running, begun);
      return store.dto(running, words.value, step.taskOf(item)) ?? damaged();
    });
    // A refusal may have ended the work, so it is no throw inside the step.
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  }

  /**
   * Gives the item back at once. What was begun only with its attempt: its holder says that nobody
   * works on it any more.
   * @param mayHaveRun what was begun is over then
   * @throws AppError as `ack`, but not cancelled
   */
  async nack(
    agent: string,
    deliveryId: string,
    attempt: Attempt,
    mayHaveRun: boolean,
  ): Promise<GivenBack> {
    return this.#storeOf(deliveryId).step((step) => {
      const item = own(step, agent, deliveryId);
      checkAttempt(item, attempt);
      const isBegun = item.state === 'running' && attempt !== null;
      checkNotHandedOn(step.taskOf(item));
      if (item.state !== 'claimed' && !isBegun) throw notHeld(item, step.taskOf(item));
      if (!isBegun || !mayHaveRun) return this.#giveBack(step, item);
      step.after(() => this.#release(deliveryId));
      step.cutOff(item);
      return 'done';
    });
  }

  /**
   * Keeps the lease alive before "ack"; afterwards only tells that the work goes on. The new end of
   * the lease, or null.
   * @throws AppError as `ack`, but not cancelled
   */
  async extend(
    agent: string,
    deliveryId: string,
    leaseMs: number,
    attempt: Attempt,
  ): Promise<{ readonly leaseUntil: number | null; readonly task: TaskRow | undefined }> {
    return this.#storeOf(deliveryId).step((step) => {
      const item = own(step, agent, deliveryId);
      const task = step.taskOf(item);
      checkAttempt(item, attempt);
      if (item.state === 'running') return { leaseUntil: null, task };
      if (item.state !== 'claimed') throw notHeld(item, task);
      const leaseUntil = Math.round(this.#deps.clock.wallMs() + leaseMs);
      step.put(item, { leaseUntilWallMs: leaseUntil });
      step.after(() => this.#hold(deliveryId, leaseMs));
      return { leaseUntil, task };
    });
  }

  /**
   * Ends the work with the agent's report, which is queued in the same step. The same report again
   * gets the same answer.
   * @throws AppError not_found, gone (it ended otherwise), conflict, payload_too_large
   */
  async reply(
    agent: string,
    deliveryId: string,
    reply: AgentReply,
    attempt: Attempt,
  ): Promise<Replied> {
    const store = this.#storeOf(deliveryId);
    return store.step((step) => {
      const item = own(step, agent, deliveryId);
      const before = step.answered(item, reply);
      const asker = step.askerOf(item);
      const replied = (state: string): Replied => {
        const task = step.taskOf(item);
        return { state, ...(task?.reportBack === false ? TO_NOBODY : sentTo(asker)), task };
      };
      if (before !== undefined) return replied(before);
      checkNotHandedOn(step.taskOf(item));
      const isLate = (item.state === 'queued' || item.state === 'dead') && item.attempt > 0;
      if (item.state !== 'claimed' && item.state !== 'running' && !isLate)
        throw notHeld(item, step.taskOf(item));
      checkAttempt(item, attempt);
      // Its lease is over, and nobody was handed it since: done is done.
      if (isLate) step.claimed(step.put(item, { state: 'claimed' }));
      step.after(() => this.#release(deliveryId));
      return replied(step.replied(item, reply));
    });
  }

  /**
   * Puts a dead item back into its queue for another eight attempts. `agent` null: a person does
   * it. @throws AppError not_found, gone, conflict
   */
  async requeue(agent: string | null, deliveryId: string): Promise<void> {
    await this.#storeOf(deliveryId).step((step) => {
      const item = agent === null ? step.find(deliveryId) : own(step, agent, deliveryId);
      if (!item) throw noSuchItem();
      if (item.state !== 'dead')
        throw inputError('conflict', `This item is ${item.state}, not dead.`);
      const task = step.taskOf(item);
      if (task && !isOpen(task)) throw notHeld(item, task);
      step.returned(step.put(item, { state: 'queued' }));
    });
  }

  #lease(
    store: ItemStore,
    step: Step,
    agent: string,
    max: number,
    leaseMs: number,
    kinds: ItemKinds,
  ): readonly DeliveryDto[] {
    let hasEnded = false;
    return step.claimable(agent, kinds, max).flatMap((read) => {
      // With a task its stop ends, too, which may be another one of these.
      const item = hasEnded ? step.find(read.deliveryId) : read;
      if (item?.state !== read.state) return [];
      // It came back undone, and was cancelled since.
      const isOver = step.endIfCancelled(item, 'hub');
      const words = isOver ? undefined : step.words(item);
      if (words?.ok !== true) {
        hasEnded = true;
        return [];
      }
      const leaseUntilWallMs = Math.round(this.#deps.clock.wallMs() + leaseMs);
      const claimed = step.put(item, {
        state: 'claimed',
        attempt: item.attempt + 1,
        leaseUntilWallMs,
      });
      step.claimed(claimed);
      step.after(() => this.#hold(item.deliveryId, leaseMs, words.value));
      return store.dto(claimed, words.value, step.taskOf(claimed)) ?? [];
    });
  }

  #giveBack(step: Step, item: Item): GivenBack {
    step.after(() => this.#release(item.deliveryId));
    if (step.endIfCancelled(item, 'hub')) return 'done';
    // Attempts keep counting when a person requeues it, so no two attempts at one item share a
    // number.
    const state = item.attempt % DELIVERY_ATTEMPTS_MAX === 0 ? 'dead' : 'queued';
    step.returned(step.put(item, { state, leaseUntilWallMs: null }));
    return state;
  }

  /** Renews the lease. What is claimed while the hub stops continues at the next start. */
  #hold(deliveryId: string, leaseMs: number, words = this.#leases.get(deliveryId)?.words): void {
    this.#release(deliveryId);
    if (this.#isStopped) return;
    const timer = this.#deps.clock.setTimer(leaseMs, () => {
      this.#leases.delete(deliveryId);
      void this.#leaseEnded(deliveryId);
    });
    this.#leases.set(deliveryId, { timer, words });
  }

  #release(deliveryId: string): void {
    this.#leases.get(deliveryId)?.timer.cancel();
    this.#leases.delete(deliveryId);
  }

  async #leaseEnded(deliveryId: string): Promise<void> {
    try {
      await this.#storeOf(deliveryId).step((step) => {
        const item = step.find(deliveryId);
        if (item?.state === 'claimed') this.#giveBack(step, item);
      });
    } catch (error) {
      this.#deps.log.error('lease not ended', { error: String(error) });
      this.#hold(deliveryId, LEASE_RETRY_MS);
    }
  }

  #storeOf(deliveryId: string): ItemStore {
    const { memory, durable } = this.#deps;
    return memory.has(deliveryId) ? memory : durable;
  }
}

const TO_NOBODY = { sent_to: null } as const;

function sentTo({ peer_name: hub, from_agent: agent, from_agent_name: name }: Asker) {
  if (agent === null) return { sent_to: hub };
  return { sent_to: `${hub}/${agent}`, sent_to_name: story.agentAt(name ?? agent, hub) };
}

function own(step: Step, agent: string, deliveryId: string): Item {
  const item = step.find(deliveryId);
  if (item?.agent === agent) return item;
  const ended = step.answeredBefore(agent, deliveryId);
  throw ended === undefined ? noSuchItem() : answeredAlready(ended, null);
}

/** @throws AppError conflict when the item was delivered again since */
function checkAttempt(item: Item, attempt: Attempt): void {
  if (attempt === null || attempt === item.attempt) return;
  throw inputError(
    'conflict',
    `You do not hold this item: it was delivered again (attempt ${item.attempt}).`,
    {
      hint: 'Take it from the inbox again.',
      data: { attempt: item.attempt },
    },
  );
}

/** Whoever has it now ends it. @throws AppError conflict */
function checkNotHandedOn(task: TaskRow | undefined): void {
  if (task === undefined || task.handedOnTo === null || !isOpen(task)) return;
  const { agent } = answererOf(task);
  throw inputError(
    'conflict',
    `You handed this on to ${agent === null ? 'another hub' : `"${agent}"`}, whose answer ends it.`,
    {
      hint: 'Cancel the hand-off to have it back.',
    },
  );
}

function damaged(): AppError {
  return new AppError('internal', 'The stored item was damaged.');
}

function noSuchItem(): AppError {
  return inputError(
    'not_found',
    'There is no such item in this inbox. A question is gone once nobody waits for its answer.',
  );
}

/** @param state what the answer made of it */
function answeredAlready(state: string, code: string | null): AppError {
  return inputError('gone', `You answered it already, and it ended as ${state}.`, {
    hint: 'Nothing is left to do. The first answer stands.',
    data: { state, code },
  });
}

function notHeld(item: Item, task: TaskRow | undefined): AppError {
  // Cancelled is what whoever asked ended; an agent that was asked to stop has stopped.
  if (task?.endedBy === 'agent' && task.endedKind !== 'cancelled' && task.handedOnTo === null)
    return answeredAlready(task.state, task.code);
  if (task && !isOpen(task)) {
    const code = task.code === null ? '' : ` (${task.code})`;
    return inputError(
      'gone',
      isStoppedHere(task)
        ? 'This task has ended: a person on this hub stopped it.'
        : `This task has ended: ${task.state}${code}.`,
      {
        data: { state: task.state, code: task.code },
      },
    );
  }
  const why =
    item.state === 'running'
      ? 'it is running already'
      : item.state === 'queued'
        ? 'its lease is over'
        : `it is ${item.state}`;
  return inputError('conflict', `You do not hold this item: ${why}.`, {
    hint: 'Take it from the inbox again.',
  });
}
