// The tasks an agent or a person may look at, wait for and cancel. Never changes a task itself:
// Cancelling and TaskEndings do that.
import type { JsonObject } from '../../lib/json-object.ts';
import { DIALECTS_EXTENSION } from '../../protocol/kinds.ts';
import type { TaskDto } from '../../../preload/contract/dto.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { cancelledOf } from '../../../preload/contract/strings/story.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { Result } from '../../lib/result.ts';
import { workInTurns } from '../../lib/next-turn.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store, TaskRow, Tables } from '../../ports/store.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { parseAck } from '../../protocol/payloads.ts';
import type { OutgoingMessage, PeerMessenger } from '../base/peer-messenger.ts';
import type { Cancelling } from '../inbox/cancelling.ts';
import {
  ACK_TIMEOUT_MS,
  TASK_WAITERS_MAX,
  TASKS_AT_ONCE,
  TASKS_TEXT_MAX_CHARACTERS,
} from './limits.ts';
import {
  cancelOf,
  youCancelled,
  type CancelMessage,
  type OutgoingCancels,
} from './outgoing-cancels.ts';
import { pageInPieces, type Page } from '../base/paging.ts';
import type { Decider } from '../base/audit-trail.ts';
import { peerAway } from './send-reports.ts';
import { OWNER_PARTY, partyOfAgent } from '../tasks/parties.ts';
import type { TaskEndings } from '../tasks/task-endings.ts';
import { changeTask, isOpen } from '../tasks/task-moves.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';

/** An agent sees its own tasks, a person all. */
export type Viewer = { readonly agent: string } | { readonly person: Decider };

export interface TaskFilter {
  readonly conversation?: string | undefined;
  readonly state?: OperationParams<'tasks.list'>['state'];
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly views: TaskViews;
  readonly endings: TaskEndings;
  readonly cancels: OutgoingCancels;
  readonly cancelling: Cancelling;
  readonly events: TaskEvents;
  readonly personName: () => string | null;
}

export class Tasks {
  readonly #deps: Deps;
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.events.onChanged(({ taskId }) => {
      const waiters = this.#waiters.get(taskId);
      const task = waiters && deps.store.read.task(taskId);
      if (task && !isOpen(task)) for (const wake of waiters ?? []) wake();
    });
  }

  /**
   * A few tasks a turn of the event loop. With a state, or where its tasks are long, a page may
   * hold fewer than its limit although there is a next one.
   */
  list(page: Page, viewer: Viewer, filter: TaskFilter = {}): Promise<Items<TaskDto>> {
    return workInTurns(this.#deps.clock, this.#pieces(page, viewer, filter));
  }

  #pieces(
    page: Page,
    viewer: Viewer,
    { conversation: conversationId, state }: TaskFilter,
  ): Generator<void, Items<TaskDto>> {
    const { store, views } = this.#deps;
    const isWanted = (task: TaskRow): boolean =>
      state === undefined || (state === 'open' ? isOpen(task) : views.now(task).state === state);
    const filter = {
      ...('agent' in viewer ? { knownTo: viewer.agent } : {}),
      ...(conversationId === undefined ? {} : { conversationId }),
    };
    return pageInPieces(page, {
      read: (rows) => store.read.tasks(rows, filter),
      toItem: (task) => (isWanted(task) ? views.dto(task, agentOf(viewer)) : undefined),
      rowsAtOnce: TASKS_AT_ONCE,
      size: (task) => (isWanted(task) ? task.payload.length + (task.result?.length ?? 0) : 0),
      sizeMax: TASKS_TEXT_MAX_CHARACTERS,
    });
  }

  /** The task, after it has ended or `waitMs` have passed. @throws AppError not_found */
  async get(id: string, viewer: Viewer, waitMs: number, signal: AbortSignal): Promise<TaskDto> {
    const task = this.#find(id, viewer);
    if (waitMs > 0 && isOpen(task)) await this.#ended(id, waitMs, signal);
    return this.#deps.views.dto(this.#find(id, viewer), agentOf(viewer));
  }

  /**
   * @param origin the cancel as it was written in a dialect
   * @throws AppError not_found, conflict (it has ended), peer_unreachable, unsupported_feature, or
   * the other hub's refusal
   */
  async cancel(
    id: string,
    viewer: Viewer,
    reason: string | null,
    origin: JsonObject | null = null,
  ): Promise<TaskDto> {
    const task = this.#find(id, viewer);
    if ('agent' in viewer && (task.direction === 'incoming' || task.fromAgent !== viewer.agent)) {
      throw new AppError('forbidden', 'Only whoever asked for a task can cancel it.', {
        hint: 'An agent that runs it and will not go on replies with status "failed".',
      });
    }
    if (!isOpen(task)) throw this.#hasEnded(task, viewer);
    // Said before, and on its way.
    if (task.state === 'cancelling') return this.#deps.views.dto(task, agentOf(viewer));
    if (task.direction === 'outgoing' && this.#isUnclear(task))
      await this.#cancelUnclear(task, viewer, reason, origin);
    else if (task.direction === 'outgoing') await this.#cancelThere(task, viewer, reason, origin);
    else await this.#cancelHere(task, viewer, reason, origin);
    return this.#deps.views.dto(this.#find(id, viewer), agentOf(viewer));
  }

  async #cancelHere(
    task: TaskRow,
    viewer: Viewer,
    reason: string | null,
    origin: JsonObject | null,
  ): Promise<void> {
    const { unit, cancelling, random, events } = this.#deps;
    const asker = 'agent' in viewer;
    await unit.run((tables, after) => {
      const outcome = cancelling.cancel(tables, after, tables.task(task.id), {
        messageId: random.uuid(),
        reason,
        origin,
        by: asker ? viewer.agent : 'owner',
        // A person who asked for it takes it back as the one who asked; any other one stops it.
        asks:
          asker || (task.direction === 'local' && task.party === OWNER_PARTY)
            ? { party: asker ? partyOfAgent(viewer.agent) : OWNER_PARTY }
            : { person: this.#deps.personName() },
        surface: asker ? 'agent' : viewer.person.surface,
        from: asker ? 'asker' : 'hub',
      });
      if (outcome === undefined) throw this.#hasEnded(tables.task(task.id) ?? task, viewer);
      if (outcome === 'asked_to_stop') after(() => events.changed(task.id));
    });
  }

  /** Whether nobody here knows if the other hub has it, or a cancel of it. */
  #isUnclear(task: TaskRow): boolean {
    if (task.kind !== 'delegate') return false;
    return task.state === 'sending' || this.#deps.cancels.isUnanswered(task);
  }

  /** It is cancelled there as soon as possible, not sent again, and ends by that hub's answer. */
  async #cancelUnclear(
    task: TaskRow,
    viewer: Viewer,
    reason: string | null,
    origin: JsonObject | null,
  ): Promise<void> {
    const said = cancelOf(task, reason, this.#readsDialects(task) ? origin : null);
    const isDone = await this.#deps.unit.run((tables, after) => {
      const current = tables.task(task.id);
      if (current === undefined || !isOpen(current) || !this.#isUnclear(current)) return false;
      this.#deps.cancels.begin(tables, after, current, 'cancelled', reason, { said });
      return true;
    });
    if (!isDone) await this.cancel(task.id, viewer, reason, origin);
  }

  #readsDialects({ party }: TaskRow): boolean {
    return this.#deps.messenger.extensions(party).includes(DIALECTS_EXTENSION);
  }

  /** Asks the hub that has it. */
  async #cancelThere(
    task: TaskRow,
    viewer: Viewer,
    reason: string | null,
    origin: JsonObject | null,
  ): Promise<void> {
    const { store, messenger, random, cancels } = this.#deps;
    const name = store.read.peer(task.party)?.petname ?? 'The other hub';
    if (!messenger.isOnline(task.party)) throw peerAway(name, messenger.isShutOut(task.party));
    if (!messenger.features(task.party).includes('cancel')) {
      throw new AppError('unsupported_feature', `${name} does not take cancels.`, {
        hint: 'Wait for its result, or for the deadline.',
      });
    }
    const message = {
      id: random.uuid(),
      ...cancelOf(task, reason, this.#readsDialects(task) ? origin : null),
    };
    // Throws where it is too large.
    messenger.encode(task.party, message);
    const isAsked = await cancels.asking(task.id, message, () =>
      this.#ask(task, message, reason, name),
    );
    if (!isAsked) await this.cancel(task.id, viewer, reason, origin);
  }

  /**
   * Its ack decides: what it refuses was not asked. Without one it is asked again until it says. A
   * failure of this hub's own changes nothing about what the other one took.
   */
  async #ask(
    task: TaskRow,
    message: CancelMessage & OutgoingMessage,
    reason: string | null,
    name: string,
  ): Promise<void> {
    const { messenger, unit, cancels } = this.#deps;
    const answer = answerOf(await messenger.request(task.party, message, ACK_TIMEOUT_MS), name);
    const isOpenStill = await unit
      .run((tables, after) => {
        const found = tables.task(task.id);
        const open = found !== undefined && isOpen(found) ? found : undefined;
        // Nobody knows whether it arrived: the one that is sent again is the one on record.
        if (answer === 'unknown' && open) {
          cancels.begin(tables, after, open, 'cancelled', reason, { said: message });
          return false;
        }
        cancels.record(tables, task, message);
        if (open === undefined || answer === 'unknown') return false;
        if (answer instanceof AppError) cancels.notTaken(tables, open);
        else this.#answered(tables, after, open, answer, reason);
        return true;
      })
      .catch((error: unknown) => {
        throw answer instanceof AppError ? answer : error;
      });
    if (isOpenStill && answer instanceof AppError) throw answer;
  }

  /** The other hub took the cancel: it will not run there, or its agent was asked to stop. */
  #answered(
    tables: Tables,
    after: After,
    task: TaskRow,
    answer: 'over' | 'asked_to_stop',
    reason: string | null,
  ): void {
    const { endings, events, cancels } = this.#deps;
    const current = cancels.noted(tables, task);
    if (answer === 'asked_to_stop') {
      changeTask(tables, current, { cancelAnswer: 'asked_to_stop' });
      return after(() => events.changed(task.id));
    }
    endings.end(tables, after, current, {
      state: 'cancelled',
      code: 'cancelled',
      reason: youCancelled(reason),
      by: task.fromAgent ?? 'owner',
      surface: 'agent',
      from: 'asker',
      ended: { by: task.fromAgent === null ? 'person' : 'agent', kind: 'cancelled' },
    });
  }

  #hasEnded(task: TaskRow, viewer: Viewer): AppError {
    const story = this.#deps.views.story(task, agentOf(viewer));
    return inputError('conflict', cancelledOf(story), { data: { state: task.state } });
  }

  #find(id: string, viewer: Viewer): TaskRow {
    const task = this.#deps.store.read.task(id);
    if (task && maySee(this.#deps.views, task, viewer)) return task;
    throw inputError('not_found', 'There is no such task.');
  }

  #ended(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const waiters = this.#waiters.get(id) ?? new Set();
    if (signal.aborted || waiters.size >= TASK_WAITERS_MAX) return Promise.resolve();
    this.#waiters.set(id, waiters);
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel();
        signal.removeEventListener('abort', wake);
        waiters.delete(wake);
        if (waiters.size === 0 && this.#waiters.get(id) === waiters) this.#waiters.delete(id);
        resolve();
      };
      const timer = this.#deps.clock.setTimer(waitMs, wake);
      signal.addEventListener('abort', wake, { once: true });
      waiters.add(wake);
    });
  }
}

const agentOf = (viewer: Viewer): string | null => ('agent' in viewer ? viewer.agent : null);

function maySee(views: TaskViews, task: TaskRow, viewer: Viewer): boolean {
  return 'person' in viewer || views.concerns(task, viewer.agent);
}

/** What the other hub says of a cancel; an error is its refusal, unknown no word of it at all. */
function answerOf(
  reply: Result<Envelope, AppError>,
  name: string,
): 'over' | 'asked_to_stop' | 'unknown' | AppError {
  if (!reply.ok) {
    const { failedBy, code } = reply.error;
    return failedBy !== 'peer' || code === 'peer_unreachable' ? 'unknown' : reply.error;
  }
  const ack = parseAck(reply.value.payload);
  if (ack.ok && ack.value.accepted) return ack.value.state === null ? 'over' : 'asked_to_stop';
  return new AppError(
    'rejected',
    `${name} has nothing of it to cancel: it has ended there, or that hub was restored from a backup.`,
    { failedBy: 'peer', hint: 'It ends here with its result, or at its deadline.' },
  );
}
