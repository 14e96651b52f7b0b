// Has a question answered by an agent of this hub while its asker waits, whoever that is: decides
// with Admission whether a person is asked first, keeps the line open, and writes down what became
// of it.
import { AppError, inputError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { NO_RUNNER } from '../../core/approval-view.ts';
import { HUB_RESTARTED, type StoryColumns } from '../../core/story-row.ts';
import { isForAll } from '../../dialects/origin.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store, Tables, TaskAnswer, TaskRow } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { readWireErrorCode } from '../../../preload/contract/errors.ts';
import { progressOf } from '../approvals/holds.ts';
import { conversationFor } from '../tasks/conversation-ids.ts';
import type { Deliveries } from '../inbox/deliveries.ts';
import type { Assessment } from '../tasks/verdict.ts';
import { runnerOf, type Admission } from './admission.ts';
import { whyGone, type OpenQueries, type QueryOutcome } from '../inbox/open-queries.ts';
import type { Progress } from '../inbox/progress.ts';
import {
  DECLINED,
  endedByAgent,
  endedByHub,
  failureOf,
  isOffer,
  type Ended,
  type ResultWords,
  type TaskEndings,
} from '../tasks/task-endings.ts';
import { isLocal } from '../tasks/parties.ts';
import { isOpen, isStoppedHere, moveTask, newTask } from '../tasks/task-moves.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import { stopTellerOf } from '../tasks/wire-states.ts';
import type { WorkRequest } from '../tasks/work-request.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: TaskEvents;
  readonly unit: UnitOfWork;
  readonly admission: Admission;
  readonly deliveries: Pick<Deliveries, 'bodyOf' | 'untrusted'>;
  readonly queries: OpenQueries;
  readonly endings: TaskEndings;
  readonly progress: Progress;
}

type Answer = Exclude<QueryOutcome, AppError>;

export class QueryService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    // A person answered or declined, or the deadline ended the wait: the open stream tells the
    // asker. An answer is written with the end itself, a person's in no agent's name.
    deps.endings.onEnding((tables, after, { task, result }) => {
      if (task.kind !== 'query' || task.direction === 'outgoing') return;
      if (task.state === 'completed' || task.state === 'partial') {
        const isAgents = result.answered_by === undefined;
        tables.answerTask(task.id, this.#answerOf(isAgents ? task : { ...task, toAgent: null }));
        return after(() => deps.queries.answer(task.id, responseTo(result)));
      }
      const failure = new AppError(readWireErrorCode(task.code), result.error ?? result.outcome, {
        data: isStoppedHere(task) ? { ended_by: stopTellerOf(task) } : {},
      });
      after(() => deps.queries.fail(task.id, failure));
    });
  }

  /**
   * The payload of the `response`, or why there is none; whether a person or a rule decided, and
   * the task as it ended.
   * @param taken called once something is made of it; until then it is refused
   * @throws AppError unknown_domain, unhandled, overloaded, rejected, cancelled
   */
  async answer(
    request: WorkRequest,
    signal: AbortSignal,
    taken: (taskId: string) => void = () => undefined,
  ): Promise<Told & { readonly isDecided: boolean }> {
    const { admission, queries, store } = this.#deps;
    admission.checkOpen(store.read, request.party);
    const assessment = admission.assess(store.read, request);
    queries.checkRoom(request.party);
    const { decision, rule } = assessment.verdict;
    // A decision by a rule or a person is stored before it takes effect; this is neither. One to
    // all is stored as well: its call is answered, so the next run tells what became of it.
    const isUnasked = decision === 'deliver' && rule === null;
    const passes = isUnasked && !isForAll(request.payload);
    const told = passes
      ? await this.#pass(request, assessment, signal, taken)
      : await this.#admit(request, (tables) => admission.assess(tables, request), signal, taken);
    return { ...told, isDecided: !passes };
  }

  /**
   * Puts a question before a person, which no agent gets. Resolves when it is allowed.
   * @throws AppError as answer
   */
  async askPerson(
    request: WorkRequest,
    assessment: Assessment,
    signal: AbortSignal,
  ): Promise<void> {
    this.#deps.queries.checkRoom(request.party);
    const { outcome } = await this.#admit(
      request,
      () => assessment,
      signal,
      () => undefined,
    );
    if (outcome instanceof AppError) throw outcome;
  }

  /**
   * Before a person, or decided by a rule: durable, since a decision hangs on it, and made on what
   * stands in that very commit.
   */
  async #admit(
    request: WorkRequest,
    assess: (tables: Tables) => Assessment,
    signal: AbortSignal,
    taken: (taskId: string) => void,
  ): Promise<Told> {
    const { unit, clock, admission, queries, progress } = this.#deps;
    const { task, line } = await unit.run((tables, after) => {
      // Nobody is asked on behalf of somebody who has gone meanwhile.
      if (signal.aborted) throw whyGone(signal);
      if (tables.taskByMessage(request.direction, request.party, request.messageId))
        throw sameIdAgain();
      const assessment = assess(tables);
      const admitted = admission.admit(tables, after, request, assessment);
      // Opened with the commit, before anybody can decide.
      const opened: { line?: ReturnType<OpenQueries['open']> } = {};
      if (admitted.state === 'declined') return { task: admitted, line: opened };
      const agent = assessment.agent?.name ?? NO_RUNNER;
      after(
        () =>
          (opened.line = queries.open(
            { taskId: admitted.id, party: request.party, agent, signal },
            null,
          )),
      );
      const approval = admitted.state === 'queued' ? tables.approvalOfTask(admitted.id) : undefined;
      if (approval) after(() => queries.allowed(admitted, approval));
      return { task: admitted, line: opened };
    });
    taken(task.id);
    if (task.state === 'declined')
      return { outcome: new AppError(DECLINED.code, DECLINED.reason), task };
    assert(line.line !== undefined, 'the line of an admitted question is open');
    if (task.state === 'awaiting_approval' || task.state === 'held')
      progress.tell(task, progressOf(task, clock.wallMs()));
    const closed = await line.line;
    await this.#close(task.id, closed);
    return { outcome: closed.outcome, task: this.#deps.store.read.task(task.id) ?? task };
  }

  /**
   * Straight to its agent: nobody is asked, so there is no card, and nothing is promised, so
   * nothing is waited for but the answer.
   */
  async #pass(
    request: WorkRequest,
    assessment: Assessment,
    signal: AbortSignal,
    taken: (taskId: string) => void,
  ): Promise<Told> {
    const { clock, random, queries, deliveries } = this.#deps;
    const task = this.#taskOf(
      request,
      assessment,
      request.direction === 'local' ? request.messageId : random.uuid(),
    );
    const leftMs = request.deadlineMs - (clock.monotonicMs() - request.receivedMonotonicMs);
    const line = queries.open(
      { taskId: task.id, party: request.party, agent: runnerOf(assessment).name, signal },
      Math.max(1, leftMs),
    );
    taken(task.id);
    this.#deps.admission.tookTurn(request, assessment);
    const { party, fromAgent, text, payload } = request;
    const words = deliveries.untrusted({ party, fromAgent, kind: 'query', text, payload });
    queries.deliver(task.id, deliveries.bodyOf({ ...task, seq: 0 }, null), words);
    const closed = await line;
    return { outcome: closed.outcome, task: await this.#writeDown(task, closed) };
  }

  /**
   * Ends the stored task of a question whose line has ended; what ended it from inside the store
   * has done so already.
   */
  async #close(taskId: string, closed: Closed): Promise<void> {
    const { store, unit, endings, events, clock } = this.#deps;
    const { outcome, end } = closed;
    // A person's answer is stored before the line tells it.
    if (store.read.task(taskId)?.state === 'completed') return;
    await unit.run((tables, after) => {
      const task = tables.task(taskId);
      if (!task) return;
      if (!isOpen(task)) {
        // It was over while the agent's answer was on its way to the asker.
        if (outcome instanceof AppError) return;
        this.#keepLate(tables, task, outcome);
        after(() => events.changed(task.id));
        return;
      }
      const current = task.state === 'queued' ? moveTask(tables, task, 'claimed') : task;
      const by =
        end === 'answered'
          ? ({ by: task.toAgent ?? 'hub', surface: 'agent', from: 'runner' } as const)
          : ({ by: 'hub', surface: 'hub', from: 'asker' } as const);
      const { endedBy, endedKind, ...story } = storyOfLine(task, closed, clock.wallMs());
      const ended = { by: endedBy, kind: endedKind };
      if (outcome instanceof AppError) {
        const code = readWireErrorCode(outcome.code);
        endings.end(tables, after, current, {
          state: code === 'cancelled' ? 'cancelled' : 'failed',
          code,
          reason: end === 'gone' ? outcome.message : null,
          result: wordsOf(outcome),
          ended,
          story,
          ...by,
        });
      } else {
        this.#addTokens(tables, task.party, outcome);
        const result = wordsOf(outcome);
        endings.end(tables, after, current, {
          state: result.status,
          code: null,
          reason: null,
          result,
          ended,
          story,
          ...by,
        });
      }
    });
  }

  /** As it will be stored; an offer, which may be accepted as soon as it is read, as it is. */
  async #writeDown(task: Omit<TaskRow, 'seq'>, closed: Closed): Promise<Omit<TaskRow, 'seq'>> {
    const { store, clock, events } = this.#deps;
    const { outcome } = closed;
    const code = outcome instanceof AppError ? readWireErrorCode(outcome.code) : null;
    const finishedAt = clock.wallMs();
    const words = wordsOf(outcome);
    const state = code === 'cancelled' ? 'cancelled' : words.status;
    const result = JSON.stringify(words);
    const story = storyOfLine(task, closed, finishedAt);
    const ended = { ...task, ...story, state, code, result, finishedAt } as const;
    const keep = (tables: Tables): void => {
      const isAnswer = !(outcome instanceof AppError);
      const isNew = tables.insertTaskOnce(ended, isAnswer ? this.#answerOf(task) : null);
      if (!isAnswer) return;
      if (isNew) return this.#addTokens(tables, task.party, outcome);
      const known = tables.taskByMessage(task.direction, task.party, task.messageId);
      this.#keepLate(tables, known ?? task, outcome);
    };
    const over = (): void => events.questionOver(task.id, task.conversationId);
    if (isOffer(words.data)) await store.write(keep).then(over);
    else store.writeBehind(keep, over);
    return ended;
  }

  /** The line adds the response's own id, so the record has one of its own. */
  #answerOf({ toAgent: fromAgent }: Omit<TaskRow, 'seq'>): TaskAnswer {
    const { random, clock } = this.#deps;
    return { messageId: random.uuid(), kind: 'response', fromAgent, at: clock.wallMs() };
  }

  /** An answer to what was over already stands for itself. */
  #keepLate(tables: Tables, task: Omit<TaskRow, 'seq'>, outcome: Answer): void {
    tables.insertMessage({
      ...this.#answerOf(task),
      direction: task.direction === 'local' ? 'local' : 'out',
      party: task.party,
      ref: task.messageId,
      conversationId: task.conversationId,
      taskId: task.id,
      toAgent: task.fromAgent,
      payload: JSON.stringify(outcome),
    });
    this.#addTokens(tables, task.party, outcome);
  }

  #addTokens(tables: Tables, party: PartyKey, { tokens_used: tokens }: Answer): void {
    if (isLocal(party)) return;
    const at = this.#deps.clock.wallMs();
    tables.addTokens(party, at, 'here', typeof tokens === 'number' ? tokens : 0);
  }

  #taskOf(request: WorkRequest, assessment: Assessment, id: string): Omit<TaskRow, 'seq'> {
    const receivedAt = this.#deps.clock.wallMs();
    return newTask({
      id,
      direction: request.direction,
      kind: 'query',
      party: request.party,
      messageId: request.messageId,
      contentDigest: request.contentDigest,
      state: 'queued',
      fromAgent: request.fromAgent,
      toAgent: runnerOf(assessment).name,
      domain: request.domain,
      conversationId: conversationFor(this.#deps.store.read, request),
      payload: canonicalJson(request.payload),
      reportBack: true,
      urgent: false,
      receivedAt,
      deadlineMs: request.deadlineMs,
      ...this.#deps.admission.askedIn(request),
      verdict: 'passed',
      verdictAt: receivedAt,
    });
  }
}

interface Told {
  readonly outcome: QueryOutcome;
  readonly task: Omit<TaskRow, 'seq'>;
}

type Closed = Awaited<ReturnType<OpenQueries['open']>>;

/** What the story of a question says when its line ends: who had it, and whose end it is. */
function storyOfLine(
  { party, stopAt }: Pick<TaskRow, 'party' | 'stopAt'>,
  { outcome, end, handed }: Closed,
  now: number,
): Partial<StoryColumns> & Pick<StoryColumns, 'endedBy' | 'endedKind'> {
  const code = outcome instanceof AppError ? readWireErrorCode(outcome.code) : null;
  // Whoever asked and is gone has taken it back.
  const isRestart =
    end === 'gone' &&
    isLocal(party) &&
    outcome instanceof AppError &&
    outcome.message === HUB_RESTARTED;
  const isTakenBack = end === 'gone' && stopAt === null && !isRestart;
  const ended: Ended =
    end === 'answered'
      ? endedByAgent(wordsOf(outcome), code, stopAt !== null)
      : isRestart
        ? { by: 'hub', kind: handed.handedAt === undefined ? 'cancelled' : 'possibly_executed' }
        : end === 'gone'
          ? { by: 'agent', kind: 'cancelled' }
          : end === 'stopped'
            ? { by: 'person', kind: handed.handedAt === undefined ? 'stopped' : 'cancelled' }
            : end === 'cut_off'
              ? { by: 'hub', kind: 'possibly_executed' }
              : endedByHub(code);
  const tokens = outcome instanceof AppError ? null : outcome.tokens_used;
  return {
    ...handed,
    ...(isTakenBack ? { stopParty: party, stopAt: now } : {}),
    endedBy: ended.by,
    endedKind: ended.kind,
    ...(typeof tokens === 'number' ? { tokens } : {}),
  };
}

/** The refusal of an id that stands for another question, or for one that was answered. */
export function sameIdAgain(): AppError {
  return inputError('conflict', 'This id was used before. Ask again under a fresh id.');
}

/** The `response` in which the end of a stored question is told. */
function responseTo({
  status,
  outcome,
  data,
  answered_by,
}: ResultWords): Readonly<Record<string, unknown>> {
  return {
    data,
    summary: outcome,
    tokens_used: 0,
    truncated: status === 'partial',
    ...(answered_by === undefined ? {} : { answered_by }),
  };
}

/** A question's end in the form a task keeps. */
function wordsOf(outcome: QueryOutcome): ResultWords {
  if (outcome instanceof AppError) return failureOf(outcome);
  const summary = typeof outcome.summary === 'string' ? outcome.summary : '';
  const status = outcome.truncated === true ? 'partial' : 'completed';
  return { status, outcome: summary, data: outcome.data ?? null, error: null };
}
