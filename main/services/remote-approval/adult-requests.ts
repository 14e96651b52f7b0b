// The asking side of remote approval: sends requests to the adults' hubs, accepts the first verdict
// that counts, and cancels the question at the other hubs (PROTOCOL.md, Remote approval). A
// question is an ordinary delegation of this hub, stored and resent like any other. Allows nothing
// by itself: without a verdict the request expires.
import { OPEN_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { DecidingHubDto } from '../../../preload/contract/remote-approval.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { shortened } from '../../lib/shortened.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ApprovalRow, PeerRow, Reads, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { readApprovalView } from '../../core/approval-view.ts';
import { viewOfQuestion } from '../../core/remote-approval-view.ts';
import { escapeName, escapeText } from '../../core/text-escape.ts';
import * as protocol from '../../protocol/remote-approval.ts';
import type { DoNotDisturb } from '../attention/do-not-disturb.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import type { Deadlines } from '../tasks/deadlines.ts';
import { isLocal } from '../tasks/parties.ts';
import type { EndedTask, TaskEndings } from '../tasks/task-endings.ts';
import { isOpen } from '../tasks/task-moves.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import { questionOfTask } from './answers.ts';
import type { RemoteApprovalGate } from './gate.ts';
import { ASK_AGAIN_INTERVAL_MS, REASON_MAX_CHARACTERS, TIME_LEFT_MIN_MS } from './limits.ts';
import { PENDING_PER_PARTY_MAX } from '../approvals/limits.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly gate: RemoteApprovalGate;
  readonly doNotDisturb: Pick<DoNotDisturb, 'mayInterrupt' | 'isMuted'>;
  /**
   * Sends a question as a delegation of this hub. `onSend` is called inside the commit in which it
   * becomes one. @throws AppError
   */
  readonly ask: (
    hub: PeerRow,
    payload: JsonObject,
    deadlineMs: number,
    onSend: (tables: Tables, asked: TaskRow) => void,
  ) => Promise<unknown>;
  /** Cancels a question, inside a commit. */
  readonly cancel: (tables: Tables, after: After, question: TaskRow, reason: string) => void;
  readonly approvals: Pick<Approvals, 'decideFromAfar'>;
  readonly deadlines: Pick<Deadlines, 'waitLeftOf'>;
  readonly endings: Pick<TaskEndings, 'onEnding' | 'end'>;
  readonly events: TaskEvents;
  readonly audit: AuditTrail;
}

/** A request before one adult's hub. */
interface Question {
  readonly approvalId: string;
  readonly hub: KeyHex;
  /**
   * It ended there without a verdict. It is not asked there again before the two hubs meet anew.
   */
  isUnanswered: boolean;
}

type Refused = 'changed' | 'not_named' | 'expired' | 'over';

const OVER = 'It is over at the hub that asked.';
const NOT_YOURS = 'Your hub decides about this no longer.';
const TOO_LONG =
  'An adult’s hub decides about this here, and the request is too long to be sent to it. It was not run.';
const CANNOT_BE_SHOWN =
  'An adult’s hub decides about this here, and it cannot be shown the request. It was not run.';

export class AdultRequests {
  readonly #deps: Deps;
  /** What was asked about the requests that wait, by the id of the task that asks. */
  readonly #asked = new Map<string, Question>();
  /** Hubs that took no more just now: they are asked nothing before the next interval. */
  readonly #full = new Set<KeyHex>();
  #timer: TimerHandle | undefined;
  #isLooking = false;
  #again = false;
  #stopPresence: (() => void) | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.endings.onEnding((tables, after, ended) => this.#ending(tables, after, ended));
    deps.events.onChanged(({ taskId }) => {
      const question = this.#asked.get(taskId);
      if (question !== undefined) this.#updateCard(question.approvalId);
    });
  }

  /**
   * Takes up the questions that the run before left open, before anything can answer them.
   * Idempotent.
   */
  start(): void {
    if (this.#running) return;
    const { store, messenger, gate } = this.#deps;
    this.#running = true;
    this.#asked.clear();
    for (const task of store.read.tasksInStates(OPEN_TASK_STATES)) {
      const question =
        task.direction === 'outgoing' && task.fromAgent === null ? questionOfTask(task) : undefined;
      if (question !== undefined)
        this.#asked.set(task.id, { approvalId: question.id, hub: task.party, isUnanswered: false });
    }
    this.#stopPresence = messenger.onPresence((hub, online) => {
      if (gate.state(store.read) === null) return;
      if (online) {
        this.#full.delete(hub);
        for (const [id, question] of this.#asked)
          if (question.hub === hub && question.isUnanswered) this.#asked.delete(id);
      }
      this.#updateCards(false);
      this.look();
    });
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#full.clear();
  }

  /** How far each hub is with a request; null where the people here decide. */
  decidingHubs(row: ApprovalRow, task: TaskRow): readonly DecidingHubDto[] | null {
    const { store, gate } = this.#deps;
    if (!this.#isForAdults(store.read, row, task)) return null;
    return gate.hubs(store.read).map((hub) => {
      return {
        id: hub.agentId,
        name: hub.petname,
        person: hub.person,
        state: this.#stateAt(hub.key, row),
      };
    });
  }

  #stateAt(hub: KeyHex, row: ApprovalRow): DecidingHubDto['state'] {
    const { store, messenger } = this.#deps;
    const [id, question] = this.#questionAt(row.id, hub) ?? [];
    const state = id === undefined ? undefined : store.read.task(id)?.state;
    if (state === 'awaiting_approval' || state === 'held') return 'asked';
    if (!messenger.isOnline(hub)) return 'away';
    if (!this.#understands(hub, row)) return 'older';
    return question?.isUnanswered === true ? 'unanswered' : 'waiting';
  }

  /** Whether that hub can be asked at all, as far as it ever said. */
  mayBeAsked(hub: PeerRow): boolean {
    const { messenger } = this.#deps;
    return (
      protocol.canBeAsked(messenger.extensions(hub.key)) ||
      (!messenger.isOnline(hub.key) && protocol.canBeAsked(hub.extensions))
    );
  }

  /** Who decides has changed: what waits follows it. */
  changed(): void {
    this.#full.clear();
    this.#updateCards(true);
    this.look();
  }

  /** Soon asks what was not asked yet, and cancels what no longer needs asking. Never throws. */
  look(): void {
    if (this.#asked.size === 0 && this.#deps.gate.state(this.#deps.store.read) === null) return;
    this.#again = true;
    if (!this.#isLooking) void this.#lookWhileNew();
  }

  async #lookWhileNew(): Promise<void> {
    this.#isLooking = true;
    while (this.#again && this.#running) {
      this.#again = false;
      try {
        await this.#askAll();
        await this.#cancelUnwanted();
      } catch (error) {
        this.#deps.log.warn('questions to adults’ hubs not brought up to date', {
          error: String(error),
        });
      }
    }
    this.#isLooking = false;
    if (this.#running) this.#lookLater();
  }

  /** While anything waits for an adult. */
  #lookLater(): void {
    if (this.#timer !== undefined || this.#waiting().length === 0) return;
    this.#timer = this.#deps.clock.setTimer(ASK_AGAIN_INTERVAL_MS, () => {
      this.#timer = undefined;
      this.#full.clear();
      this.look();
    });
  }

  async #askAll(): Promise<void> {
    const { store, gate } = this.#deps;
    for (const hub of gate.hubs(store.read)) {
      for (const row of this.#waiting()) if (this.#mayAsk(row, hub)) await this.#ask(row.id, hub);
    }
  }

  async #cancelUnwanted(): Promise<void> {
    const { store, unit } = this.#deps;
    for (const [id, { approvalId, hub }] of Array.from(this.#asked)) {
      if (!this.#running) return;
      if (
        this.#isWanted(store.read, approvalId, hub) ||
        store.read.task(id)?.state === 'cancelling'
      )
        continue;
      await unit.run((tables, after) => {
        if (!this.#isWanted(tables, approvalId, hub)) this.#cancel(tables, after, id, NOT_YOURS);
      });
    }
  }

  /** What adults decide and nobody has decided, the oldest first. */
  #waiting(): readonly ApprovalRow[] {
    const { store } = this.#deps;
    return store.read.pendingApprovals().filter((row) => {
      const task = store.read.task(row.taskId);
      return task !== undefined && this.#isForAdults(store.read, row, task);
    });
  }

  #mayAsk(row: ApprovalRow, { key }: PeerRow): boolean {
    const { store, messenger, deadlines } = this.#deps;
    const { id, taskId } = row;
    if (
      !this.#running ||
      this.#full.has(key) ||
      !messenger.isOnline(key) ||
      !this.#understands(key, row)
    )
      return false;
    const task = store.read.task(taskId);
    if (task?.state !== 'awaiting_approval' || deadlines.waitLeftOf(task) < TIME_LEFT_MIN_MS)
      return false;
    const open = [...this.#asked.values()].filter(
      ({ hub, isUnanswered }) => hub === key && !isUnanswered,
    );
    return open.length < PENDING_PER_PARTY_MAX && this.#questionAt(id, key) === undefined;
  }

  /**
   * A request that runs nothing is never asked about elsewhere: a person is asked to choose, or
   * another hub asks.
   */
  #isForAdults(reads: Reads, row: ApprovalRow, task: TaskRow): boolean {
    return (
      row.state === 'pending' &&
      task.toAgent !== null &&
      this.#deps.gate.covers(reads, row.riskClass)
    );
  }

  /** Whether that hub is to decide about that request, as it is in this commit or this moment. */
  #isWanted(reads: Reads, approvalId: string, hub: KeyHex): boolean {
    const row = reads.approval(approvalId);
    const task = row && reads.task(row.taskId);
    return (
      row !== undefined &&
      task !== undefined &&
      this.#isForAdults(reads, row, task) &&
      this.#deps.gate.decides(reads, hub)
    );
  }

  async #ask(approvalId: string, hub: PeerRow): Promise<void> {
    const { store, deadlines, ask, audit, events, log } = this.#deps;
    const row = store.read.approval(approvalId);
    const task = row && store.read.task(row.taskId);
    if (row === undefined || task === undefined) return;
    const leftMs = Math.floor(deadlines.waitLeftOf(task));
    const question = questionOf(row, task);
    if (question === undefined || !viewOfQuestion(question).ok)
      return this.#endUnasked(task.id, CANNOT_BE_SHOWN);
    let questionId = '';
    try {
      await ask(
        hub,
        protocol.questionPayload(question, leftMs, this.#isUrgent(task)),
        leftMs,
        (tables, asked) => {
          // Meanwhile the deciding hubs may have changed, or the decision may have been made.
          if (!this.#running || !this.#isWanted(tables, row.id, hub.key)) throw new NotWanted();
          questionId = asked.id;
          this.#asked.set(asked.id, { approvalId: row.id, hub: hub.key, isUnanswered: false });
          audit.append(tables, {
            actor: 'hub',
            surface: 'hub',
            action: 'remote_approval.asked',
            object: row.id,
            digest: row.digest,
            detail: { hub: hub.key, question: asked.id, risk_class: row.riskClass },
          });
        },
      );
      events.changed(task.id);
    } catch (error) {
      // What was not written down was not asked.
      if (store.read.task(questionId) === undefined) this.#asked.delete(questionId);
      if (error instanceof AppError && error.code === 'payload_too_large')
        return this.#endUnasked(task.id, TOO_LONG);
      if (error instanceof NotWanted || !this.#running) return;
      this.#full.add(hub.key);
      log.info('an adult’s hub was not asked', { error: String(error) });
    }
  }

  /**
   * An adult lets this hub interrupt her, but only with what may interrupt the people here, too.
   */
  #isUrgent({ urgent, party }: TaskRow): boolean {
    const { doNotDisturb, store } = this.#deps;
    return (
      urgent &&
      (isLocal(party) ||
        (doNotDisturb.mayInterrupt(store.read, party) && !doNotDisturb.isMuted(party)))
    );
  }

  /** Ends what no adult can be shown: nobody could ever allow it. */
  async #endUnasked(taskId: string, reason: string): Promise<void> {
    const { unit, endings, clock } = this.#deps;
    await unit.run((tables, after) => {
      const task = tables.task(taskId);
      if (task === undefined || !isOpen(task)) return;
      endings.end(tables, after, task, {
        state: 'declined',
        code: 'rejected',
        reason,
        by: 'hub',
        surface: 'hub',
        from: 'hub',
        ended: { by: 'hub', kind: null },
        story: { verdict: 'declined', verdictSurface: 'hub', verdictAt: clock.wallMs() },
      });
    });
  }

  /**
   * In the commit of every end: of a question, which may bring a verdict, and of a request, which
   * is asked about no longer.
   */
  #ending(tables: Tables, after: After, ended: EndedTask): void {
    const { task, ending } = ended;
    const question = this.#asked.get(task.id);
    if (question !== undefined) return this.#questionEnded(tables, after, question, ended);
    if (task.direction === 'outgoing' || this.#asked.size === 0) return;
    const approval = tables.approvalOfTask(task.id);
    if (approval === undefined) return;
    // Only an adult's hub declines a waiting request here from afar, and the others read that it
    // was first.
    const isRemote = ending.surface === 'peer' && ending.state === 'declined';
    this.#cancelAll(tables, after, approval.id, isRemote ? wasFirst(ending.by, 'decline') : OVER);
  }

  #questionEnded(
    tables: Tables,
    after: After,
    question: Question,
    { task, ending, result }: EndedTask,
  ): void {
    const { approvalId, hub } = question;
    const verdict = protocol.readVerdict(result.status, result.data);
    if (ending.surface === 'peer' && verdict.ok && result.answered_by !== undefined) {
      this.#take(tables, after, task, question, verdict.value);
    }
    // It never left this hub, or that one had no room: it goes again after the interval.
    const isFull =
      ending.code === 'overloaded' ||
      ending.code === 'rate_limited' ||
      (ending.surface === 'hub' && ending.state === 'failed');
    after(() => {
      if (isFull) this.#full.add(hub);
      if (isFull || (ending.state === 'cancelled' && ending.surface !== 'peer'))
        this.#asked.delete(task.id);
      question.isUnanswered = true;
      this.#updateCard(approvalId);
      this.look();
    });
  }

  /**
   * Weighs a verdict in the commit that takes it: it counts if it is about the request as it is
   * now, from a hub that decides.
   */
  #take(
    tables: Tables,
    after: After,
    task: TaskRow,
    { approvalId, hub }: Question,
    verdict: protocol.Verdict,
  ): void {
    const { gate, approvals, audit } = this.#deps;
    const { choice, digest } = verdict;
    const row = tables.approval(approvalId);
    const who = nameOf(verdict.person, tables.peer(hub)?.petname ?? hub);
    const reason =
      verdict.reason === null ? null : escapeText(shortened(verdict.reason, REASON_MAX_CHARACTERS));
    const mayDecide =
      row !== undefined && gate.covers(tables, row.riskClass) && gate.decides(tables, hub);
    const isBound = questionOfTask(task)?.digest === digest;
    const refused: Refused | null = !isBound
      ? 'changed'
      : !mayDecide
        ? 'not_named'
        : approvals.decideFromAfar(tables, after, approvalId, {
            choice,
            digest,
            reason,
            hub,
            who,
            person: verdict.person === null ? null : escapeName(verdict.person).name,
          });
    audit.append(tables, {
      actor: hub,
      surface: 'peer',
      action: refused === null ? 'remote_approval.answered' : 'remote_approval.refused',
      object: approvalId,
      digest,
      detail: { question: task.id, choice, ...(refused === null ? {} : { why: refused }) },
    });
    if (refused === null) this.#cancelAll(tables, after, approvalId, wasFirst(who, choice));
  }

  #cancelAll(tables: Tables, after: After, approvalId: string, reason: string): void {
    for (const [id, question] of this.#asked)
      if (question.approvalId === approvalId) this.#cancel(tables, after, id, reason);
  }

  #cancel(tables: Tables, after: After, id: string, reason: string): void {
    const task = tables.task(id);
    if (task === undefined || !isOpen(task)) after(() => this.#asked.delete(id));
    else if (task.state !== 'cancelling') this.#deps.cancel(tables, after, task, reason);
  }

  #questionAt(
    approvalId: string,
    hub: KeyHex,
  ): readonly [id: string, question: Question] | undefined {
    return [...this.#asked].find(
      ([, question]) => question.approvalId === approvalId && question.hub === hub,
    );
  }

  /** Whether that hub can make the very text that this card is; one that is damaged is no text. */
  #understands(hub: KeyHex, { view }: Pick<ApprovalRow, 'view'>): boolean {
    const read = readApprovalView(view);
    return protocol.canMake(this.#deps.messenger.extensions(hub), read.ok ? read.value.version : 1);
  }

  #updateCard(approvalId: string): void {
    const row = this.#deps.store.read.approval(approvalId);
    if (row?.state === 'pending') this.#deps.events.changed(row.taskId);
  }

  /** @param all the cards of before, too, where nobody elsewhere decides any more */
  #updateCards(all: boolean): void {
    const { store, events } = this.#deps;
    for (const row of all ? store.read.pendingApprovals() : this.#waiting())
      events.changed(row.taskId);
  }
}

/** undefined for a request that cannot be read any more. */
function questionOf(row: ApprovalRow, task: TaskRow): protocol.ApprovalQuestion | undefined {
  const view = readApprovalView(row.view);
  if (!view.ok || row.riskClass === 'R0') return undefined;
  const {
    version,
    kind,
    peer_key,
    peer_name,
    to_agent,
    risk_reason,
    received_at,
    received_seq,
    message_id,
  } = view.value;
  return {
    id: row.id,
    digest: row.digest,
    version,
    kind,
    payload: task.payload,
    peer_key,
    peer_name,
    from_agent: task.fromAgent,
    to_agent,
    risk_class: row.riskClass,
    risk_reason,
    received_at,
    received_seq,
    conversation_id: task.conversationId,
    message_id,
  };
}

/** The person and the hub, as the audit log names them: "Nadia, Mum's PC". */
function nameOf(person: string | null, hub: string): string {
  const name = person === null ? hub : escapeName(person).name;
  return name === hub ? hub : `${name}, ${hub}`;
}

/** Read by the people at the other hubs. */
function wasFirst(who: string, choice: protocol.VerdictChoice): string {
  return `${who} ${choice === 'allow' ? 'allowed' : 'declined'} it first.`;
}

/** Ends a commit that would ask what is not to be asked any more. */
class NotWanted extends Error {}
