// Reports on what our agents delegated: `result`, or `error` if no report was wanted. They count
// only from the key the delegation was made with and only while it is open. A foreign, an unknown
// and a finished ref are kept and answered alike (PROTOCOL.md, Delegation states).
import type { WireErrorCode } from '../../../preload/contract/errors.ts';
import type { Ender } from '../../../preload/contract/story.ts';
import { escapeName } from '../../core/text-escape.ts';
import { checkOrigin, originOf, readOrigin } from '../../dialects/origin.ts';
import { answerersThere } from '../admission/asking-agents.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, TaskRow, Tables } from '../../ports/store.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import type { Decision } from '../../protocol/decision.ts';
import { RECEIPT_TOPIC } from '../../protocol/kinds.ts';
import { ASKER, parseError, parseResult, type Teller } from '../../protocol/payloads.ts';
import type { IncomingMessage, PeerMessenger } from '../base/peer-messenger.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import { UNMATCHED_RATE } from './limits.ts';
import { RECEIPTS } from './outbox.ts';
import { awaitsConfirmation, YOU_CANCELLED, type OutgoingCancels } from './outgoing-cancels.ts';
import {
  endedByAgent,
  endedByHub,
  type Ended,
  endOfCode,
  type Ending,
  type ResultWords,
  type TaskEndings,
} from '../tasks/task-endings.ts';
import { isStopped, keptDecision, stoppedBy } from '../tasks/wire-states.ts';
import { answererOf, changeTask, isOpen } from '../tasks/task-moves.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly endings: TaskEndings;
  readonly cancels: OutgoingCancels;
  readonly audit: AuditTrail;
}

export class IncomingResults {
  readonly #deps: Deps;
  readonly #buckets: TokenBuckets;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#buckets = new TokenBuckets(deps.clock);
  }

  /** Stores the report, then tells the peer that it may stop sending it. */
  async handle(message: IncomingMessage): Promise<void> {
    const { peer, envelope } = message;
    const { store, unit, messenger, audit } = this.#deps;
    const report = readReport(message);
    if (!report)
      return audit.refusal({
        actor: peer.key,
        surface: 'peer',
        action: 'result.malformed',
        object: envelope.id,
      });
    const digest = contentDigest(envelope);
    const known = store.read.replay(peer.key, envelope.id);
    if (known && known.contentDigest !== digest) {
      return audit.refusal({
        actor: peer.key,
        surface: 'peer',
        action: 'message.conflict',
        object: envelope.id,
        digest,
      });
    }
    if (!known) {
      const kept = await unit.run((tables, after) =>
        this.#take(tables, after, message, report, digest),
      );
      if (!kept) return;
    }
    if (messenger.extensions(peer.key).includes(RECEIPTS)) await this.#receipt(message);
  }

  /**
   * False when it fits nothing and too many such came: then it leaves no trace and gets no receipt.
   */
  #take(
    tables: Tables,
    after: After,
    message: IncomingMessage,
    { decision, ended_by: by, handed_on_to: holder, ...words }: Report,
    digest: string,
  ): boolean {
    const { peer, envelope } = message;
    const { clock, endings, audit } = this.#deps;
    if (tables.replay(peer.key, envelope.id)) return true;
    const found =
      envelope.ref === null ? undefined : tables.taskByMessage('outgoing', peer.key, envelope.ref);
    const counts = found !== undefined && isOpen(found) && found.kind === 'delegate';
    if (!counts && this.#buckets.take(peer.key, UNMATCHED_RATE) > 0) return false;
    const at = clock.wallMs();
    tables.putReplay({
      party: peer.key,
      messageId: envelope.id,
      contentDigest: digest,
      reply: '{}',
      at,
    });
    if (!counts) {
      audit.append(tables, {
        actor: peer.key,
        surface: 'peer',
        action: 'result.refused',
        object: envelope.ref ?? envelope.id,
        digest,
      });
      return true;
    }
    const noted = this.#deps.cancels.reported(tables, found);
    // Progress may be lost, and is no word on who answered.
    const task =
      holder === undefined
        ? noted
        : changeTask(tables, noted, { handedOnTo: holder && escapeName(holder).name });
    const result = { ...words, ...originIn(message, task) };
    const code = result.status === 'failed' ? (result.code ?? 'internal') : null;
    const ender = by === ASKER ? null : by;
    const end = endThere(result, code, ender, task, decision);
    const fromAgent = end.ended.by === 'agent' ? answererOf(task).agent : null;
    const kind = envelope.kind === 'error' ? 'error' : 'result';
    const isConfirmed = confirmsOurCancel(result, by, task);
    if (!isConfirmed) tables.answerTask(task.id, { messageId: envelope.id, kind, fromAgent, at });
    else
      tables.insertMessage({
        messageId: envelope.id,
        direction: 'in',
        party: peer.key,
        kind: envelope.kind,
        ref: envelope.ref,
        conversationId: task.conversationId,
        taskId: task.id,
        fromAgent,
        toAgent: task.fromAgent,
        payload: JSON.stringify(envelope.payload),
        at,
      });
    tables.addTokens(peer.key, at, 'there', result.tokens_used ?? 0);
    const told = keptDecision(task, decision, at, end.state);
    const current = told ? changeTask(tables, task, told) : task;
    if (isConfirmed) this.#deps.cancels.confirmed(tables, after, current, by === ASKER);
    else this.#end(tables, after, current, message, { ...end, code, result }, endings);
    return true;
  }

  #end(
    tables: Tables,
    after: After,
    task: TaskRow,
    { peer }: IncomingMessage,
    { result, code, ...end }: End & Required<Pick<Ending, 'code' | 'result'>>,
    endings: TaskEndings,
  ): void {
    endings.end(tables, after, task, {
      ...end,
      code,
      reason:
        code === 'cancelled' && task.state === 'cancelling' ? (task.reason ?? YOU_CANCELLED) : null,
      result,
      by: peer.petname,
      surface: 'peer',
      from: 'runner',
    });
  }

  async #receipt({ peer, envelope }: IncomingMessage): Promise<void> {
    const { messenger, random, log } = this.#deps;
    const payload = { topic: RECEIPT_TOPIC, data: {}, importance: 'low' };
    const sent = await messenger.send(peer.key, {
      id: random.uuid(),
      kind: 'notify',
      ref: envelope.id,
      payload,
    });
    if (!sent.ok) log.debug('receipt not sent', { code: sent.error.code });
  }
}

/**
 * Our own cancel coming back: whoever cancelled learns nothing new from it.
 * @param by whose end it is: an agent that was asked to stop tells what it did by then
 */
function confirmsOurCancel(
  { status, code }: ResultWords,
  by: Teller | null,
  task: TaskRow,
): boolean {
  const isUnsaid = by === null || by === ASKER;
  return status === 'failed' && code === 'cancelled' && isUnsaid && awaitsConfirmation(task);
}

interface Report extends ResultWords {
  readonly decision: Decision | null;
  /** Whose end it is; null: that hub does not say. */
  readonly ended_by: Teller | null;
  /** Which agent had it at the end, where it was handed on; undefined: that is not said. */
  readonly handed_on_to?: string | null;
}

function readReport({ envelope }: IncomingMessage): Report | undefined {
  if (envelope.kind === 'error') {
    const { message, code, retryable, decision, ended_by } = parseError(envelope.payload).value;
    return {
      status: 'failed',
      outcome: message,
      data: null,
      error: message,
      code,
      retryable,
      decision,
      ended_by,
    };
  }
  const parsed = parseResult(envelope.payload);
  if (!parsed.ok) return undefined;
  const {
    status,
    outcome,
    data,
    error,
    code,
    retryable,
    tokens_used,
    truncated,
    answered_by,
    ...told
  } = parsed.value;
  return {
    status,
    outcome,
    data,
    error,
    ...told,
    ...(tokens_used === 0 ? {} : { tokens_used }),
    ...(truncated ? { truncated } : {}),
    ...(code === null ? {} : { code }),
    ...(retryable === null ? {} : { retryable }),
    ...(answered_by === null ? {} : { answered_by }),
  };
}

/** The result as it was written in a dialect; nothing where it, or who did it, says otherwise. */
function originIn({ peer, envelope }: IncomingMessage, task: TaskRow): Pick<ResultWords, 'origin'> {
  const { kind, payload } = envelope;
  const origin = kind === 'error' ? undefined : readOrigin(payload);
  if (origin === undefined) return {};
  const writers = answerersThere(peer, answererOf(task).agent);
  return checkOrigin('result', payload, writers).ok ? { origin: originOf(origin) } : {};
}

type End = Pick<Ending, 'state' | 'ended'>;

/**
 * How a report ends the task, and whose end it is: by the word of the other hub, or by what an
 * older one can only mean.
 */
function endThere(
  { status, data, answered_by: person }: ResultWords,
  code: WireErrorCode | null,
  by: Ender | null,
  { stopAt, cancelAnswer, state: stood }: TaskRow,
  decision: Decision | null,
): End {
  if (status !== 'failed') {
    const isPersons = person !== undefined && status === 'completed';
    return {
      state: status,
      ended: isPersons ? { by: 'person', kind: 'completed' } : { by: 'agent', kind: status },
    };
  }
  if (isStopped(code, decision)) return { state: 'failed', ended: stoppedBy(by) };
  const state = endOfCode(code);
  if (by === 'agent') {
    const ended = endedByAgent({ status, data }, code, stopAt !== null);
    return { state: ended.kind === 'stopped' || state === 'cancelled' ? state : 'failed', ended };
  }
  if (state === 'declined' || state === 'expired') return { state, ended: { by, kind: null } };
  if (state === 'cancelled' && stopAt !== null) {
    // Its hub ended what its agent never came back to.
    if (by === 'hub') return { state, ended: { by, kind: 'cancelled' } };
    const kind = cancelAnswer === 'asked_to_stop' ? 'stopped' : 'cancelled';
    return { state, ended: { by: by === 'person' ? by : 'agent', kind } };
  }
  // Nobody asked for a stop, so what its hub cut off may have been done, if it was let through.
  if (state === 'cancelled' && by === 'hub') {
    const isUndecided = decision === null && (stood === 'awaiting_approval' || stood === 'held');
    return { state, ended: { by, kind: isUndecided ? 'cancelled' : 'possibly_executed' } };
  }
  if (by !== null || code === 'timeout') return { state, ended: endedThere(code) };
  return { state, ended: { by, kind: state === 'cancelled' ? 'cancelled' : 'failed' } };
}

/** What that hub reports on it has taken, whatever its code. */
function endedThere(code: WireErrorCode | null): Ended {
  const ended = endedByHub(code);
  return ended.kind === 'hub_refused' ? { by: 'hub', kind: 'failed' } : ended;
}
