// Questions of our agents to other hubs. The stream stays open until the answer, the deadline, or
// the asker hangs up. They promise nothing, so each is stored once: when its stream ends, or when
// the other hub first reports progress; one to everybody as it leaves. One that nobody waits for
// any more is cancelled there.
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { readWireErrorCode } from '../../../preload/contract/errors.ts';
import { isOneOf } from '../../../preload/contract/closed-lists.ts';
import { ENDERS } from '../../../preload/contract/story.ts';
import { checkFailure, isForAll, withTrueAnswer } from '../../dialects/origin.ts';
import { HUB_RESTARTED, type StoryColumns } from '../../core/story-row.ts';
import { AppError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { err, ok } from '../../lib/result.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, Tables, TaskRow } from '../../ports/store.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import { readDecision } from '../../protocol/decision.ts';
import { Said, wireCode, withoutOrigin } from '../../protocol/error-payload.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { QUERY_DEADLINE_DEFAULT_MS } from '../../protocol/limits.ts';
import { parseResponse, type ResponsePayload } from '../../protocol/payloads.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import { ANSWER_TRAVEL_MS } from './limits.ts';
import { isStopped, keptDecision, stoppedBy } from '../tasks/wire-states.ts';
import { endedBy, isHubsRefusal } from './delegation-replies.ts';
import { cancelOf, type OutgoingCancels } from './outgoing-cancels.ts';
import { queryPayload } from './outgoing-payloads.ts';
import type { Recipient } from './candidates.ts';
import { answerersThere } from '../admission/asking-agents.ts';
import {
  answeredReport,
  chosenOf,
  peerAway,
  type Failed,
  type SendReport,
} from './send-reports.ts';
import { endedByAgent, endedByHub, endOfCode, failureOf, isOffer } from '../tasks/task-endings.ts';
import { isOpen, moveTask, newTask } from '../tasks/task-moves.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: TaskEvents;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly cancels: OutgoingCancels;
}

interface Asked {
  readonly id: string;
  readonly party: string;
  readonly asker: string | null;
  readonly toAgent: string | null;
  readonly conversationId: string;
  readonly payload: JsonObject;
  readonly at: number;
  readonly deadlineMs: number;
  /** Progress came, so that it may be stored before its end. */
  isKept: boolean;
}

export class OutgoingQueries {
  readonly #deps: Deps;
  /** Questions whose line is open. */
  readonly #open = new Map<string, Asked>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws AppError peer_unreachable, or what is wrong with the question */
  async ask(
    params: OperationParams<'send.query'>,
    recipient: Extract<Recipient, { at: 'peer' }>,
    asker: string | null,
    signal: AbortSignal,
  ): Promise<SendReport | Failed> {
    const { random, messenger, clock, store } = this.#deps;
    const { peer } = recipient;
    if (!messenger.isOnline(peer.key)) throw peerAway(peer.petname, messenger.isShutOut(peer.key));
    const payload = queryPayload(params, recipient, asker);
    const id = random.uuid();
    const asked: Asked = {
      id,
      party: peer.key,
      asker,
      toAgent: recipient.agent ?? params.route?.to ?? null,
      conversationId: params.conversation?.id ?? id,
      payload,
      at: clock.wallMs(),
      deadlineMs: params.deadline_ms ?? QUERY_DEADLINE_DEFAULT_MS,
      isKept: false,
    };
    const line = this.#request(asked, signal);
    // Its call is answered by now: if this run ends before it does, the next one tells its asker.
    if (isForAll(payload)) store.writeBehind((tables) => void this.taskOf(tables, peer.key, id));
    const outcome = await line;
    if (isUnfit(outcome)) throw outcome;
    const kept = asked.isKept ? store.read.task(id) : undefined;
    const task = kept ?? { ...taskFor(asked), seq: 0 };
    const ended = isOpen(task) ? { ...task, ...endOf(task, outcome, clock.wallMs()) } : task;
    return outcome instanceof AppError
      ? { error: outcome, task: ended }
      : answeredReport(id, chosenOf(recipient, ''), outcome, ended);
  }

  /**
   * The task of an open question, stored now if it is not yet; undefined when no such question is
   * open.
   */
  taskOf(tables: Tables, party: PartyKey, messageId: string): TaskRow | undefined {
    const asked = this.#open.get(messageId);
    if (asked?.party !== party) return undefined;
    asked.isKept = true;
    return keepTask(tables, asked);
  }

  isOpen(party: PartyKey, messageId: string): boolean {
    return this.#open.get(messageId)?.party === party;
  }

  async #request(asked: Asked, signal: AbortSignal): Promise<ResponsePayload | AppError> {
    const { id, party, payload, deadlineMs } = asked;
    this.#open.set(asked.id, asked);
    try {
      const came = await this.#deps.messenger.request(
        party,
        { id, kind: 'query', ref: null, payload },
        deadlineMs + ANSWER_TRAVEL_MS,
        signal,
      );
      const reply = came.ok
        ? ok(this.#byWhoAnswers(came.value, asked))
        : err(this.#byWhoFails(came.error, asked));
      const outcome = reply.ok ? readResponse(reply.value) : reply.error;
      if (!reply.ok && reply.error.code === 'cancelled') await this.#deps.cancels.answered(id);
      if (isUnfit(outcome)) return outcome;
      if (reply.ok || !mayRunThere(reply.error))
        await this.#writeDown(asked, outcome, reply.ok ? reply.value : undefined);
      else await this.#cancel(asked, reply.error, signal);
      return outcome;
    } finally {
      this.#open.delete(asked.id);
    }
  }

  /** Without a message in the name of somebody else. */
  #byWhoAnswers(reply: Envelope, { party, toAgent }: Asked): Envelope {
    const writers = answerersThere(this.#deps.store.read.peer(party), toAgent);
    return { ...reply, payload: withTrueAnswer(reply.payload, writers) };
  }

  #byWhoFails(error: AppError, { party, toAgent }: Asked): AppError {
    const { cause, code, data } = error;
    if (!(cause instanceof Said) || cause.origin === null) return error;
    const writers = answerersThere(this.#deps.store.read.peer(party), toAgent);
    const said = { ...cause, code: wireCode(code), retryable: data['retryable'] };
    return checkFailure(said, writers).ok ? error : withoutOrigin(error, cause);
  }

  /**
   * Nobody waits for it any more, and the other hub may still have it: cancels it there. If the
   * asker hung up, the other hub's answer ends the task. A broken stream or a passed deadline ends
   * it at once, because there it ends by itself too.
   */
  async #cancel(asked: Asked, error: AppError, { reason }: AbortSignal): Promise<void> {
    const { unit, cancels, events, log } = this.#deps;
    const hungUp = error.code === 'cancelled';
    const isOver = reason instanceof AppError && reason.message === HUB_RESTARTED;
    const finishedAt = this.#deps.clock.wallMs();
    try {
      await unit.run((tables, after) => {
        const task = keepTask(tables, asked);
        if (!isOpen(task) || task.state === 'cancelling') return;
        if (hungUp && isOver) cancels.begin(tables, after, task, 'hub_restarted', HUB_RESTARTED);
        else if (hungUp) cancels.begin(tables, after, task, 'hung_up', NOBODY_WAITS);
        else {
          const ended = endTask(tables, task, error, finishedAt);
          cancels.again(tables, after, ended, cancelOf(ended, NOBODY_WAITS));
        }
        after(() => events.changed(task.id));
      });
    } catch (failure) {
      log.warn('other hub not told that nobody waits', { error: String(failure) });
      await this.#writeDown(asked, error, undefined);
    }
  }

  /** Within a moment; an offer, which may be accepted as soon as it is read, at once. */
  async #writeDown(
    asked: Asked,
    outcome: ResponsePayload | AppError,
    reply: Envelope | undefined,
  ): Promise<void> {
    const { store, clock, events } = this.#deps;
    const finishedAt = clock.wallMs();
    // A person's answer is no agent's word.
    const isPersons = !(outcome instanceof AppError) && outcome.answered_by !== null;
    const keep = (tables: Tables): void => {
      const fromAgent = isPersons ? null : asked.toAgent;
      const answer =
        reply === undefined || outcome instanceof AppError
          ? null
          : ({ messageId: reply.id, kind: 'response', fromAgent, at: finishedAt } as const);
      const end = endOf(taskFor(asked), outcome, finishedAt);
      const isNew = tables.insertTaskOnce({ ...taskFor(asked), ...end }, answer);
      const known = isNew ? undefined : tables.task(asked.id);
      const ends = known === undefined || isOpen(known);
      if (known !== undefined && ends) {
        endTask(tables, known, outcome, finishedAt);
        if (answer !== null) tables.answerTask(known.id, answer);
      }
      if (!(outcome instanceof AppError))
        tables.addTokens(asked.party, finishedAt, 'there', outcome.tokens_used ?? 0);
      if (reply === undefined || ends) return;
      tables.insertMessage({
        messageId: reply.id,
        direction: 'in',
        party: asked.party,
        kind: reply.kind,
        ref: reply.ref,
        conversationId: asked.conversationId,
        taskId: asked.id,
        fromAgent,
        toAgent: asked.asker,
        payload: JSON.stringify(reply.payload),
        at: finishedAt,
      });
    };
    const over = (): void => events.questionOver(asked.id, asked.conversationId);
    const isOffered = outcome instanceof AppError && isOffer(failureOf(outcome).data);
    if (isOffered) await store.write(keep).then(over);
    else store.writeBehind(keep, over);
  }
}

/** No hub would take it, so it never left and is nothing to keep. */
function isUnfit(outcome: ResponsePayload | AppError): outcome is AppError {
  return outcome instanceof AppError && outcome.failedBy === 'input';
}

function keepTask(tables: Tables, asked: Asked): TaskRow {
  return tables.task(asked.id) ?? tables.insertTask(taskFor(asked));
}

function taskFor(asked: Asked): Omit<TaskRow, 'seq'> {
  return newTask({
    id: asked.id,
    direction: 'outgoing',
    kind: 'query',
    party: asked.party,
    messageId: asked.id,
    contentDigest: contentDigest({ kind: 'query', ref: null, payload: asked.payload }),
    state: 'sending',
    fromAgent: asked.asker,
    toAgent: asked.toAgent,
    domain: typeof asked.payload.domain === 'string' ? asked.payload.domain : null,
    conversationId: asked.conversationId,
    payload: canonicalJson(asked.payload),
    reportBack: true,
    urgent: false,
    receivedAt: asked.at,
    deadlineMs: asked.deadlineMs,
    deadlineBy: typeof asked.payload.deadline_ms === 'number' ? 'asker' : 'default',
  });
}

function endTask(
  tables: Tables,
  task: TaskRow,
  outcome: ResponsePayload | AppError,
  finishedAt: number,
): TaskRow {
  const { state, ...change } = endOf(task, outcome, finishedAt);
  return moveTask(tables, task, state, change);
}

function endOf(
  task: Omit<TaskRow, 'seq'>,
  outcome: ResponsePayload | AppError,
  finishedAt: number,
): Pick<TaskRow, 'state' | 'result' | 'code' | 'finishedAt'> &
  Partial<Pick<TaskRow, 'decision' | 'reason'> & StoryColumns> {
  if (!(outcome instanceof AppError)) {
    const { summary, data, truncated, answered_by: by, decision } = outcome;
    const state = truncated && by === null ? 'partial' : 'completed';
    const result = {
      status: state,
      outcome: summary,
      data,
      error: null,
      ...(by === null ? {} : { answered_by: by }),
    };
    const told = keptDecision(task, decision, finishedAt, state);
    return {
      state,
      result: JSON.stringify(result),
      code: null,
      finishedAt,
      endedBy: by === null ? 'agent' : 'person',
      endedKind: state,
      tokens: outcome.tokens_used,
      ...told,
    };
  }
  const code = readWireErrorCode(outcome.code);
  const { reason, result } = endedBy(outcome, code);
  const said = isJsonObject(outcome.data.untrusted) ? outcome.data.untrusted : {};
  const isAgents = said.ended_by === 'agent';
  const decision = readDecision(said.decision);
  const hasStopped = isStopped(code, decision);
  const isFailed = hasStopped || isHubsRefusal(outcome) || (isAgents && code !== 'cancelled');
  const state = isFailed ? 'failed' : endOfCode(code);
  const told = keptDecision(task, decision, finishedAt, state);
  return {
    state,
    result: JSON.stringify(result),
    code,
    reason,
    finishedAt,
    ...storyOfFailure(task, state, hasStopped, outcome),
    ...told,
  };
}

/** Whose failure it was, by the word of the other hub; what it does not say stays open. */
function storyOfFailure(
  { party, fromAgent, verdict, stopAt }: Omit<TaskRow, 'seq'>,
  state: TaskRow['state'],
  hasStopped: boolean,
  outcome: AppError,
): Partial<StoryColumns> {
  const { code: local, failedBy, data } = outcome;
  const code = readWireErrorCode(local);
  const said = isJsonObject(data.untrusted) ? data.untrusted.ended_by : undefined;
  const by = isOneOf(ENDERS, said) ? said : null;
  if (hasStopped) {
    const stopped = stoppedBy(by);
    return { endedBy: stopped.by, endedKind: stopped.kind };
  }
  const undecided = verdict === null ? { verdictHub: party } : {};
  if (state === 'declined')
    return { endedBy: by, ...(verdict === null ? { verdict: 'declined', ...undecided } : {}) };
  if (state === 'expired')
    return { endedBy: 'clock', ...(verdict === null ? { verdict: 'expired', ...undecided } : {}) };
  // It had left, and its line broke: this hub ends it.
  if (local === 'peer_unreachable') return { endedBy: 'hub', endedKind: 'possibly_executed' };
  const ended =
    by === 'agent'
      ? endedByAgent(failureOf(outcome), code, stopAt !== null)
      : by !== null || failedBy !== 'peer' || code === 'timeout'
        ? endedByHub(code)
        : { by, kind: state === 'cancelled' ? ('cancelled' as const) : ('failed' as const) };
  const isHungUp = state === 'cancelled' && failedBy === 'local' && stopAt === null;
  return {
    endedBy: isHungUp ? (fromAgent === null ? 'person' : 'agent') : ended.by,
    endedKind: ended.kind,
  };
}

/** What the other hub is told; its people see it as the asker's words. */
const NOBODY_WAITS = 'Nobody waits for the answer any more.';

/**
 * Whether the question may still run there. Not if the other hub itself answered, or if it never
 * left.
 */
function mayRunThere({ code, failedBy }: AppError): boolean {
  return (
    failedBy === 'timeout' ||
    code === 'peer_unreachable' ||
    (code === 'cancelled' && failedBy === 'local')
  );
}

function readResponse(envelope: Envelope): ResponsePayload | AppError {
  const parsed = envelope.kind === 'response' ? parseResponse(envelope.payload) : undefined;
  if (parsed?.ok) return parsed.value;
  return new AppError('not_understood', 'The other hub gave an answer that is no response.', {
    failedBy: 'peer',
  });
}
