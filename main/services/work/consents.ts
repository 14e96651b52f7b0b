// The asking side of consent: puts what an adult's hub has to decide before those hubs, takes the first answer that holds, and takes the
// question back from the others (PROTOCOL.md, Consent). A question is a delegation of this hub's own, so it is kept, sent again and answered as
// any; what is here follows from the store at every look. Never lets anything through by itself: without an answer the request expires.
import type { ConsentHubDto } from '../../../preload/contract/consent.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ApprovalRow, PartyKey, PeerRow, Reads, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { viewOfConsent } from '../../core/consent-view.ts';
import { escapeName, escapeText } from '../../core/text-escape.ts';
import {
  CONSENT_TOPIC,
  consentPayload,
  CONSENTS,
  questionIn,
  readConsentAnswer,
  type ConsentAnswer,
  type ConsentChoice,
  type UnusedBecause,
} from '../../protocol/consent.ts';
import type { CalmKeeper } from '../attention/calm-keeper.ts';
import type { PeerMessenger } from '../peer-messenger.ts';
import type { Approvals } from './approvals.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ConsentGuard } from './consent-guard.ts';
import { questionOf } from './consent-question.ts';
import { ConsentRetries } from './consent-retries.ts';
import { ConsentTurns } from './consent-turns.ts';
import type { Deadlines } from './deadlines.ts';
import { CONSENT_REASON_MAX_CHARACTERS } from './limits.ts';
import { OpenConsents, type OpenConsent } from './open-consents.ts';
import type { OutgoingCancels } from './outgoing-cancels.ts';
import type { OutgoingDelegations } from './outgoing-delegations.ts';
import { isLocal } from './parties.ts';
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
  readonly calm: Pick<CalmKeeper, 'mayInterrupt' | 'isMuted'>;
  readonly delegations: Pick<OutgoingDelegations, 'ask'>;
  readonly cancels: Pick<OutgoingCancels, 'begin'>;
  readonly approvals: Pick<Approvals, 'decideFromAfar'>;
  readonly deadlines: Pick<Deadlines, 'waitLeftOf'>;
  readonly endings: Pick<TaskEndings, 'onEnding' | 'end'>;
  readonly events: WorkEvents;
  readonly audit: AuditTrail;
}

/** A request that an adult's hub decides. */
interface Waiting {
  readonly row: ApprovalRow;
  readonly asker: PartyKey;
}

export class Consents {
  readonly #deps: Deps;
  readonly #open = new OpenConsents();
  readonly #retries: ConsentRetries;
  readonly #turns = new ConsentTurns();
  /** Requests that their cards say wait for their turn, by request and hub. */
  readonly #inLine = new Set<string>();
  #isLooking = false;
  #again = false;
  #stopPresence: (() => void) | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#retries = new ConsentRetries(deps, () => this.look());
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
    this.#open.load(this.#deps.store.read);
    this.#stopPresence = this.#deps.messenger.onPresence((hub, online) => {
      if (this.#deps.guard.setting(this.#deps.store.read) === null) return;
      if (online) this.#retries.forget((_approval, other) => other === hub);
      this.#tellPages(false);
      this.look();
    });
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    this.#retries.forget(() => true);
  }

  /** How far each hub is with a request; null where the people here decide. */
  standing(row: ApprovalRow, task: TaskRow): readonly { readonly hub: PeerRow; readonly state: ConsentHubDto['state'] }[] | null {
    const { store, guard, messenger } = this.#deps;
    if (!isAsked(guard, store.read, row, task)) return null;
    return guard.hubs(store.read).map((hub) => {
      const id = this.#open.at(row.id, hub.key);
      const state = id === undefined ? undefined : store.read.task(id)?.state;
      if (state === 'awaiting_approval' || state === 'held') return { hub, state: 'asked' as const };
      if (!messenger.isOnline(hub.key)) return { hub, state: 'away' as const };
      if (!this.#understands(hub.key)) return { hub, state: 'older' as const };
      const hasRoom = this.#turns.hasRoom(this.#open.there(hub.key), task.party);
      const isInLine = id === undefined && (!hasRoom || this.#retries.isFull(row.id, hub.key));
      return { hub, state: isInLine ? ('in_line' as const) : ('asking' as const) };
    });
  }

  /** Whether that hub can be asked at all, as far as it ever said. */
  mayBeAsked(hub: PeerRow): boolean {
    return this.#understands(hub.key) || (!this.#deps.messenger.isOnline(hub.key) && hub.extensions.includes(CONSENTS));
  }

  /** Who decides has changed: what waits follows it. */
  changed(): void {
    this.#retries.forget(() => true);
    this.#tellPages(true);
    this.look();
  }

  /** Brings what is asked in line with what waits, soon. Never throws. */
  look(): void {
    if (this.#open.size === 0 && this.#retries.isEmpty && this.#deps.guard.setting(this.#deps.store.read) === null) return;
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
    const { store, guard, unit } = this.#deps;
    const wanted = new Set<string>();
    for (const hub of guard.hubs(store.read)) {
      const waiting = this.#waitingFor(hub.key);
      for (const { row } of waiting) wanted.add(nameOf(row.id, hub.key));
      await this.#askInTurn(hub, waiting);
      if (!this.#running) return;
    }
    for (const [id, { approvalId, hub }] of this.#open.entries()) {
      if (this.#isWanted(store.read, approvalId, hub) || store.read.task(id)?.state === 'cancelling') continue;
      await unit.run((tables, after) => {
        if (!this.#isWanted(tables, approvalId, hub)) this.#takeBack(tables, after, id, NOT_YOURS);
      });
      if (!this.#running) return;
    }
    this.#retries.forget((approvalId, hub) => !wanted.has(nameOf(approvalId, hub)));
    for (const name of this.#inLine) if (!wanted.has(name)) this.#inLine.delete(name);
  }

  /** What that hub is to be asked about, or has been, in the order in which it came. */
  #waitingFor(hub: KeyHex): readonly Waiting[] {
    const { read } = this.#deps.store;
    return read.pendingApprovals().flatMap((row) => {
      const task = this.#isWanted(read, row.id, hub) ? read.task(row.taskId) : undefined;
      return task === undefined ? [] : [{ row, asker: task.party }];
    });
  }

  /** Puts before that hub what there is room for, and says of the rest that it waits. */
  async #askInTurn(hub: PeerRow, waiting: readonly Waiting[]): Promise<void> {
    let left = waiting.filter(({ row }) => this.#mayAskNow(row, hub));
    for (;;) {
      const next = this.#turns.next(hub.key, left, this.#open.there(hub.key));
      if (next === undefined) break;
      left = left.filter((other) => other !== next);
      await this.#askOnce(next.row.id, next.row.taskId, hub);
      if (!this.#running) return;
    }
    for (const { row } of left) this.#waitsItsTurn(row, hub.key);
  }

  /** Whether nothing but room is missing for that hub to be asked. */
  #mayAskNow({ id, taskId }: ApprovalRow, hub: PeerRow): boolean {
    const { store, messenger, deadlines } = this.#deps;
    const task = store.read.task(taskId);
    if (task?.state !== 'awaiting_approval' || deadlines.waitLeftOf(task) < 1) return false;
    if (this.#open.at(id, hub.key) !== undefined || this.#retries.isWaiting(id, hub.key)) return false;
    return messenger.isOnline(hub.key) && this.#understands(hub.key);
  }

  /** Whether that hub is to be asked about that request, as it is in this commit or this moment. */
  #isWanted(reads: Reads, approvalId: string, hub: KeyHex): boolean {
    const { guard } = this.#deps;
    const row = reads.approval(approvalId);
    const task = row && reads.task(row.taskId);
    return row !== undefined && task !== undefined && isAsked(guard, reads, row, task) && guard.decides(reads, hub);
  }

  async #askOnce(approvalId: string, taskId: string, hub: PeerRow): Promise<void> {
    const { store, deadlines, delegations, log } = this.#deps;
    const row = store.read.approval(approvalId);
    const task = store.read.task(taskId);
    // The question before it took its time.
    if (row === undefined || task === undefined || !this.#mayAskNow(row, hub)) return;
    const leftMs = Math.floor(deadlines.waitLeftOf(task));
    this.#turns.had(hub.key, task.party);
    this.#inLine.delete(nameOf(row.id, hub.key));
    const question = questionOf(row, task);
    if (question === undefined || !viewOfConsent(question).ok) return this.#cannotBeAsked(taskId, CANNOT_BE_SHOWN);
    try {
      await delegations.ask(hub, consentPayload(question, leftMs, this.#isUrgent(task)), leftMs, (tables, asked) => {
        // Who decides, and whether anything is left to decide, may have changed since the look began.
        if (!this.#running || !this.#isWanted(tables, row.id, hub.key)) throw new NotWanted();
        this.#open.set(asked.id, { approvalId: row.id, hub: hub.key, asker: task.party });
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
      if (error instanceof NotWanted || !this.#running) return;
      if (error instanceof AppError && error.code === 'payload_too_large') return this.#cannotBeAsked(taskId, TOO_LONG);
      // What was not written down was not asked.
      this.#open.keepStored(store.read);
      log.info('an adult’s hub was not asked', { error: String(error) });
      this.#retries.later(row.id, hub.key, false);
    }
    this.#deps.events.taskChanged(taskId);
  }

  /** An adult lets this hub disturb her, not whoever is behind it: only whom the people here let disturb them, too. */
  #isUrgent({ urgent, party }: TaskRow): boolean {
    const { calm, store } = this.#deps;
    return urgent && (isLocal(party) || (calm.mayInterrupt(store.read, party) && !calm.isMuted(party)));
  }

  /** Its card says so, once. */
  #waitsItsTurn(row: ApprovalRow, hub: KeyHex): void {
    const name = nameOf(row.id, hub);
    if (this.#inLine.has(name)) return;
    this.#inLine.add(name);
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
    if (approval === undefined) return;
    // Only an adult's hub declines from afar what waits here, and the others read that it was first.
    const isDeclinedAfar = ending.surface === 'peer' && ending.state === 'declined';
    this.#takeBackAll(tables, after, approval.id, isDeclinedAfar ? wasFirst(ending.by, 'decline') : OVER);
  }

  #questionEnded(tables: Tables, after: After, task: TaskRow, question: OpenConsent, ending: Ending, result: ResultWords): void {
    const { approvalId, hub } = question;
    after(() => this.#open.delete(task.id));
    if (ending.surface === 'peer') {
      const answer = readConsentAnswer(result.status, result.data);
      // Not a person's word: it expired there, or was not taken. It is asked anew while it waits.
      if (!answer.ok || result.answered_by === undefined) after(() => this.#askLater(approvalId, hub, ending.code === 'overloaded'));
      else this.#take(tables, after, task, question, answer.value, result.answered_by);
    }
    // After all that: what is left alone for now is not asked about again at once.
    after(() => {
      this.#tell(approvalId);
      this.look();
    });
  }

  #take(tables: Tables, after: After, task: TaskRow, { approvalId, hub }: OpenConsent, answer: ConsentAnswer, by: string): void {
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
    // She has room for another now, also for one that her hub did not take before.
    after(() => this.#retries.forget((_approval, other, isFull) => isFull && other === hub));
    if (problem === null) this.#takeBackAll(tables, after, approvalId, wasFirst(who, choice));
    else {
      after(() => {
        void this.#tellUnused(hub, task, row?.state ?? 'cancelled', problem);
        this.#askLater(approvalId, hub, false);
      });
    }
  }

  /** Whoever answered in vain is told, if that can be now; their hub keeps it on record. */
  async #tellUnused(hub: KeyHex, task: TaskRow, state: string, why: UnusedBecause): Promise<void> {
    const { messenger, random, log } = this.#deps;
    const payload = { topic: CONSENT_TOPIC, data: { used: false, state, why }, importance: 'low' };
    const sent = await messenger.send(hub, { id: random.uuid(), kind: 'notify', ref: task.messageId, payload });
    if (!sent.ok) log.debug('an unused answer was not told of', { code: sent.error.code });
  }

  #takeBackAll(tables: Tables, after: After, approvalId: string, reason: string): void {
    for (const [id, question] of this.#open.entries()) if (question.approvalId === approvalId) this.#takeBack(tables, after, id, reason);
  }

  #takeBack(tables: Tables, after: After, id: string, reason: string): void {
    const task = tables.task(id);
    if (task === undefined || !isOpen(task)) after(() => this.#open.delete(id));
    else if (task.state !== 'cancelling') this.#deps.cancels.begin(tables, after, task, 'called_off', reason);
  }

  #askLater(approvalId: string, hub: KeyHex, isFull: boolean): void {
    if (this.#running) this.#retries.later(approvalId, hub, isFull);
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
      if (task !== undefined && (all || isAsked(guard, store.read, row, task))) events.taskChanged(task.id);
    }
  }
}

/** What runs nothing is never asked about elsewhere: a person is asked to choose, or another hub asks. */
function isAsked(guard: ConsentGuard, reads: Reads, row: ApprovalRow, task: TaskRow): boolean {
  return row.state === 'pending' && task.toAgent !== null && guard.covers(reads, row.riskClass);
}

/** Ends a commit that would ask what is not to be asked any more. */
class NotWanted extends Error {}

/** @param who the person and the hub, as the record names them */
function wasFirst(who: string, choice: ConsentChoice): string {
  return `${who} ${choice === 'allow' ? 'allowed' : 'declined'} it first.`;
}

function nameOf(approvalId: string, hub: string): string {
  return `${approvalId} ${hub}`;
}

const OVER = 'It is over at the hub that asked.';
const NOT_YOURS = 'Your hub decides about this no longer.';
const TOO_LONG = 'An adult’s hub decides about this here, and the request is too long to be put before it. It was not run.';
const CANNOT_BE_SHOWN = 'An adult’s hub decides about this here, and the request cannot be shown there as it stands here. It was not run.';
