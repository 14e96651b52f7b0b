// The asking side of consent: puts what an adult's hub has to decide before those hubs, takes the first answer that holds, and takes the
// question back from the others (PROTOCOL.md, Consent). A question is a delegation of this hub's own, so it is kept, sent again and answered as
// any; what is here follows from the store at every look. Never lets anything through by itself: without an answer the request expires.
import { AppError } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ApprovalRow, PeerRow, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { readApprovalView } from '../../core/approval-view.ts';
import { viewOfConsent } from '../../core/consent-view.ts';
import { escapeName, escapeText } from '../../core/text-escape.ts';
import {
  CONSENT_TOPIC,
  consentPayload,
  CONSENTS,
  questionIn,
  readConsentAnswer,
  type ConsentAnswer,
  type ConsentQuestion,
} from '../../protocol/consent.ts';
import type { PeerMessenger } from '../peer-messenger.ts';
import type { Approvals } from './approvals.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ConsentGuard } from './consent-guard.ts';
import type { Deadlines } from './deadlines.ts';
import { CONSENT_REASON_MAX_CHARACTERS, CONSENT_RETRY } from './limits.ts';
import type { OutgoingCancels } from './outgoing-cancels.ts';
import type { OutgoingDelegations } from './outgoing-delegations.ts';
import type { Ending, ResultWords, TaskEndings } from './task-endings.ts';
import { isOpen } from './task-moves.ts';
import { readObject } from './task-views.ts';
import type { After, UnitOfWork } from './unit-of-work.ts';
import type { WorkEvents } from './work-events.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly guard: ConsentGuard;
  readonly delegations: Pick<OutgoingDelegations, 'ask'>;
  readonly cancels: Pick<OutgoingCancels, 'begin'>;
  readonly approvals: Pick<Approvals, 'decideFromAfar'>;
  readonly deadlines: Pick<Deadlines, 'waitLeftOf'>;
  readonly endings: Pick<TaskEndings, 'onEnding' | 'end'>;
  readonly events: WorkEvents;
  readonly audit: AuditTrail;
}

interface Question {
  readonly approvalId: string;
  readonly hub: KeyHex;
}
const OPEN_STATES = ['sending', 'cancelling', 'awaiting_approval', 'held', 'queued', 'claimed', 'running'] as const;

export class Consents {
  readonly #deps: Deps;
  /** Questions that are open, by the id of their task. */
  readonly #open = new Map<string, Question>();
  /** Hubs that did not take or answer a question, and when each is asked anew; by request and hub. */
  readonly #later = new Map<string, { readonly tries: number; timer: TimerHandle | undefined }>();
  #isLooking = false;
  #again = false;
  #stopPresence: (() => void) | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.endings.onEnding((tables, after, task, ending, result) => this.#ending(tables, after, task, ending, result));
    deps.events.onTaskChanged((taskId) => {
      const question = this.#open.get(taskId);
      if (question !== undefined) this.#tell(question.approvalId);
      this.look();
    });
  }

  /** Takes up the questions that the run before left open, before anything can answer them. Idempotent. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#open.clear();
    for (const task of this.#deps.store.read.tasksInStates(OPEN_STATES)) {
      if (task.direction !== 'outgoing' || task.fromAgent !== null) continue;
      const question = questionIn(readObject(task.payload));
      if (question) this.#open.set(task.id, { approvalId: question.id, hub: task.party });
    }
    this.#stopPresence = this.#deps.messenger.onPresence((hub, online) => {
      if (this.#deps.guard.setting(this.#deps.store.read) === null) return;
      if (online) this.#forgetLater((_approval, other) => other === hub);
      this.#tellPages(false);
      this.look();
    });
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    this.#forgetLater(() => true);
  }

  /** How far each hub is with a request; null where the people here decide. */
  standing(
    row: ApprovalRow,
    task: TaskRow,
  ): readonly { readonly hub: PeerRow; readonly state: 'asked' | 'asking' | 'away' | 'older' }[] | null {
    const { store, guard, messenger } = this.#deps;
    if (!isAsked(guard, store, row, task)) return null;
    return guard.hubs(store.read).map((hub) => {
      const id = this.#openAt(row.id, hub.key);
      const state = id === undefined ? undefined : store.read.task(id)?.state;
      if (state === 'awaiting_approval' || state === 'held') return { hub, state: 'asked' as const };
      if (!messenger.isOnline(hub.key)) return { hub, state: 'away' as const };
      return { hub, state: this.#understands(hub.key) ? ('asking' as const) : ('older' as const) };
    });
  }

  /** Whether that hub can be asked at all, as far as it ever said. */
  mayBeAsked(hub: PeerRow): boolean {
    return this.#understands(hub.key) || (!this.#deps.messenger.isOnline(hub.key) && hub.extensions.includes(CONSENTS));
  }

  /** Who decides has changed: what waits follows it. */
  changed(): void {
    this.#forgetLater(() => true);
    this.#tellPages(true);
    this.look();
  }

  /** Brings what is asked in line with what waits, soon. Never throws. */
  look(): void {
    if (this.#open.size === 0 && this.#later.size === 0 && this.#deps.guard.setting(this.#deps.store.read) === null) return;
    this.#again = true;
    if (!this.#isLooking) void this.#lookWhileNew();
  }

  async #lookWhileNew(): Promise<void> {
    this.#isLooking = true;
    while (this.#again && this.#running) {
      this.#again = false;
      try {
        await this.#lookOnce();
      } catch (error) {
        this.#deps.log.warn('questions to adults’ hubs not brought up to date', { error: String(error) });
      }
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const { store, guard } = this.#deps;
    const wanted = new Set<string>();
    const hubs = guard.hubs(store.read);
    for (const row of store.read.pendingApprovals()) {
      const task = store.read.task(row.taskId);
      if (task === undefined || !isAsked(guard, store, row, task)) continue;
      for (const hub of hubs) {
        wanted.add(nameOf(row.id, hub.key));
        if (task.state === 'awaiting_approval') await this.#askOnce(row, task, hub);
      }
    }
    for (const [id, { approvalId, hub }] of this.#open) {
      if (!wanted.has(nameOf(approvalId, hub))) await this.#deps.unit.run((tables, after) => this.#takeBack(tables, after, id, NOT_YOURS));
    }
    this.#forgetLater((approvalId, hub) => !wanted.has(nameOf(approvalId, hub)));
  }

  async #askOnce(row: ApprovalRow, task: TaskRow, hub: PeerRow): Promise<void> {
    const { messenger, deadlines, delegations, log } = this.#deps;
    const name = nameOf(row.id, hub.key);
    if (this.#openAt(row.id, hub.key) !== undefined || this.#later.get(name)?.timer !== undefined) return;
    const leftMs = Math.floor(deadlines.waitLeftOf(task));
    if (leftMs <= 0 || !messenger.isOnline(hub.key) || !this.#understands(hub.key)) return;
    const question = questionOf(row, task);
    if (question === undefined || !viewOfConsent(question).ok) return this.#cannotBeAsked(row.taskId, CANNOT_BE_SHOWN);
    try {
      await delegations.ask(hub, consentPayload(question, leftMs, task.urgent), leftMs, (tables, asked) => {
        this.#open.set(asked.id, { approvalId: row.id, hub: hub.key });
        this.#deps.audit.append(tables, {
          actor: 'hub',
          surface: 'hub',
          action: 'consent.asked',
          object: row.id,
          digest: row.digest,
          detail: { hub: hub.key, question: asked.id, risk_class: row.riskClass },
        });
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'payload_too_large') return this.#cannotBeAsked(row.taskId, TOO_LONG);
      // What was not written down was not asked.
      for (const id of this.#open.keys()) if (this.#deps.store.read.task(id) === undefined) this.#open.delete(id);
      log.info('an adult’s hub was not asked', { error: String(error) });
      this.#askLater(row.id, hub.key);
    }
    this.#deps.events.taskChanged(row.taskId);
  }

  /** Ends what no adult can be shown: it could be allowed by nobody. */
  async #cannotBeAsked(taskId: string, reason: string): Promise<void> {
    const { unit, endings } = this.#deps;
    await unit.run((tables, after) => {
      const task = tables.task(taskId);
      if (task === undefined || !isOpen(task)) return;
      endings.end(tables, after, task, { state: 'declined', code: 'rejected', reason, by: 'hub', surface: 'hub', from: 'hub' });
    });
  }

  /** In the commit of every end: of a question, which may bring an answer, and of a request, which is asked about no longer. */
  #ending(tables: Tables, after: After, task: TaskRow, ending: Ending, result: ResultWords): void {
    const question = this.#open.get(task.id);
    if (question !== undefined) return this.#questionEnded(tables, after, task, question, ending, result);
    if (task.direction === 'outgoing' || this.#open.size === 0) return;
    const approval = tables.approvalOfTask(task.id);
    if (approval) this.#takeBackAll(tables, after, approval.id, OVER);
  }

  #questionEnded(tables: Tables, after: After, task: TaskRow, { approvalId, hub }: Question, ending: Ending, result: ResultWords): void {
    after(() => {
      this.#open.delete(task.id);
      this.#tell(approvalId);
      this.look();
    });
    if (ending.surface !== 'peer') return;
    const answer = readConsentAnswer(result.data);
    if (!answer.ok || result.answered_by === undefined) {
      // Not a person's word: it expired there, or was not taken. It is asked anew while it waits.
      after(() => this.#askLater(approvalId, hub));
      return;
    }
    this.#take(tables, after, task, { approvalId, hub }, answer.value, result.answered_by);
  }

  #take(tables: Tables, after: After, task: TaskRow, { approvalId, hub }: Question, answer: ConsentAnswer, by: string): void {
    const { guard, approvals, audit } = this.#deps;
    const asked = questionIn(readObject(task.payload));
    const row = tables.approval(approvalId);
    const who = `${escapeName(by).name}, ${tables.peer(hub)?.petname ?? hub}`;
    const isBound = asked !== undefined && asked.digest === answer.digest;
    const mayDecide = guard.decides(tables, hub) && row !== undefined && guard.covers(tables, row.riskClass);
    const { choice, digest } = answer;
    const reason = answer.reason === null ? null : escapeText(answer.reason.slice(0, CONSENT_REASON_MAX_CHARACTERS));
    const problem = !isBound
      ? 'changed'
      : !mayDecide
        ? 'not_named'
        : approvals.decideFromAfar(tables, after, approvalId, { choice, digest, reason, hub, who });
    audit.append(tables, {
      actor: hub,
      surface: 'peer',
      action: problem === null ? 'consent.answered' : 'consent.refused',
      object: approvalId,
      digest,
      detail: { question: task.id, choice, ...(problem === null ? {} : { why: problem }) },
    });
    if (problem === null) this.#takeBackAll(tables, after, approvalId, `${who} ${choice === 'allow' ? 'allowed' : 'declined'} it first.`);
    else {
      after(() => {
        void this.#tellUnused(hub, task, row?.state ?? 'cancelled');
        this.#askLater(approvalId, hub);
      });
    }
  }

  /** Whoever answered in vain is told, if that can be now; their hub keeps it on record. */
  async #tellUnused(hub: KeyHex, task: TaskRow, state: string): Promise<void> {
    const { messenger, random, log } = this.#deps;
    const payload = { topic: CONSENT_TOPIC, data: { used: false, state }, importance: 'low' };
    const sent = await messenger.send(hub, { id: random.uuid(), kind: 'notify', ref: task.messageId, payload });
    if (!sent.ok) log.debug('an unused answer was not told of', { code: sent.error.code });
  }

  #takeBackAll(tables: Tables, after: After, approvalId: string, reason: string): void {
    for (const [id, question] of this.#open) if (question.approvalId === approvalId) this.#takeBack(tables, after, id, reason);
  }

  #takeBack(tables: Tables, after: After, id: string, reason: string): void {
    const task = tables.task(id);
    if (task === undefined || !isOpen(task)) after(() => this.#open.delete(id));
    else if (task.state !== 'cancelling') this.#deps.cancels.begin(tables, after, task, 'called_off', reason);
  }

  #askLater(approvalId: string, hub: KeyHex): void {
    if (!this.#running) return;
    const name = nameOf(approvalId, hub);
    const tries = this.#later.get(name)?.tries ?? 0;
    this.#later.get(name)?.timer?.cancel();
    const waits: { readonly tries: number; timer: TimerHandle | undefined } = { tries: tries + 1, timer: undefined };
    waits.timer = this.#deps.clock.setTimer(backoffMs(tries, this.#deps.random.fraction(), CONSENT_RETRY), () => {
      waits.timer = undefined;
      this.look();
    });
    this.#later.set(name, waits);
  }

  #forgetLater(isOver: (approvalId: string, hub: string) => boolean): void {
    for (const [name, { timer }] of this.#later) {
      const [approvalId = '', hub = ''] = name.split(' ');
      if (!isOver(approvalId, hub)) continue;
      timer?.cancel();
      this.#later.delete(name);
    }
  }

  #openAt(approvalId: string, hub: KeyHex): string | undefined {
    for (const [id, question] of this.#open) if (question.approvalId === approvalId && question.hub === hub) return id;
    return undefined;
  }

  #understands(hub: KeyHex): boolean {
    return this.#deps.messenger.extensions(hub).includes(CONSENTS);
  }

  /** How far a question is stands on the card of its request. */
  #tell(approvalId: string): void {
    const row = this.#deps.store.read.approval(approvalId);
    if (row?.state === 'pending') this.#deps.events.taskChanged(row.taskId);
  }

  /** Cards that wait say anew who decides. @param all those of before, too, where nobody elsewhere decides any more */
  #tellPages(all: boolean): void {
    const { store, guard, events } = this.#deps;
    for (const row of store.read.pendingApprovals()) {
      const task = store.read.task(row.taskId);
      if (task !== undefined && (all || isAsked(guard, store, row, task))) events.taskChanged(task.id);
    }
  }
}

/** What runs nothing is never asked about elsewhere: a person is asked to choose, or another hub asks. */
function isAsked(guard: ConsentGuard, store: Store, row: ApprovalRow, task: TaskRow): boolean {
  return row.state === 'pending' && task.toAgent !== null && guard.covers(store.read, row.riskClass);
}

function nameOf(approvalId: string, hub: string): string {
  return `${approvalId} ${hub}`;
}

/** The question about a request as it is kept; undefined for one that cannot be read any more. */
function questionOf(row: ApprovalRow, task: TaskRow): ConsentQuestion | undefined {
  const view = readApprovalView(row.view);
  if (!view.ok || row.riskClass === 'R0') return undefined;
  const { kind, peer_key, peer_name, to_agent, risk_reason, received_at, received_seq, message_id } = view.value;
  return {
    id: row.id,
    digest: row.digest,
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

const OVER = 'It is over at the hub that asked.';
const NOT_YOURS = 'Your hub decides about this no longer.';
const TOO_LONG = 'An adult’s hub decides about this here, and the request is too long to be put before it. It was not run.';
const CANNOT_BE_SHOWN = 'An adult’s hub decides about this here, and the request cannot be shown there as it stands here. It was not run.';
