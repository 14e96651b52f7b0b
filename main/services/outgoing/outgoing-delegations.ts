// What our agents delegate to another hub: stored, sent, and its ack recorded, so that a crash at
// any point neither loses nor doubles it. A hub that is away is an error at once; an ack that was
// lost on the way is asked for again under the same id (PROTOCOL.md, Delegation states).
import { OPEN_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { readWireErrorCode } from '../../../preload/contract/errors.ts';
import { AppError } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { type JsonObject, readObject } from '../../lib/json-object.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PeerRow, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import { canBeAsked, canMake, questionIn } from '../../protocol/remote-approval.ts';
import { ESCALATE, HAND_OFF } from '../../protocol/escalation.ts';
import { DIALECTS_EXTENSION, ESCALATIONS } from '../../protocol/kinds.ts';
import { DEADLINE_MAX_MS } from '../../protocol/limits.ts';
import type { AckPayload } from '../../protocol/payloads.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import {
  endedBy,
  isHubsRefusal,
  isUnsettled,
  readReply,
  type Answer,
} from './delegation-replies.ts';
import { lateGraceOf, type Deadlines } from '../tasks/deadlines.ts';
import type { HandOffs } from '../tasks/hand-offs.ts';
import type { DelegationKeys, IdempotencyClaim } from '../tasks/delegation-keys.ts';
import { ACK_TIMEOUT_MS, HELD_SAID_MAX_MS, OUTGOING_OPEN_MAX, RESEND_BACKOFF } from './limits.ts';
import type { OutgoingCancels } from './outgoing-cancels.ts';
import { delegatePayload } from './outgoing-payloads.ts';
import type { Recipient } from './candidates.ts';
import {
  peerAway,
  repeatedReport,
  reportOf,
  type Failed,
  type SendReport,
} from './send-reports.ts';
import { endedByHub, type TaskEndings } from '../tasks/task-endings.ts';
import type { Parties } from '../tasks/parties.ts';
import { mayBe, moveTask, newTask } from '../tasks/task-moves.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import { fromWire } from '../tasks/wire-states.ts';
import type { TaskEvents } from '../tasks/task-events.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly deadlines: Deadlines;
  readonly endings: TaskEndings;
  readonly events: TaskEvents;
  readonly audit: AuditTrail;
  readonly idempotency: DelegationKeys;
  readonly cancels: OutgoingCancels;
  readonly parties: Parties;
  readonly handOffs: Pick<HandOffs, 'begun'>;
}

export class OutgoingDelegations {
  readonly #deps: Deps;
  readonly #open = new Set<string>();
  readonly #inFlight = new Set<string>();
  readonly #retries = new Map<string, { attempt: number; timer: TimerHandle | undefined }>();
  #stopPresence: (() => void) | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.endings.onEnding((_, after, { task }) =>
      after(() => {
        this.#open.delete(task.id);
        this.#forgetRetry(task.id);
      }),
    );
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#stopPresence = this.#deps.messenger.onPresence((peer, online) => {
      if (online) this.#resendTo(peer);
    });
    for (const task of this.#deps.store.read.tasksInStates(OPEN_TASK_STATES)) {
      if (task.direction === 'outgoing' && task.kind === 'delegate') this.#open.add(task.id);
    }
    this.#resendToAll();
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    for (const retry of this.#retries.values()) retry.timer?.cancel();
    this.#retries.clear();
  }

  /**
   * Puts a question of this hub's own before another one, and waits for no ack. `also` joins its
   * commit.
   * @throws AppError payload_too_large, or overloaded
   */
  async ask(
    peer: PeerRow,
    payload: JsonObject,
    deadlineMs: number,
    also: (tables: Tables, task: TaskRow) => void,
  ): Promise<void> {
    const { random, messenger, unit, deadlines, log } = this.#deps;
    const messageId = random.uuid();
    // Throws where it is too large.
    messenger.encode(peer.key, { id: messageId, kind: 'delegate', ref: null, payload });
    this.#checkRoom();
    const isUrgent = payload.priority === 'urgent';
    const params = {
      to: peer.agentId,
      task: '',
      priority: isUrgent ? 'urgent' : 'normal',
      report_back: true,
      deadline_ms: deadlineMs,
    } as const;
    const recipient = { at: 'peer', peer, agent: null, why: '' } as const;
    const task = await unit.run((tables, after) => {
      const row = this.#insert(tables, {
        params,
        recipient,
        asker: null,
        payload,
        messageId,
        by: { actor: 'hub', surface: 'hub' },
        isHubs: true,
      });
      also(tables, row);
      after(() => {
        this.#open.add(row.id);
        deadlines.arm(row.id, row.deadlineMs, 0);
      });
      return row;
    });
    this.#transmit(task, 'asker').catch((error: unknown) =>
      log.warn('question of this hub not sent', { error: String(error) }),
    );
  }

  #checkRoom(): void {
    if (this.#open.size < OUTGOING_OPEN_MAX) return;
    throw new AppError('overloaded', 'Too many delegations are open already.', {
      hint: 'Wait for some to end, or cancel them.',
    });
  }

  /**
   * Sends it and waits for the ack, at most ten seconds. State `sending` in the report: the line
   * broke, it is tried again.
   * @throws AppError peer_unreachable, unsupported_feature, payload_too_large, overloaded
   */
  async send(
    params: OperationParams<'send.delegate'>,
    recipient: Extract<Recipient, { at: 'peer' }>,
    asker: string | null,
    by: Actor,
    claim: IdempotencyClaim | null,
  ): Promise<SendReport | Failed> {
    const { random, messenger, store, unit } = this.#deps;
    const { peer } = recipient;
    const payload = delegatePayload(params, recipient, asker);
    const messageId = random.uuid();
    // Throws where it is too large.
    messenger.encode(peer.key, { id: messageId, kind: 'delegate', ref: null, payload });
    const online = messenger.isOnline(peer.key);
    const away = () => peerAway(peer.petname, messenger.isShutOut(peer.key));
    if (online && !messenger.features(peer.key).includes('delegate')) throw takesNone(peer.petname);
    if (online && !this.#isUnderstood(peer.key, payload)) throw asksNobody(peer.petname);
    this.#checkRoom();
    const { task, isRepeat } = await unit.run((tables, after) => {
      // The same may have come in with this very commit.
      const made = claim === null ? undefined : this.#deps.idempotency.taskOf(claim, tables);
      const first = made === undefined ? undefined : tables.task(made);
      if (first !== undefined) return { task: first, isRepeat: true };
      const row = this.#insert(tables, { params, recipient, asker, by, payload, messageId });
      if (online && mayBe(HAND_OFF, row)) this.#deps.handOffs.begun(tables, after, row);
      if (claim && online) this.#deps.idempotency.keep(tables, claim, row.id);
      after(() => {
        this.#open.add(row.id);
        this.#deps.deadlines.arm(row.id, row.deadlineMs, 0);
      });
      if (!online) this.#deps.endings.end(tables, after, row, unreachable(away()));
      return { task: row, isRepeat: false };
    });
    if (isRepeat) return repeatedReport(task, this.#deps.parties);
    if (!online) throw away();
    const outcome = await this.#transmit(task, 'asker');
    const now = store.read.task(task.id) ?? task;
    if (outcome instanceof AppError) return { error: outcome, task: now };
    const report = reportOf(now, recipient);
    return report.state === 'queued' && !messenger.acknowledges(peer.key)
      ? { ...report, state: 'delivered' }
      : report;
  }

  /** Sends what is stored, records what came back. The error is the refusal for whoever waits. */
  async #transmit(task: TaskRow, from: 'asker' | 'hub'): Promise<AppError | undefined> {
    if (this.#inFlight.has(task.id)) return undefined;
    this.#inFlight.add(task.id);
    try {
      const message = {
        id: task.messageId,
        kind: 'delegate',
        ref: null,
        payload: this.#asRead(task),
      };
      const reply = await this.#deps.messenger.request(task.party, message, ACK_TIMEOUT_MS);
      const said = readReply(reply, from);
      const answer = isUnsettled(said, from) ? 'lost' : said;
      if (await this.#isCancelled(task.id, answer)) return undefined;
      if (answer === 'lost') return void this.#retryLater(task);
      try {
        return await this.#record(task.id, answer, from);
      } catch (error) {
        // The disk did not take it: the other hub gives the same answer again.
        this.#retryLater(task);
        throw error;
      }
    } finally {
      this.#inFlight.delete(task.id);
    }
  }

  /** Without the message of a language, for a hub that would not read it. */
  #asRead({ party, payload }: TaskRow): JsonObject {
    const { origin, ...fields } = readObject(payload);
    const readsIt = this.#deps.messenger.extensions(party).includes(DIALECTS_EXTENSION);
    return origin === undefined || !readsIt ? fields : { ...fields, origin };
  }

  /**
   * Cancelled while it was on its way. A refusal says that the other hub does not have it;
   * otherwise the cancel may have arrived before it, so it is cancelled once more.
   */
  async #isCancelled(taskId: string, answer: Answer): Promise<boolean> {
    const { unit, cancels, store } = this.#deps;
    if (store.read.task(taskId)?.state === 'sending') return false;
    await unit.run((tables, after) => {
      const task = tables.task(taskId);
      if (task?.state !== 'cancelling') return;
      if (answer instanceof AppError) cancels.refused(tables, after, task);
      else cancels.again(tables, after, task);
    });
    return true;
  }

  async #record(
    taskId: string,
    answer: AckPayload | AppError,
    from: 'asker' | 'hub',
  ): Promise<AppError | undefined> {
    const { unit, clock, endings, deadlines, events } = this.#deps;
    // An ack that was lost is given again, since the other hub has it for good. A refusal may have
    // been for a moment only, and whoever asked is told of it: it must not be taken back.
    const durability = answer instanceof AppError ? 'for_good' : 'comes_again';
    return unit.run((tables, after) => {
      const task = tables.task(taskId);
      if (task?.state !== 'sending') return undefined;
      if (!(answer instanceof AppError)) {
        const told = fromWire(answer.state ?? 'queued');
        const isHeld = answer.held && told === 'awaiting_approval';
        const heldUntil =
          isHeld && answer.held_ms !== null
            ? clock.wallMs() + Math.min(answer.held_ms, HELD_SAID_MAX_MS)
            : null;
        const taken = moveTask(tables, task, isHeld ? 'held' : told, {
          estimatedMs: answer.estimated_ms,
          heldUntil,
          ...(told === 'awaiting_approval' ? { waitsFor: 'peer' } : {}),
        });
        after(() => {
          this.#forgetRetry(taskId);
          deadlines.arm(
            taskId,
            task.deadlineMs,
            deadlines.elapsedMs(taskId) ?? 0,
            lateGraceOf(taken),
          );
          events.changed(taskId);
        });
        return undefined;
      }
      const code = readWireErrorCode(answer.code);
      // What failed before it left is no word of the other hub's.
      const whose =
        answer.failedBy === 'peer'
          ? ({ by: task.party, surface: 'peer', ended: endedByHub(code) } as const)
          : ({ by: 'hub', surface: 'hub', ended: { by: 'hub', kind: 'hub_refused' } } as const);
      endings.end(tables, after, task, {
        state: code === 'rejected' && !isHubsRefusal(answer) ? 'declined' : 'failed',
        ...endedBy(answer, code),
        ...whose,
        from,
      });
      return answer;
    }, durability);
  }

  /**
   * The line broke before the answer: whether the other hub has it is not known, so it is asked
   * again under the same id.
   */
  #retryLater(task: TaskRow): void {
    if (!this.#running) return;
    const attempt = this.#retries.get(task.id)?.attempt ?? 0;
    this.#retries.get(task.id)?.timer?.cancel();
    const timer = this.#deps.clock.setTimer(
      backoffMs(attempt, this.#deps.random.fraction(), RESEND_BACKOFF),
      () => {
        this.#retries.set(task.id, { attempt: attempt + 1, timer: undefined });
        this.#resend(task.id);
      },
    );
    this.#retries.set(task.id, { attempt: attempt + 1, timer });
  }

  #resendTo(peer: KeyHex): void {
    for (const task of this.#unacknowledged()) if (task.party === peer) this.#resend(task.id);
  }

  #resendToAll(): void {
    for (const party of new Set(this.#unacknowledged().map((task) => task.party)))
      this.#resendTo(party);
  }

  #resend(taskId: string): void {
    const task = this.#deps.store.read.task(taskId);
    if (!this.#running || task?.state !== 'sending') return;
    if (!this.#deps.messenger.isOnline(task.party)) return;
    // Whoever runs there now may be older than what the first try was for. It waits for a hub that
    // reads it, or for its deadline: whether that first try is there is not known, so it is not
    // said to have failed either.
    if (!this.#isUnderstood(task.party, readObject(task.payload)) || this.#inFlight.has(taskId))
      return;
    this.#transmit(task, 'hub').catch((error: unknown) =>
      this.#deps.log.warn('delegation not sent again', { error: String(error) }),
    );
  }

  /**
   * A hub that knows no escalations would give the choice to an agent, as work; one that knows no
   * remote approval would draw a card of its sender's words.
   */
  #isUnderstood(peer: KeyHex, payload: JsonObject): boolean {
    if (payload['act'] !== ESCALATE) return true;
    const known = this.#deps.messenger.extensions(peer);
    if (!known.includes(ESCALATIONS) || payload['approval'] === undefined)
      return known.includes(ESCALATIONS);
    const question = questionIn(payload);
    return question === undefined ? canBeAsked(known) : canMake(known, question.version);
  }

  #unacknowledged(): readonly TaskRow[] {
    return this.#deps.store.read
      .tasksInStates(['sending'])
      .filter((task) => task.kind === 'delegate');
  }

  #forgetRetry(taskId: string): void {
    this.#retries.get(taskId)?.timer?.cancel();
    this.#retries.delete(taskId);
  }

  #insert(tables: Tables, sent: Sent): TaskRow {
    const { params, recipient, asker, payload, messageId } = sent;
    const row = newTask({
      id: messageId,
      direction: 'outgoing',
      kind: 'delegate',
      party: recipient.peer.key,
      messageId,
      contentDigest: contentDigest({ kind: 'delegate', ref: null, payload }),
      state: 'sending',
      fromAgent: asker,
      toAgent: recipient.agent ?? params.route?.to ?? null,
      domain: typeof payload.domain === 'string' ? payload.domain : null,
      conversationId: params.conversation?.id ?? messageId,
      payload: canonicalJson(payload),
      reportBack: params.report_back,
      urgent: params.priority === 'urgent',
      receivedAt: this.#deps.clock.wallMs(),
      deadlineMs: params.deadline_ms ?? DEADLINE_MAX_MS,
      deadlineBy:
        sent.isHubs === true ? 'hub' : params.deadline_ms === undefined ? 'default' : 'asker',
    });
    const task = tables.insertTask(row);
    this.#deps.audit.append(tables, {
      ...sent.by,
      action: 'delegation.sent',
      object: task.id,
      digest: task.contentDigest,
    });
    return task;
  }
}

interface Sent {
  readonly params: OperationParams<'send.delegate'>;
  readonly recipient: Extract<Recipient, { at: 'peer' }>;
  readonly asker: string | null;
  /** As the audit log names it. */
  readonly by: Actor;
  readonly payload: JsonObject;
  readonly messageId: string;
  /** Of this hub itself, not of an agent or a person of it. */
  readonly isHubs?: boolean;
}

function unreachable({ message }: AppError) {
  return {
    state: 'failed',
    code: 'peer_not_found',
    reason: message,
    by: 'hub',
    surface: 'hub',
    from: 'asker',
    ended: { by: 'hub', kind: 'hub_refused' },
  } as const;
}

function takesNone(name: string): AppError {
  return new AppError('unsupported_feature', `${name} does not take delegations.`, {
    hint: 'Ask it with a query instead.',
  });
}

function asksNobody(name: string): AppError {
  return new AppError('unsupported_feature', `${name} cannot ask its person to choose yet.`, {
    hint: 'Ask it with a query instead, or again once the hub there is newer.',
  });
}
