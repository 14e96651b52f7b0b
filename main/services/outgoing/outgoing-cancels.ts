// Cancels what another hub may have but has not acknowledged: a delegation without an ack, a
// question whose asker hung up. Also cancels what a removed agent delegated. The task is
// `cancelling` until the other hub answers, because nobody here knows whether it runs there
// (PROTOCOL.md, Delegation states). Owns what that answer means for the task; the outbox does the
// sending, over restarts too.
import { inQuotes } from '../../../preload/contract/agent-name.ts';
import { OPEN_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { WireErrorCode } from '../../../preload/contract/errors.ts';
import { utf8 } from '../../lib/bytes.ts';
import { readObject, type JsonObject } from '../../lib/json-object.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { HUB_RESTARTED, type StoryColumns } from '../../core/story-row.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { OutboxRow, Store, TaskRow, Tables } from '../../ports/store.ts';
import { parseEnvelope } from '../../protocol/parse-envelope.ts';
import { lateGraceOf, type Deadlines } from '../tasks/deadlines.ts';
import {
  ANSWER_TRAVEL_MS,
  CANCEL_SETTLE_MS,
  CANCELS_PER_PARTY_MAX,
  OUTBOX_LIFETIME_MS,
} from './limits.ts';
import type { CancelOutcome, Outbox } from './outbox.ts';
import { partyOfAgent } from '../tasks/parties.ts';
import type { Ended, TaskEndings } from '../tasks/task-endings.ts';
import { changeTask, isOpen, moveTask } from '../tasks/task-moves.ts';
import type { OutgoingMessage } from '../base/peer-messenger.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';

/** Of a delegation that somebody here cancelled. */
export const YOU_CANCELLED = 'You cancelled it.';

/** @param reason in the words of whoever cancelled it */
export function youCancelled(reason: string | null): string {
  return reason === null || reason === ''
    ? YOU_CANCELLED
    : `You cancelled it: "${inQuotes(escapeText(reason))}"`;
}

/** Why a task is cancelled, as people read it. Only the key decides what follows. */
const WHY: Readonly<Record<NonNullable<TaskRow['cancelCause']>, string>> = {
  cancelled: YOU_CANCELLED,
  hung_up: 'Whoever asked stopped waiting for the answer.',
  hub_restarted: HUB_RESTARTED,
};

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly endings: TaskEndings;
  readonly deadlines: Pick<Deadlines, 'arm' | 'elapsedMs'>;
  readonly events: TaskEvents;
}

interface More {
  /** Who asks, where it is not its own agent. */
  readonly stop?: Partial<StoryColumns>;
  /** The cancel of whoever cancels it, whose reason is kept here, too; else one is made. */
  readonly said?: CancelMessage | undefined;
}

/** A cancel as it leaves; one with an id is sent again under it. */
export interface CancelMessage {
  readonly id?: string;
  readonly kind: 'cancel';
  readonly ref: string;
  readonly payload: JsonObject;
}

export class OutgoingCancels {
  readonly #deps: Deps;
  /**
   * Delegations of which the other hub says that nothing is open there. Each waits here for a
   * result that may still be on its way.
   */
  readonly #settling = new Map<string, TimerHandle>();
  /** Tasks whose cancel is under way, and not answered yet. */
  readonly #asking = new Map<string, Promise<unknown>>();
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.endings.onEnding((_, after, { task }) => after(() => this.#forget(task.id)));
  }

  /** Asks again about all that the run before left open. Inside a commit. */
  start(tables: Tables, after: After): void {
    this.#stopped = false;
    const waiting = new Set(
      tables
        .outboxParties()
        .flatMap((party) =>
          tables.outboxOf(party).map((row) => row.kind === 'cancel' && taskOf(tables, row)?.id),
        ),
    );
    for (const task of tables.tasksInStates(OPEN_TASK_STATES)) {
      if (tables.peer(task.party)?.trust !== 'paired' || task.cancelAnswer === 'asked_to_stop')
        continue;
      const isUnanswered = task.kind === 'delegate' && isAsked(task);
      if (isUnanswered) {
        const said = saidBefore(tables, task);
        this.begin(tables, after, task, 'cancelled', reasonIn(said), { said });
      } else if (task.state === 'cancelling' && !waiting.has(task.id))
        this.#tell(tables, after, task);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#settling.values()) timer.cancel();
    this.#settling.clear();
  }

  /**
   * Writes down that it is asked, then asks. What is reported meanwhile is the answer to that
   * cancel, and a hub that dies before the answer asks again. A full disk keeps nobody from
   * cancelling work. Resolves to false, once that is answered, where another cancel was under way.
   */
  async asking(
    taskId: string,
    message: CancelMessage & OutgoingMessage,
    ask: () => Promise<void>,
  ): Promise<boolean> {
    if (this.#asking.has(taskId)) {
      await this.answered(taskId);
      return false;
    }
    const { unit, log } = this.#deps;
    const asked = unit
      .run((tables) => {
        const task = tables.task(taskId);
        this.#keep(tables, task, 'cancelled');
        // The cancel of a question is not sent again.
        if (task?.kind === 'delegate' && isOpen(task)) this.record(tables, task, message);
      })
      .catch((error: unknown) => log.warn('cancel not noted', { error: String(error) }))
      .then(ask);
    this.#asking.set(taskId, asked);
    try {
      await asked;
    } finally {
      this.#asking.delete(taskId);
    }
    return true;
  }

  /** Once for each message. Inside a commit. */
  record(
    tables: Tables,
    task: TaskRow,
    { id, kind, ref, payload }: CancelMessage & OutgoingMessage,
  ): void {
    tables.insertMessage({
      messageId: id,
      direction: 'out',
      party: task.party,
      kind,
      ref,
      conversationId: task.conversationId,
      taskId: task.id,
      fromAgent: task.fromAgent,
      toAgent: task.toAgent,
      payload: JSON.stringify(payload),
      at: this.#deps.clock.wallMs(),
    });
  }

  /** The other hub says that it did not take it, so nothing was asked. Inside a commit. */
  notTaken(tables: Tables, task: TaskRow): void {
    this.#keep(tables, task, null);
  }

  #keep(tables: Tables, task: TaskRow | undefined, cancelCause: 'cancelled' | null): void {
    if (task && isOpen(task) && task.state !== 'cancelling' && task.stopAt === null)
      changeTask(tables, task, { cancelCause });
  }

  /** A cancel was asked, and what the other hub said to it was lost here. */
  isUnanswered(task: TaskRow): boolean {
    return isAsked(task) && !this.#asking.has(task.id);
  }

  /** Once a cancel that is under way has its answer, which says whether the task had begun. */
  async answered(taskId: string): Promise<void> {
    await this.#asking.get(taskId)?.catch(() => undefined);
  }

  /** The task with the stop that a cancel under way asks for, inside a commit. */
  reported(tables: Tables, task: TaskRow): TaskRow {
    return isAsked(task) ? this.noted(tables, task) : task;
  }

  /** Writes down who asked for the stop. The first one counts. */
  noted(tables: Tables, task: TaskRow): TaskRow {
    if (task.stopAt !== null) return task;
    return changeTask(tables, task, {
      stopParty: partyOfAgent(task.fromAgent),
      stopAt: this.#deps.clock.wallMs(),
    });
  }

  /**
   * Cancels an open task, inside a commit. It is `cancelling` from there, and the other hub is told
   * as soon as possible.
   * @param reason what the other hub's people are told, or null
   */
  begin(
    tables: Tables,
    after: After,
    task: TaskRow,
    why: NonNullable<TaskRow['cancelCause']>,
    reason: string | null,
    { stop = { stopParty: partyOfAgent(task.fromAgent) }, said }: More = {},
  ): TaskRow {
    const cancelling = moveTask(tables, task, 'cancelling', {
      reason: said === undefined ? WHY[why] : youCancelled(reason),
      cancelCause: why,
      ...(task.stopAt === null ? { ...stop, stopAt: this.#deps.clock.wallMs() } : {}),
    });
    this.#tell(tables, after, cancelling, said ?? cancelOf(task, reason));
    after(() => this.#deps.events.changed(task.id));
    return cancelling;
  }

  /** Cancels what a removed agent delegated to other hubs. Inside a commit. */
  agentRemoved(tables: Tables, after: After, agent: string): void {
    for (const task of tables.tasksInStates(OPEN_TASK_STATES)) {
      const isIts = task.direction === 'outgoing' && task.fromAgent === agent;
      if (isIts && task.kind === 'delegate' && task.state !== 'cancelling')
        this.begin(tables, after, task, 'hung_up', WHY.hung_up);
    }
  }

  /**
   * Cancels, or cancels again: the first cancel may have arrived before the delegation. Inside a
   * commit. False when too many cancels wait for that hub: it gets no more of them, and what it has
   * ends there by its deadline.
   * @param message the words of the last one unless given
   */
  again(
    tables: Tables,
    after: After,
    task: TaskRow,
    message: CancelMessage = cancelAgain(tables, task),
  ): boolean {
    if (tables.countOutbox(task.party, 'cancels') >= CANCELS_PER_PARTY_MAX) return false;
    this.#deps.outbox.put(tables, after, task, message, this.#lifetimeOf(task));
    after(() => this.#forget(task.id));
    return true;
  }

  #tell(tables: Tables, after: After, cancelling: TaskRow, message?: CancelMessage): void {
    if (this.again(tables, after, cancelling, message)) return;
    this.#end(
      tables,
      after,
      cancelling,
      'failed',
      'Too much waits for the other hub already, so it was not told.',
      NOT_TOLD,
    );
  }

  /** The other hub refused what is being cancelled: it does not run there. Inside a commit. */
  refused(tables: Tables, after: After, task: TaskRow): void {
    if (awaitsConfirmation(task)) this.#end(tables, after, task, 'cancelled', null);
  }

  /**
   * The other hub reported as cancelled what is being cancelled. Inside a commit.
   * @param isTakenBack nobody had begun, by the word of that hub
   */
  confirmed(tables: Tables, after: After, task: TaskRow, isTakenBack: boolean): void {
    if (!awaitsConfirmation(task)) return;
    const hadBegun = task.cancelAnswer === 'asked_to_stop';
    const ended = hadBegun ? STOPPED : isTakenBack ? undefined : NOT_KNOWN;
    this.#end(tables, after, task, 'cancelled', null, ended);
  }

  /** What became of a cancel, inside the commit that settles it. */
  settled(tables: Tables, after: After, row: OutboxRow, outcome: CancelOutcome): void {
    const task = taskOf(tables, row);
    if (task?.state !== 'cancelling') return;
    const isQuestion = task.kind === 'query';
    // It had begun, so its report or its deadline tells the end, however late. A second cancel says
    // nothing new.
    const tellsTheEnd = outcome === 'cancelled' || (outcome === 'nothing_open' && !task.reportBack);
    if (task.cancelAnswer === 'asked_to_stop' && !tellsTheEnd) return;
    switch (outcome) {
      case 'cancelled':
        return this.#end(tables, after, task, 'cancelled', null);
      case 'asked_to_stop':
        // Its agent has it, so its result tells the end. Nobody waits for the answer to a question.
        return isQuestion
          ? this.#end(
              tables,
              after,
              changeTask(tables, task, { cancelAnswer: 'asked_to_stop' }),
              'cancelled',
              'Its agent there had begun already.',
            )
          : this.#goesOn(tables, after, task, 'asked_to_stop');
      case 'nothing_open':
        if (isQuestion) return this.#endUnanswered(tables, after, task);
        after(() => this.#settle(task.id));
        return;
      case 'not_taken':
        // What cannot be cancelled runs on: its result, or its deadline, tells.
        return isQuestion
          ? this.#end(
              tables,
              after,
              changeTask(tables, task, { cancelAnswer: 'not_taken' }),
              'failed',
              'The other hub takes no cancels.',
            )
          : this.#goesOn(tables, after, task, 'not_taken');
      case 'expired':
        return this.#end(
          tables,
          after,
          task,
          'failed',
          'The other hub never said whether it had begun.',
        );
    }
  }

  /** The task stays open with the other hub's word, on which its time hangs from here. */
  #goesOn(
    tables: Tables,
    after: After,
    task: TaskRow,
    cancelAnswer: NonNullable<TaskRow['cancelAnswer']>,
  ): void {
    const { deadlines, events } = this.#deps;
    const answered = changeTask(tables, task, { cancelAnswer });
    after(() => {
      deadlines.arm(
        task.id,
        task.deadlineMs,
        deadlines.elapsedMs(task.id) ?? task.elapsedMs,
        lateGraceOf(answered),
      );
      events.changed(task.id);
    });
  }

  /** A result may be on its way that was sent before the cancel was answered. */
  #settle(taskId: string): void {
    this.#settling.get(taskId)?.cancel();
    if (this.#stopped) return;
    const timer = this.#deps.clock.setTimer(CANCEL_SETTLE_MS, () => {
      this.#settling.delete(taskId);
      this.#deps.unit
        .run((tables, after) => {
          const task = tables.task(taskId);
          if (task?.state === 'cancelling')
            this.#end(tables, after, task, 'cancelled', null, NOT_KNOWN);
        })
        .catch((error: unknown) => {
          this.#deps.log.warn('cancelled task not ended', { error: String(error) });
          this.#settle(taskId);
        });
    });
    this.#settling.set(taskId, timer);
  }

  /**
   * The other hub had ended the question already: with its stream if that is gone, else perhaps by
   * an answer that never arrived here.
   */
  #endUnanswered(tables: Tables, after: After, task: TaskRow): void {
    if (task.cancelCause !== 'hung_up')
      return this.#end(tables, after, task, 'cancelled', null, NOT_KNOWN);
    this.#end(
      tables,
      after,
      task,
      'failed',
      'The other hub had ended it already, or never had it.',
      NOTHING_OPEN,
    );
  }

  #end(
    tables: Tables,
    after: After,
    task: TaskRow,
    state: 'cancelled' | 'failed',
    detail: string | null,
    { code = state === 'cancelled' ? 'cancelled' : 'timeout', ...ended }: Cancelled = endedSo(
      task,
      state,
    ),
  ): void {
    const why = task.reason ?? YOU_CANCELLED;
    this.#deps.endings.end(tables, after, task, {
      state,
      code,
      reason: detail === null ? why : `${why} ${detail}`,
      by: task.fromAgent ?? 'owner',
      surface: 'agent',
      from: 'asker',
      ended,
    });
  }

  /** A question ends at its deadline everywhere; a cancel after that helps nobody. */
  #lifetimeOf(task: TaskRow): number {
    if (task.kind === 'delegate') return OUTBOX_LIFETIME_MS;
    const passedMs = Math.max(0, this.#deps.clock.wallMs() - task.receivedAt);
    return Math.max(
      ANSWER_TRAVEL_MS,
      Math.min(OUTBOX_LIFETIME_MS, task.deadlineMs + ANSWER_TRAVEL_MS - passedMs),
    );
  }

  #forget(taskId: string): void {
    this.#settling.get(taskId)?.cancel();
    this.#settling.delete(taskId);
  }
}

/** A cancel was asked, and not answered. A task that was `cancelling` before is another case. */
function isAsked({ state, cancelCause, stopAt }: TaskRow): boolean {
  return state !== 'cancelling' && cancelCause === 'cancelled' && stopAt === null;
}

/** It was cancelled here, and the other hub has not said yet whether it had begun. */
export function awaitsConfirmation(task: TaskRow): boolean {
  const { state, stopAt, cancelAnswer } = task;
  const isAsked = stopAt !== null && isStoppedByAsker(task);
  return state === 'cancelling' || (isAsked && cancelAnswer === null);
}

/** And not by this hub, for whoever its agent does it for. */
function isStoppedByAsker({ stopParty, fromAgent }: TaskRow): boolean {
  return stopParty === partyOfAgent(fromAgent);
}

type Cancelled = Ended & { readonly code?: WireErrorCode };

/** Its agent had it, and stopped. */
const STOPPED: Ended = { by: 'agent', kind: 'stopped' };
/** Nothing is open there: whether it had begun nobody says. */
const NOT_KNOWN: Ended = { by: null, kind: null };
const NOTHING_OPEN: Ended = { by: 'hub', kind: 'cancelled' };
const NOT_TOLD: Cancelled = { by: null, kind: 'cancelled', code: 'overloaded' };

function endedSo(task: TaskRow, state: 'cancelled' | 'failed'): Ended {
  const { cancelCause, fromAgent } = task;
  if (state === 'failed') return { by: null, kind: 'cancelled' };
  if (cancelCause === 'hub_restarted' || !isStoppedByAsker(task))
    return { by: 'hub', kind: 'cancelled' };
  return { by: fromAgent === null ? 'person' : 'agent', kind: 'cancelled' };
}

export function cancelOf(
  { messageId }: TaskRow,
  reason: string | null,
  origin: JsonObject | null = null,
): CancelMessage {
  return {
    kind: 'cancel',
    ref: messageId,
    payload: { ...(reason === null ? {} : { reason }), ...(origin === null ? {} : { origin }) },
  };
}

/** The last cancel on record, as it was; undefined: there is none, or its words were removed. */
function saidBefore(tables: Tables, task: TaskRow): CancelMessage | undefined {
  const row = tables.lastCancel(task);
  if (typeof row?.payload !== 'string') return undefined;
  return { ...cancelOf(task, null), id: row.messageId, payload: readObject(row.payload) };
}

function reasonIn(said: CancelMessage | undefined): string | null {
  const { reason } = said?.payload ?? {};
  return typeof reason === 'string' ? reason : null;
}

/** The words of the last one, in a new message. */
function cancelAgain(tables: Tables, task: TaskRow): CancelMessage {
  return { ...cancelOf(task, null), payload: saidBefore(tables, task)?.payload ?? {} };
}

function taskOf(tables: Tables, row: OutboxRow): TaskRow | undefined {
  const parsed = parseEnvelope(utf8(row.raw));
  const ref = parsed.ok ? parsed.value.envelope.ref : null;
  return ref === null ? undefined : tables.taskByMessage('outgoing', row.party, ref);
}
