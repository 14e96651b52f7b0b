// Has a question answered by an agent of this hub while its asker waits, whoever that is: decides
// with Admission whether a person is asked first, keeps the line open, and writes down what became
// of it.
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store, Tables, TaskRow } from '../../ports/store.ts';
import { readWireErrorCode } from '../../../preload/contract/errors.ts';
import { progressOf } from '../approvals/holds.ts';
import { conversationFor } from '../tasks/conversation-ids.ts';
import type { Deliveries } from '../inbox/deliveries.ts';
import type { Assessment } from '../tasks/verdict.ts';
import { checkTrusted, runnerOf, DECLINED, type Admission } from './admission.ts';
import { newTask, requestMessage } from '../tasks/new-task.ts';
import {
  whyGone,
  type OpenQueries,
  type QueryEnd,
  type QueryOutcome,
} from '../inbox/open-queries.ts';
import type { Progress } from '../inbox/progress.ts';
import type { ResultWords, TaskEndings } from '../tasks/task-endings.ts';
import { isLocal } from '../tasks/parties.ts';
import { isOpen, moveTask } from '../tasks/task-moves.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
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

export class QueryService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    // A person answered or declined, or the deadline ended the wait: the open stream tells the
    // asker.
    deps.endings.onEnding((_, after, { task, result }) => {
      if (task.kind !== 'query' || task.direction === 'outgoing') return;
      if (task.state === 'completed')
        return after(() => deps.queries.answer(task.id, responseTo(result)));
      const failure = new AppError(readWireErrorCode(task.code), result.error ?? result.outcome);
      after(() => deps.queries.fail(task.id, failure));
    });
  }

  /**
   * The payload of the `response`. @throws AppError unknown_domain, unhandled, overloaded,
   * rejected, approval_expired, timeout, cancelled
   */
  async answer(
    request: WorkRequest,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { admission, queries, store } = this.#deps;
    checkTrusted(store.read, request.party);
    const assessment = admission.assess(store.read, request);
    queries.checkRoom(request.party);
    const { decision, rule } = assessment.verdict;
    // A decision by a rule or a person is stored before it takes effect; this is neither.
    const passes = decision === 'deliver' && rule === null;
    const outcome = passes
      ? await this.#pass(request, assessment, signal)
      : await this.#admit(request, signal);
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  }

  /**
   * Before a person, or decided by a rule: durable, since a decision hangs on it, and made on what
   * stands in that very commit.
   */
  async #admit(request: WorkRequest, signal: AbortSignal): Promise<QueryOutcome> {
    const { unit, clock, admission, queries, progress } = this.#deps;
    const { task, line } = await unit.run((tables, after) => {
      // Nobody is asked on behalf of somebody who has gone meanwhile.
      if (signal.aborted) throw whyGone(signal);
      if (tables.taskByMessage(request.direction, request.party, request.messageId))
        throw sameIdAgain();
      const assessment = admission.assess(tables, request);
      const admitted = admission.admit(tables, after, request, assessment);
      // Opened with the commit, before anybody can decide.
      const opened: { line?: ReturnType<OpenQueries['open']> } = {};
      if (admitted.state === 'declined') return { task: admitted, line: opened };
      const { name: agent } = runnerOf(assessment);
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
    if (task.state === 'declined') throw new AppError(DECLINED.code, DECLINED.reason);
    assert(line.line !== undefined, 'the line of an admitted question is open');
    if (task.state === 'awaiting_approval' || task.state === 'held')
      progress.tell(task, progressOf(task, clock.wallMs()));
    const { outcome, end } = await line.line;
    await this.#close(task.id, outcome, end);
    return outcome;
  }

  /**
   * Straight to its agent: nobody is asked, so there is no card, and nothing is promised, so
   * nothing is waited for but the answer.
   */
  async #pass(
    request: WorkRequest,
    assessment: Assessment,
    signal: AbortSignal,
  ): Promise<QueryOutcome> {
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
    const { party, fromAgent, text, payload } = request;
    const words = deliveries.untrusted({ party, fromAgent, kind: 'query', text, payload });
    queries.deliver(task.id, deliveries.bodyOf({ ...task, seq: 0 }, null), words);
    const { outcome } = await line;
    this.#writeDown(task, outcome);
    return outcome;
  }

  /**
   * Ends the stored task of a question whose line has ended; what ended it from inside the store
   * has done so already.
   */
  async #close(taskId: string, outcome: QueryOutcome, end: QueryEnd): Promise<void> {
    const { unit, endings, events } = this.#deps;
    await unit.run((tables, after) => {
      const task = tables.task(taskId);
      if (!task) return;
      if (!isOpen(task)) {
        // Its end came first: a person answered it, in no agent's name; or it was over while the
        // agent's answer was on its way to the asker.
        const approval = tables.approvalOfTask(taskId);
        const toAgent = approval?.state === 'answered' ? null : task.toAgent;
        if (outcome instanceof AppError) return;
        this.#keepResponse(tables, { ...task, toAgent }, outcome, JSON.stringify(outcome));
        after(() => events.changed(task.id));
        return;
      }
      const current = task.state === 'queued' ? moveTask(tables, task, 'claimed') : task;
      const by =
        end === 'answered'
          ? ({ by: task.toAgent ?? 'hub', surface: 'agent', from: 'runner' } as const)
          : ({ by: 'hub', surface: 'hub', from: 'asker' } as const);
      if (outcome instanceof AppError) {
        const code = readWireErrorCode(outcome.code);
        endings.end(tables, after, current, {
          state: code === 'cancelled' ? 'cancelled' : 'failed',
          code,
          reason: end === 'gone' ? outcome.message : null,
          result: wordsOf(outcome),
          ...by,
        });
      } else {
        this.#keepResponse(tables, task, outcome, null);
        endings.end(tables, after, current, {
          state: 'completed',
          code: null,
          reason: null,
          result: wordsOf(outcome),
          ...by,
        });
      }
    });
  }

  #writeDown(task: Omit<TaskRow, 'seq'>, outcome: QueryOutcome): void {
    const { store, clock, events } = this.#deps;
    const code = outcome instanceof AppError ? readWireErrorCode(outcome.code) : null;
    const finishedAt = clock.wallMs();
    store.writeBehind(
      (tables) => {
        const known = tables.taskByMessage(task.direction, task.party, task.messageId);
        if (known === undefined) tables.insertMessage(requestMessage(task));
        if (!(outcome instanceof AppError)) {
          const payload = known === undefined ? null : JSON.stringify(outcome);
          this.#keepResponse(tables, known ?? task, outcome, payload);
        }
        if (known !== undefined) return known.id;
        const state = code === null ? 'completed' : code === 'cancelled' ? 'cancelled' : 'failed';
        return tables.insertTask({
          ...task,
          state,
          code,
          result: JSON.stringify(wordsOf(outcome)),
          finishedAt,
        }).id;
      },
      (taskId) => events.changed(taskId),
    );
  }

  /**
   * The line adds the response's own id, so the record has one of its own. @param payload null: its
   * words stand in the task
   */
  #keepResponse(
    tables: Tables,
    task: Omit<TaskRow, 'seq'>,
    { tokens_used: tokens }: Readonly<Record<string, unknown>>,
    payload: string | null,
  ): void {
    const { random, clock } = this.#deps;
    const at = clock.wallMs();
    tables.insertMessage({
      messageId: random.uuid(),
      direction: task.direction === 'local' ? 'local' : 'out',
      party: task.party,
      kind: 'response',
      ref: task.messageId,
      conversationId: task.conversationId,
      taskId: task.id,
      fromAgent: task.toAgent,
      toAgent: task.fromAgent,
      payload,
      at,
    });
    if (!isLocal(task.party))
      tables.addTokens(task.party, at, 'here', typeof tokens === 'number' ? tokens : 0);
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
    });
  }
}

/** The refusal of an id that stands for another question, or for one that was answered. */
export function sameIdAgain(): AppError {
  return new AppError('conflict', 'This id was used before. Ask again under a fresh id.', {
    failedBy: 'input',
  });
}

/** The `response` in which the end of a stored question is told. */
function responseTo({
  outcome,
  data,
  answered_by,
}: ResultWords): Readonly<Record<string, unknown>> {
  return {
    data,
    summary: outcome,
    tokens_used: 0,
    truncated: false,
    ...(answered_by === undefined ? {} : { answered_by }),
  };
}

/** A question's end in the form a task keeps. */
function wordsOf(outcome: QueryOutcome): ResultWords {
  if (outcome instanceof AppError) {
    return {
      status: 'failed',
      outcome: outcome.message,
      data: null,
      error: outcome.message,
      code: readWireErrorCode(outcome.code),
    };
  }
  const summary = typeof outcome.summary === 'string' ? outcome.summary : '';
  return { status: 'completed', outcome: summary, data: outcome.data ?? null, error: null };
}
