// Inbox items that survive a restart: rows of the database, each step one commit. Owns what depends
// on them: the task to be done, whose words must be those that were allowed, and the notice to
// people about an item that is given out no more.
import { plural } from '../../../preload/contract/strings/shared-words.ts';
import { becameOf } from '../../../preload/contract/strings/story.ts';
import { isTask } from '../../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DeliveryRow, Reads, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { Untrusted } from '../tasks/approved-payload.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import { isLocal, isTrusted } from '../tasks/parties.ts';
import type { PeopleFeed } from '../tasks/people-feed.ts';
import {
  CUT_OFF,
  endedByAgent,
  STOPPED_HERE,
  untrusted,
  type Ending,
  type ResultWords,
  type TaskEndings,
} from '../tasks/task-endings.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import { changeTask, isOpen, isStoppedHere, moveTask } from '../tasks/task-moves.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import {
  checkStop,
  codeOf,
  endStateOf,
  isFailure,
  resultOf,
  type AgentReply,
} from './agent-reply.ts';
import { dialectNamed } from '../../dialects/index.ts';
import { URGENCY, type Deliveries } from './deliveries.ts';
import { deliveryDto, readDeliveryBody } from './delivery-body.ts';
import type { Asker, Begun, Item, ItemKinds, ItemStore, ListedState, Step } from './items.ts';
import type { Progress } from './progress.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
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
const CANCELLED = {
  state: 'cancelled',
  code: 'cancelled',
  reason: 'It was cancelled before the agent had begun.',
} as const;
/** As whoever asked is told; the record names the person. */
const STOPPED = { state: 'failed', code: 'rejected', reason: STOPPED_HERE } as const;
/** Of what its agent gave back after it had begun. */
const CANCELLED_MEANWHILE = 'It was cancelled, and the agent stopped before it was done.';

export class DurableItems implements ItemStore {
  readonly #deps: Deps;

  /** Agents known to have nothing queued or claimed. Register other listeners after this one. */
  readonly #idle = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.deliveries.onQueued((agent) => this.#idle.delete(agent));
  }

  isWaiting(agent: string, kinds: ItemKinds): boolean {
    return !this.#isIdle(agent) && this.#deps.store.read.claimable(agent, kinds, 1).length > 0;
  }

  step<T>(work: (step: Step) => T): Promise<T> {
    return this.#deps.unit.run((tables, after) => work(new DurableStep(this.#deps, tables, after)));
  }

  list(agent: string, state: ListedState, afterSeq: number, limit: number): readonly Item[] {
    return this.#deps.store.read.deliveriesOfAgent(agent, [state], { limit, afterSeq });
  }

  newestDone(agent: string, limit: number): readonly Item[] {
    return this.#deps.store.read.newestOf(agent, 'done', limit);
  }

  leasedCount(agent: string): number {
    return this.#isIdle(agent) ? 0 : this.#deps.store.read.countDeliveries(agent, ['claimed']);
  }

  leased(): readonly Item[] {
    return this.#deps.store.read.expiredLeases(Number.MAX_SAFE_INTEGER);
  }

  dto(
    item: Item,
    known?: Untrusted,
    task = taskOf(this.#deps.store.read, item),
  ): DeliveryDto | undefined {
    const { store, tasks, deliveries } = this.#deps;
    const words = known === undefined ? deliveries.wordsOf(store.read, item, task) : ok(known);
    const body = readDeliveryBody(item);
    if (!words.ok || body === undefined) return undefined;
    const ended =
      item.kind === 'result' && item.taskId !== null ? store.read.task(item.taskId) : undefined;
    const said =
      ended === undefined
        ? words.value
        : { ...words.value, came_of_it: becameOf(tasks.story(ended, item.agent)) };
    return deliveryDto(item, body, said, task ? tasks.deadlineAt(task) : null);
  }

  /** A question in memory asks this four times on its way. */
  #isIdle(agent: string): boolean {
    if (this.#idle.has(agent)) return true;
    const isIdle = this.#deps.store.read.countDeliveries(agent, ['queued', 'claimed']) === 0;
    if (isIdle) this.#idle.add(agent);
    return isIdle;
  }
}

/** Urgent items among which the critical ones are looked for. */
const URGENT_LOOKED_AT = 64;

/** One commit. */
class DurableStep implements Step {
  readonly after: After;
  readonly #deps: Deps;
  readonly #tables: Tables;
  /** Tasks as this commit has them. */
  readonly #tasks = new Map<string, TaskRow>();

  constructor(deps: Deps, tables: Tables, after: After) {
    this.#deps = deps;
    this.#tables = tables;
    this.after = after;
  }

  find(deliveryId: string): Item | undefined {
    return this.#tables.delivery(deliveryId);
  }

  /** All of them are kept. */
  answeredBefore(): undefined {
    return undefined;
  }

  claimable(agent: string, kinds: ItemKinds, max: number): readonly Item[] {
    // A removed agent may still have a stream open.
    if (this.#tables.agent(agent) === undefined) return [];
    const next = this.#tables.claimable(agent, kinds, max);
    if (next[0]?.urgency !== URGENCY.urgent) return next;
    const most = Math.max(max, URGENT_LOOKED_AT);
    const before = this.#tables.claimable(agent, kinds, most);
    const first = before.filter(isFirst);
    return [...first, ...before.filter((one) => !first.includes(one))].slice(0, max);
  }

  put(item: Item, change: Parameters<Step['put']>[1]): Item {
    assert(
      this.#tables.updateDelivery(item.deliveryId, item.state, change),
      'an item read in this commit has not changed since',
    );
    return { ...item, ...change };
  }

  words(item: Item): Result<Untrusted, AppError> {
    const { deliveries, audit, clock } = this.#deps;
    const task = this.taskOf(item);
    if (task && isOpen(task) && !isTrusted(this.#tables, task.party)) {
      const ended = this.#end(task, untrusted(this.#tables, task));
      return err(inputError('gone', ended.reason ?? 'This task has ended.'));
    }
    const words = deliveries.wordsOf(this.#tables, item, task);
    if (words.ok) return words;
    // What is stored is not what was allowed: nobody gets it, and whoever asked is told.
    const detail = { task: item.taskId };
    audit.append(this.#tables, {
      actor: 'hub',
      surface: 'hub',
      action: 'delivery.refused',
      object: item.deliveryId,
      detail,
    });
    this.put(item, { state: 'done', leaseUntilWallMs: null, finishedAt: clock.wallMs() });
    if (task && isOpen(task)) {
      const by = { by: 'hub', surface: 'hub', from: 'hub' } as const;
      this.#end(task, {
        state: 'failed',
        code: 'internal',
        reason: DAMAGED,
        ended: { by: 'hub', kind: 'failed' },
        ...by,
      });
    }
    return err(new AppError('gone', DAMAGED));
  }

  claimed(item: Item): void {
    const now = this.#deps.clock.wallMs();
    const task = this.taskOf(item);
    if (task) {
      const handed = { handedAt: task.handedAt ?? now, handedTimes: item.attempt };
      this.#changed(moveTask(this.#tables, task, 'claimed', handed));
    }
    if (item.kind === 'cancel' && item.taskId !== null) this.#reached(item.taskId, now);
  }

  /** Its agent reads that it is to stop. */
  #reached(taskId: string, now: number): void {
    const task = this.#tables.task(taskId);
    if (task === undefined || !isOpen(task) || task.stopAt === null) return;
    if (task.stopReachedAt === null)
      this.#changed(changeTask(this.#tables, task, { stopReachedAt: now }));
  }

  endIfCancelled(item: Item, by: 'agent' | 'hub'): boolean {
    const task = this.taskOf(item);
    if (!task || !isOpen(task) || this.#tables.deliveryOfTask(task.id, 'cancel') === undefined)
      return false;
    const isStopped = isStoppedHere(task);
    this.#end(task, {
      ...(isStopped ? STOPPED : CANCELLED),
      ...(!isStopped && task.state === 'running' ? { reason: CANCELLED_MEANWHILE } : {}),
      by: by === 'agent' ? item.agent : 'hub',
      surface: by,
      from: 'runner',
      ended: by === 'agent' ? { by, kind: 'stopped' } : { by, kind: 'cancelled' },
    });
    return true;
  }

  begun(item: Item, { estimatedMs, isAccepted }: Begun): void {
    const { deliveries, progress } = this.#deps;
    const task = this.taskOf(item);
    if (!task) return;
    this.#changed(moveTask(this.#tables, task, 'running', { estimatedMs }));
    // An agent whose language has a word for it says it by itself.
    const language = dialectNamed(this.#tables.agent(item.agent)?.dialect);
    const isUntold = isAccepted && language?.hasAcceptance !== true;
    if (isUntold) deliveries.putAcceptance(this.#tables, this.after, task, estimatedMs);
    this.after(() => progress.tell(task, { state: 'running', estimatedMs, isAccepted: isUntold }));
  }

  estimated(item: Item, estimatedMs: number): void {
    const task = this.taskOf(item);
    if (!task || !isOpen(task)) return;
    this.#changed(changeTask(this.#tables, task, { estimatedMs }));
    this.after(() => this.#deps.progress.tell(task, { state: 'running', estimatedMs }));
  }

  returned(item: Item): void {
    const { deliveries, feed, progress } = this.#deps;
    const task = this.taskOf(item);
    if (task && isOpen(task) && task.state !== 'queued') {
      this.#changed(moveTask(this.#tables, task, 'queued'));
      // Whoever asked was told that it had begun.
      if (task.state === 'running') this.after(() => progress.tell(task, { state: 'queued' }));
    }
    this.after(() => deliveries.announce(item));
    if (item.state === 'queued') return;
    const handed = plural(item.attempt, {
      one: 'once, and it came back undone',
      other: '{n} times, and it came back undone each time',
    });
    const sentence = `"${item.agent}" was handed an item ${handed}. Nobody gets it again: ask anew.`;
    feed.notice(this.#tables, this.after, 'axon.inbox', 'high', sentence);
  }

  cutOff(item: Item): void {
    const task = this.taskOf(item);
    assert(task !== undefined, 'what was begun is a task');
    this.#end(task, {
      state: 'cancelled',
      code: 'cancelled',
      reason: CUT_OFF,
      by: 'hub',
      surface: 'hub',
      from: 'hub',
      ended: { by: 'hub', kind: 'possibly_executed' },
    });
  }

  answered(item: Item, reply: AgentReply): string | undefined {
    const task = this.taskOf(item);
    if (!task) throw inputError('bad_request', `A ${item.kind} needs no reply; "ack" it.`);
    return !isOpen(task) && task.result === JSON.stringify(reportOf(task, reply).result)
      ? task.state
      : undefined;
  }

  replied(item: Item, reply: AgentReply): string {
    const task = this.taskOf(item);
    assert(task !== undefined, 'what is answered is a task');
    const { clock } = this.#deps;
    checkStop(reply, this.#tables.deliveryOfTask(task.id, 'cancel') !== undefined);
    if (!isLocal(task.party))
      this.#tables.addTokens(task.party, clock.wallMs(), 'here', reply.tokens_used ?? 0);
    const { state, code, result, hasStopped } = reportOf(task, reply);
    const ended = this.#end(task, {
      ended: hasStopped
        ? { by: 'agent', kind: 'stopped' }
        : endedByAgent(result, code, task.stopAt !== null),
      state,
      code,
      reason: null,
      result,
      by: item.agent,
      surface: 'agent',
      from: 'runner',
    });
    return ended.state;
  }

  askerOf(item: Item): Asker {
    const task = this.taskOf(item);
    assert(task !== undefined, 'what is answered is a task');
    return this.#deps.deliveries.askerOf(task);
  }

  taskOf(item: Item): TaskRow | undefined {
    const known = isTask(item.kind) ? this.#tasks.get(item.taskId ?? '') : undefined;
    const task = known ?? taskOf(this.#tables, item);
    if (task) this.#tasks.set(task.id, task);
    return task;
  }

  #end(task: TaskRow, ending: Ending): TaskRow {
    const ended = this.#deps.endings.end(this.#tables, this.after, task, ending);
    this.#tasks.set(task.id, ended);
    return ended;
  }

  #changed(task: TaskRow): void {
    this.#tasks.set(task.id, task);
    this.after(() => this.#deps.events.changed(task.id));
  }
}

function isFirst(row: DeliveryRow): boolean {
  return row.kind === 'delegate' && readDeliveryBody(row)?.first === true;
}

/** A result or a cancel only names its task. */
function taskOf(reads: Reads, { kind, taskId }: Item): TaskRow | undefined {
  return isTask(kind) && taskId !== null ? reads.task(taskId) : undefined;
}

/** How the work ends by this reply. What a person here stopped, whoever asked did not cancel. */
function reportOf(
  task: TaskRow,
  reply: AgentReply,
): Pick<Ending, 'state' | 'code'> & { readonly result: ResultWords; readonly hasStopped: boolean } {
  const result = resultOf(reply);
  const hasStopped = endStateOf(reply) === 'cancelled';
  if (hasStopped && isStoppedHere(task))
    return {
      state: 'failed',
      code: 'rejected',
      result: { ...result, code: 'rejected' },
      hasStopped,
    };
  const code = isFailure(reply.status) ? codeOf(reply) : null;
  return { state: endStateOf(reply), code, result, hasStopped };
}
