// The asking side of consent: puts what an adult's hub has to decide before those hubs, takes the first answer that holds, and takes the
// question back from the others (PROTOCOL.md, Consent). A question is a delegation of this hub's own, so it is kept, sent again and answered as
// any; what is here follows from the store at every look. Never lets anything through by itself: without an answer the request expires.
import type { ConsentHubDto } from '../../../preload/contract/consent.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ApprovalRow, PartyKey, PeerRow, Reads, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { viewOfConsent } from '../../core/consent-view.ts';
import { consentPayload, CONSENTS, readConsentAnswer, type ConsentAnswer } from '../../protocol/consent.ts';
import type { CalmKeeper } from '../attention/calm-keeper.ts';
import type { PeerMessenger } from '../peer-messenger.ts';
import type { Approvals } from './approvals.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ConsentGuard } from './consent-guard.ts';
import { ConsentPace } from './consent-pace.ts';
import { questionOf } from './consent-question.ts';
import { CANNOT_BE_SHOWN, NOT_YOURS, OVER, TOO_LONG, wasFirst } from './consent-reasons.ts';
import { ConsentRefusals } from './consent-refusals.ts';
import { consentKey, ConsentRetries, type ConsentKey } from './consent-retries.ts';
import { ConsentTurns } from './consent-turns.ts';
import { ConsentVerdicts } from './consent-verdicts.ts';
import type { Deadlines } from './deadlines.ts';
import { CONSENT_LOOK_AGAIN_MS, CONSENT_TIME_LEFT_MIN_MS } from './limits.ts';
import { OpenConsents, type OpenConsent } from './open-consents.ts';
import type { OutgoingCancels } from './outgoing-cancels.ts';
import type { OutgoingDelegations } from './outgoing-delegations.ts';
import { isLocal } from './parties.ts';
import type { Ending, ResultWords, TaskEndings } from './task-endings.ts';
import { isOpen } from './task-moves.ts';
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
  readonly delegations: Pick<OutgoingDelegations, 'ask' | 'pacedBy' | 'resendTo'>;
  readonly cancels: Pick<OutgoingCancels, 'begin'>;
  readonly approvals: Pick<Approvals, 'decideFromAfar'>;
  readonly deadlines: Pick<Deadlines, 'waitLeftOf'>;
  readonly endings: Pick<TaskEndings, 'onEnding' | 'end'>;
  readonly events: WorkEvents;
  readonly audit: AuditTrail;
}

/** A request that adults' hubs decide. */
interface Waiting {
  readonly row: ApprovalRow;
  readonly asker: PartyKey;
}

export class Consents {
  readonly #deps: Deps;
  readonly #open = new OpenConsents();
  readonly #retries: ConsentRetries;
  readonly #turns = new ConsentTurns();
  readonly #pace: ConsentPace;
  readonly #verdicts: ConsentVerdicts;
  readonly #refusals: ConsentRefusals;
  /** Requests that their cards say wait for their turn, by request and hub. */
  readonly #inLine = new Set<ConsentKey>();
  /** A look that failed is taken again then. */
  #lookAgain: TimerHandle | undefined;
  #isLooking = false;
  #again = false;
  #stopPresence: (() => void) | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#retries = new ConsentRetries(deps, () => this.look());
    this.#pace = new ConsentPace(deps, () => this.look());
    this.#verdicts = new ConsentVerdicts(deps);
    this.#refusals = new ConsentRefusals({
      open: this.#open,
      pace: this.#pace,
      retries: this.#retries,
      turns: this.#turns,
      onPutOff: ({ approvalId }) => {
        this.#tell(approvalId);
        this.look();
      },
    });
    deps.delegations.pacedBy(this.#refusals);
    deps.endings.onEnding((tables, after, task, ending, result) => this.#ending(tables, after, task, ending, result));
    deps.events.onTaskChanged((taskId) => {
      const question = this.#open.get(taskId);
      const state = deps.store.read.task(taskId)?.state;
      if (question !== undefined) {
        if (isThere(state)) this.#pace.hasRoom(question.hub);
        this.#tell(question.approvalId);
      }
      // Nothing else changes what is asked, or makes room: how a request ends takes its questions back in its own commit.
      if (question !== undefined || state === 'awaiting_approval') this.look();
    });
  }

  /** Takes up the questions that the run before left open, before anything can answer them. Idempotent. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#open.load(this.#deps.store.read);
    this.#stopPresence = this.#deps.messenger.onPresence((hub, online) => {
      if (this.#deps.guard.setting(this.#deps.store.read) === null) return;
      if (online) {
        this.#retries.forget((_approval, other) => other === hub);
        this.#pace.cameBack(hub);
        // What was put off for want of room there goes before what is new.
        this.#deps.delegations.resendTo(hub);
      }
      this.#tellPages(false);
      this.look();
    });
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    this.#retries.forget(() => true);
    this.#pace.stop();
    this.#lookAgain?.cancel();
    this.#lookAgain = undefined;
  }

  /** How far each hub is with a request; null where the people here decide. */
  standing(row: ApprovalRow, task: TaskRow): readonly { readonly hub: PeerRow; readonly state: ConsentHubDto['state'] }[] | null {
    const { store, guard } = this.#deps;
    if (!isAsked(guard, store.read, row, task)) return null;
    return guard.hubs(store.read).map((hub) => ({ hub, state: this.#stateAt(hub.key, row, task) }));
  }

  #stateAt(hub: KeyHex, row: ApprovalRow, task: TaskRow): ConsentHubDto['state'] {
    const { store, messenger, deadlines } = this.#deps;
    const id = this.#open.at(row.id, hub);
    if (id !== undefined && isThere(store.read.task(id)?.state)) return 'asked';
    if (!messenger.isOnline(hub)) return 'away';
    if (!this.#understands(hub)) return 'older';
    if (id !== undefined) return this.#open.isPutOff(id) ? (this.#retries.waitsBecause(row.id, hub) ?? 'in_line') : 'asking';
    if (deadlines.waitLeftOf(task) < CONSENT_TIME_LEFT_MIN_MS) return 'too_late';
    const mayGoNow = this.#turns.hasRoom(this.#refusals.placed(hub), task.party) && this.#pace.waitMs(hub) === 0;
    return this.#retries.waitsBecause(row.id, hub) ?? (mayGoNow ? 'asking' : 'in_line');
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
        this.#lookAgain?.cancel();
        this.#lookAgain = this.#running ? this.#deps.clock.setTimer(CONSENT_LOOK_AGAIN_MS, () => this.look()) : undefined;
      }
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const { store, guard, unit } = this.#deps;
    const waiting = this.#waiting();
    const wanted = new Set<ConsentKey>();
    for (const hub of guard.hubs(store.read)) {
      for (const { row } of waiting) wanted.add(consentKey(row.id, hub.key));
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
    this.#retries.forget((approvalId, hub) => !wanted.has(consentKey(approvalId, hub)));
    for (const key of this.#inLine) if (!wanted.has(key)) this.#inLine.delete(key);
  }

  /** What adults' hubs are to be asked about, or have been, in the order in which it came. */
  #waiting(): readonly Waiting[] {
    const { store, guard } = this.#deps;
    return store.read.pendingApprovals().flatMap((row) => {
      const task = guard.covers(store.read, row.riskClass) ? store.read.task(row.taskId) : undefined;
      return task === undefined || !isAsked(guard, store.read, row, task) ? [] : [{ row, asker: task.party }];
    });
  }

  /** Puts before that hub what there is room for, and says of the rest that it waits. */
  async #askInTurn(hub: PeerRow, waiting: readonly Waiting[]): Promise<void> {
    let left = waiting.filter(({ row }) => this.#mayAskNow(row, hub));
    for (;;) {
      const next = this.#turns.next(hub.key, left, this.#refusals.placed(hub.key));
      if (next === undefined) break;
      if (this.#pace.waitMs(hub.key) > 0) {
        this.#pace.wake(hub.key);
        break;
      }
      left = left.filter((other) => other !== next);
      await this.#askOnce(next.row.id, next.row.taskId, hub);
      if (!this.#running) return;
    }
    for (const { row } of left) this.#waitsItsTurn(row, hub.key);
  }

  /** Whether nothing but room and its turn is missing for that hub to be asked. */
  #mayAskNow({ id, taskId }: ApprovalRow, hub: PeerRow): boolean {
    const { store, messenger, deadlines } = this.#deps;
    const task = store.read.task(taskId);
    if (task?.state !== 'awaiting_approval' || deadlines.waitLeftOf(task) < CONSENT_TIME_LEFT_MIN_MS) return false;
    if (this.#open.at(id, hub.key) !== undefined || this.#retries.waits(id, hub.key)) return false;
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
    const question = questionOf(row, task);
    if (question === undefined || !viewOfConsent(question).ok) return this.#cannotBeAsked(taskId, CANNOT_BE_SHOWN);
    let questionId = '';
    try {
      await delegations.ask(hub, consentPayload(question, leftMs, this.#isUrgent(task)), leftMs, (tables, asked) => {
        // Who decides, and whether anything is left to decide, may have changed since the look began.
        if (!this.#running || !this.#isWanted(tables, row.id, hub.key)) throw new NotWanted();
        questionId = asked.id;
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
      // What was not written down was not asked. That is of this hub's own: it costs nobody a turn, and that hub is left alone for nothing.
      this.#open.keepStored(store.read);
      log.info('an adult’s hub was not asked', { error: String(error) });
      return this.#retries.soon(row.id, hub.key);
    }
    this.#turns.had(hub.key, task.party, questionId);
    this.#pace.asked(hub.key);
    this.#inLine.delete(consentKey(row.id, hub.key));
    this.#deps.events.taskChanged(taskId);
  }

  /** An adult lets this hub disturb her, not whoever is behind it: only whom the people here let disturb them, too. */
  #isUrgent({ urgent, party }: TaskRow): boolean {
    const { calm, store } = this.#deps;
    return urgent && (isLocal(party) || (calm.mayInterrupt(store.read, party) && !calm.isMuted(party)));
  }

  /** Its card says so, once. */
  #waitsItsTurn(row: ApprovalRow, hub: KeyHex): void {
    const key = consentKey(row.id, hub);
    if (this.#inLine.has(key)) return;
    this.#inLine.add(key);
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
    after(() => this.#open.delete(task.id));
    if (ending.surface === 'peer') {
      const answer = readConsentAnswer(result.status, result.data);
      // Not a person's word: it expired there, or was not taken. It is asked anew while it waits.
      if (!answer.ok || result.answered_by === undefined)
        after(() => this.#ifRunning((refusals) => refusals.notAnswered(task.id, question, ending)));
      else this.#answered(tables, after, task, question, answer.value, result.answered_by);
    } else if (ending.surface === 'hub' && ending.state === 'failed') {
      after(() => this.#ifRunning((refusals) => refusals.failedHere(task.id, question)));
    }
    // After all that: what is left alone for now is not asked about again at once.
    after(() => {
      this.#tell(question.approvalId);
      this.look();
    });
  }

  #answered(tables: Tables, after: After, task: TaskRow, question: OpenConsent, answer: ConsentAnswer, by: string): void {
    const { approvalId, hub } = question;
    const { who, problem } = this.#verdicts.take(tables, after, task, question, answer, by);
    // There is room for another now, also for one that her hub did not take before.
    after(() => this.#pace.hasRoom(hub));
    if (problem === null) this.#takeBackAll(tables, after, approvalId, wasFirst(who, answer.choice));
    else after(() => this.#ifRunning(() => this.#retries.later(approvalId, hub, 'unanswered')));
  }

  /** Nothing is to be remembered, or woken up for, once it was stopped. */
  #ifRunning(remember: (refusals: ConsentRefusals) => void): void {
    if (this.#running) remember(this.#refusals);
  }

  #takeBackAll(tables: Tables, after: After, approvalId: string, reason: string): void {
    for (const [id, question] of this.#open.entries()) if (question.approvalId === approvalId) this.#takeBack(tables, after, id, reason);
  }

  #takeBack(tables: Tables, after: After, id: string, reason: string): void {
    const task = tables.task(id);
    if (task === undefined || !isOpen(task)) after(() => this.#open.delete(id));
    else if (task.state !== 'cancelling') this.#deps.cancels.begin(tables, after, task, 'called_off', reason);
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

/** A person there has it before them, or will. */
function isThere(state: TaskRow['state'] | undefined): boolean {
  return state === 'awaiting_approval' || state === 'held';
}

/** Ends a commit that would ask what is not to be asked any more. */
class NotWanted extends Error {}
