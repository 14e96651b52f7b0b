// Inbox items that survive everything: queued -> claimed -> running -> done or dead, each step one commit, answered only after it. Until an agent
// says "I have it", an item whose lease ends goes back under the same id, eight times; from then on it is never handed out again.
import { isTask } from '../../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { DeliveryRow, Store, TaskRow, Tables } from '../../ports/store.ts';
import { endStateOf, codeOf, resultOf, type AgentReply } from './agent-reply.ts';
import type { AuditTrail } from '../tasks/audit-trail.ts';
import type { Untrusted } from '../tasks/approved-payload.ts';
import { deliveryDto, readDeliveryBody } from './delivery-body.ts';
import type { Deliveries } from './deliveries.ts';
import type { PeopleFeed } from '../tasks/people-feed.ts';
import { checkAttempt, Leases, type Attempt } from './leases.ts';
import { DELIVERY_ATTEMPTS_MAX, LEASE_MAX_MS } from './limits.ts';
import { isTrusted } from '../tasks/parties.ts';
import type { Progress } from './progress.ts';
import { untrusted, type TaskEndings } from '../tasks/task-endings.ts';
import { isOpen, moveTask } from '../tasks/task-moves.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import type { After, UnitOfWork } from '../tasks/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly deliveries: Deliveries;
  readonly endings: TaskEndings;
  readonly tasks: TaskViews;
  readonly progress: Progress;
  readonly events: TaskEvents;
  readonly feed: Pick<PeopleFeed, 'notice'>;
  readonly audit: AuditTrail;
}

const DAMAGED = 'The stored request was damaged; it was not run.';
const CALLED_OFF = { state: 'cancelled', code: 'cancelled', reason: 'It was called off before the agent had begun.' } as const;

export class DurableItems {
  readonly #deps: Deps;
  readonly #leases: Leases;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#leases = new Leases(deps, (deliveryId) => void this.#leaseEnded(deliveryId));
  }

  /** Goes on with the leases of the run before; one that ended meanwhile ends now. */
  start(): void {
    const now = this.#deps.clock.wallMs();
    this.#isStopped = false;
    for (const row of this.#deps.store.read.expiredLeases(Number.MAX_SAFE_INTEGER)) {
      // The wall clock may have been set meanwhile: back by hours, it would keep the item from everybody for as long.
      this.#leases.hold(row.deliveryId, Math.min(LEASE_MAX_MS, Math.max(0, (row.leaseUntilWallMs ?? now) - now)));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#leases.stop();
  }

  /** Hands out up to `max` items under a lease. */
  async claim(agent: string, max: number, leaseMs: number, kinds: readonly DeliveryRow['kind'][] | null): Promise<readonly DeliveryDto[]> {
    if (this.#deps.store.read.claimable(agent, kinds, 1).length === 0) return [];
    return this.#deps.unit.run((tables, after) => {
      // A removed agent may still be waiting on an open line.
      if (tables.agent(agent) === undefined) return [];
      return tables.claimable(agent, kinds, max).flatMap((row) => {
        const handed = this.#handOut(tables, after, row, leaseMs);
        return handed === undefined ? [] : [handed];
      });
    });
  }

  leased(agent: string, afterSeq: number, limit: number): readonly DeliveryDto[] {
    const { store, deliveries } = this.#deps;
    return store.read.deliveriesOfAgent(agent, ['claimed'], { limit, afterSeq }).flatMap((row) => {
      const words = deliveries.wordsOf(store.read, row);
      return words.ok ? [this.#dto(row, words.value)] : [];
    });
  }

  /** How many items are leased to this agent. */
  leasedCount(agent: string): number {
    return this.#deps.store.read.countDeliveries(agent, ['claimed']);
  }

  dead(agent: string, limit: number, afterSeq: number): readonly DeliveryDto[] {
    const { store, deliveries } = this.#deps;
    return store.read.deliveriesOfAgent(agent, ['dead'], { limit, afterSeq }).flatMap((row) => {
      const words = deliveries.wordsOf(store.read, row);
      return words.ok ? [this.#dto(row, words.value)] : [];
    });
  }

  /**
   * "I have it": the item is never handed out again, and exactly one hand-out of it is ever taken: whoever says so again must be the one
   * that was handed this attempt. @throws AppError not_found, gone, cancelled, conflict
   */
  async ack(agent: string, deliveryId: string, estimatedMs: number | null, attempt: Attempt): Promise<DeliveryDto> {
    const outcome = await this.#deps.unit.run((tables, after): DeliveryRow | AppError => {
      const row = this.#own(tables, agent, deliveryId);
      const task = this.#taskOf(tables, row);
      checkAttempt(row, attempt);
      // Said before: an agent that did not hear the answer says it again.
      if (row.state === 'done' && !isTask(row.kind)) return row;
      if (row.state === 'running' && (attempt !== null || row.attempt === 1)) return row;
      if (row.state !== 'claimed') throw notHeld(row, task);
      after(() => this.#leases.release(deliveryId));
      if (!this.#deps.deliveries.wordsOf(tables, row).ok) {
        this.#refuse(tables, after, row, task);
        return new AppError('gone', DAMAGED);
      }
      if (!task) return this.#update(tables, row, { state: 'done', leaseUntilWallMs: null, finishedAt: this.#deps.clock.wallMs() });
      if (isCalledOff(tables, task)) {
        this.#deps.endings.end(tables, after, task, { ...CALLED_OFF, by: agent, surface: 'agent', from: 'runner' });
        return new AppError('cancelled', 'This task was called off. Do not run it.', { failedBy: 'peer' });
      }
      moveTask(tables, task, 'running', { estimatedMs });
      after(() => {
        this.#deps.events.changed(task.id);
        void this.#deps.progress.tell(task, { state: 'running' });
      });
      return this.#update(tables, row, { state: 'running', leaseUntilWallMs: null });
    });
    if (outcome instanceof AppError) throw outcome;
    const words = this.#deps.deliveries.wordsOf(this.#deps.store.read, outcome);
    if (!words.ok) throw new AppError('internal', 'The stored item was damaged.');
    return this.#dto(outcome, words.value);
  }

  /** Gives the item back at once. @throws AppError as `ack`, but not cancelled; conflict also where it runs already */
  async nack(agent: string, deliveryId: string, attempt: Attempt): Promise<'queued' | 'dead'> {
    return this.#deps.unit.run((tables, after) => {
      const row = this.#own(tables, agent, deliveryId);
      const task = this.#taskOf(tables, row);
      checkAttempt(row, attempt);
      if (row.state !== 'claimed') throw notHeld(row, task);
      return this.#giveBack(tables, after, row);
    });
  }

  /**
   * Keeps the lease alive before "ack"; afterwards only tells that the work goes on. The new end of the lease, or null.
   * @throws AppError as `ack`, but not cancelled
   */
  async extend(
    agent: string,
    deliveryId: string,
    leaseMs: number,
    attempt: Attempt,
  ): Promise<{ readonly leaseUntil: number | null; readonly task: TaskRow | undefined }> {
    return this.#deps.unit.run((tables, after) => {
      const row = this.#own(tables, agent, deliveryId);
      const task = this.#taskOf(tables, row);
      checkAttempt(row, attempt);
      if (row.state === 'running') return { leaseUntil: null, task };
      if (row.state !== 'claimed') throw notHeld(row, task);
      const leaseUntil = Math.round(this.#deps.clock.wallMs() + leaseMs);
      this.#update(tables, row, { leaseUntilWallMs: leaseUntil });
      after(() => this.#hold(deliveryId, leaseMs));
      return { leaseUntil, task };
    });
  }

  /**
   * Ends the task with the agent's report, which leaves with the same commit. The same report again gets the same answer.
   * @throws AppError not_found, gone (it ended otherwise), conflict, payload_too_large
   */
  async reply(agent: string, deliveryId: string, reply: AgentReply, attempt: Attempt): Promise<string> {
    return this.#deps.unit.run((tables, after) => {
      const row = this.#own(tables, agent, deliveryId);
      const task = this.#taskOf(tables, row);
      if (!task) throw new AppError('bad_request', `A ${row.kind} needs no reply; "ack" it.`, { failedBy: 'input' });
      const result = resultOf(reply);
      if (!isOpen(task) && task.result === JSON.stringify(result)) return task.state;
      if (row.state !== 'claimed' && row.state !== 'running') throw notHeld(row, task);
      checkAttempt(row, attempt);
      after(() => this.#leases.release(deliveryId));
      const failed = reply.status === 'failed';
      const ended = this.#deps.endings.end(tables, after, task, {
        state: endStateOf(reply),
        code: failed ? codeOf(reply) : null,
        reason: null,
        result,
        by: agent,
        surface: 'agent',
        from: 'runner',
      });
      return ended.state;
    });
  }

  /** Puts a dead item back into its queue for another eight attempts. `agent` null: a person does it. @throws AppError not_found, gone, conflict */
  async requeue(agent: string | null, deliveryId: string): Promise<void> {
    await this.#deps.unit.run((tables, after) => {
      const row = agent === null ? tables.delivery(deliveryId) : this.#own(tables, agent, deliveryId);
      if (!row) throw noSuchItem();
      if (row.state !== 'dead') throw new AppError('conflict', `This item is ${row.state}, not dead.`, { failedBy: 'input' });
      const task = this.#taskOf(tables, row);
      if (task && !isOpen(task)) throw notHeld(row, task);
      const queued = this.#update(tables, row, { state: 'queued' });
      after(() => this.#deps.deliveries.announce(queued));
    });
  }

  #handOut(tables: Tables, after: After, row: DeliveryRow, leaseMs: number): DeliveryDto | undefined {
    const task = this.#taskOf(tables, row);
    if (task && isOpen(task) && !isTrusted(tables, task.party)) {
      this.#deps.endings.end(tables, after, task, untrusted(tables, task));
      return undefined;
    }
    const words = this.#deps.deliveries.wordsOf(tables, row);
    if (!words.ok) {
      this.#refuse(tables, after, row, task);
      return undefined;
    }
    const leaseUntilWallMs = Math.round(this.#deps.clock.wallMs() + leaseMs);
    const claimed = this.#update(tables, row, { state: 'claimed', attempt: row.attempt + 1, leaseUntilWallMs });
    if (task) {
      moveTask(tables, task, 'claimed');
      after(() => this.#deps.events.changed(task.id));
    }
    after(() => this.#hold(row.deliveryId, leaseMs));
    return this.#dto(claimed, words.value);
  }

  /** What is stored is not what was allowed: nobody gets it, and whoever asked is told. */
  #refuse(tables: Tables, after: After, row: DeliveryRow, task: TaskRow | undefined): void {
    const { audit, clock, endings } = this.#deps;
    const detail = { task: row.taskId };
    audit.append(tables, { actor: 'hub', surface: 'hub', action: 'delivery.refused', object: row.deliveryId, detail });
    this.#update(tables, row, { state: 'done', leaseUntilWallMs: null, finishedAt: clock.wallMs() });
    if (!task || !isOpen(task)) return;
    endings.end(tables, after, task, { state: 'failed', code: 'internal', reason: DAMAGED, by: 'hub', surface: 'hub', from: 'hub' });
  }

  #giveBack(tables: Tables, after: After, row: DeliveryRow): 'queued' | 'dead' {
    const task = this.#taskOf(tables, row);
    after(() => this.#leases.release(row.deliveryId));
    if (task && isOpen(task) && isCalledOff(tables, task)) {
      this.#deps.endings.end(tables, after, task, { ...CALLED_OFF, by: 'hub', surface: 'hub', from: 'runner' });
      return 'dead';
    }
    // Attempts are counted on when a person puts it back, so that no two hand-outs of one item ever have the same number.
    const state = row.attempt % DELIVERY_ATTEMPTS_MAX === 0 ? 'dead' : 'queued';
    const back = this.#update(tables, row, { state, leaseUntilWallMs: null });
    if (task && isOpen(task)) {
      moveTask(tables, task, 'queued');
      after(() => this.#deps.events.changed(task.id));
    }
    if (state === 'queued') after(() => this.#deps.deliveries.announce(back));
    else
      this.#deps.feed.notice(
        tables,
        after,
        'axon.inbox',
        'high',
        `"${row.agent}" was handed an item ${row.attempt} times and never took it. It waits in the dead list.`,
      );
    return state;
  }

  /** What is committed while the hub stops is gone on with at the next start. */
  #hold(deliveryId: string, leaseMs: number): void {
    if (!this.#isStopped) this.#leases.hold(deliveryId, leaseMs);
  }

  async #leaseEnded(deliveryId: string): Promise<void> {
    try {
      await this.#deps.unit.run((tables, after) => {
        const row = tables.delivery(deliveryId);
        if (row?.state === 'claimed') this.#giveBack(tables, after, row);
      });
    } catch (error) {
      this.#deps.log.error('lease not ended', { error: String(error) });
      this.#hold(deliveryId, LEASE_RETRY_MS);
    }
  }

  #dto(row: DeliveryRow, untrusted: Untrusted): DeliveryDto {
    const { store, tasks } = this.#deps;
    const task = isTask(row.kind) && row.taskId !== null ? store.read.task(row.taskId) : undefined;
    const body = readDeliveryBody(row);
    assert(body !== undefined, 'an item whose words were read has a body');
    return deliveryDto(row, body, untrusted, task ? tasks.deadlineAt(task) : null);
  }

  #own(tables: Tables, agent: string, deliveryId: string): DeliveryRow {
    const row = tables.delivery(deliveryId);
    if (row?.agent === agent) return row;
    throw noSuchItem();
  }

  /** The task that this item is to be done; a result or a cancel only names one. */
  #taskOf(tables: Tables, row: DeliveryRow): TaskRow | undefined {
    return isTask(row.kind) && row.taskId !== null ? tables.task(row.taskId) : undefined;
  }

  #update(tables: Tables, row: DeliveryRow, change: Partial<Omit<DeliveryRow, 'seq' | 'deliveryId'>>): DeliveryRow {
    assert(tables.updateDelivery(row.deliveryId, row.state, change), 'an item read in this commit has not changed since');
    return { ...row, ...change };
  }
}

/** When the store did not take the end of a lease, it is tried again after this. */
const LEASE_RETRY_MS = 5_000;

/** True when whoever asked has called it off while an agent held it. */
export function isCalledOff(tables: Tables, task: TaskRow): boolean {
  return tables.deliveryOfTask(task.id, 'cancel') !== undefined;
}

function noSuchItem(): AppError {
  return new AppError('not_found', 'There is no such item in this inbox.', { failedBy: 'input' });
}

function notHeld(row: DeliveryRow, task: TaskRow | undefined): AppError {
  if (task && !isOpen(task)) {
    return new AppError('gone', `This task has ended: ${task.state}${task.code === null ? '' : ` (${task.code})`}.`, {
      failedBy: 'input',
      data: { state: task.state, code: task.code },
    });
  }
  const why = row.state === 'running' ? 'it is running already' : row.state === 'queued' ? 'its lease is over' : `it is ${row.state}`;
  return new AppError('conflict', `You do not hold this item: ${why}.`, { failedBy: 'input', hint: 'Claim again.' });
}
