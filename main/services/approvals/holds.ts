// When people are asked about a request, and how long it waits for them. A held request is asked
// about later: when do not disturb or a snooze is over, or when a person says so. Meanwhile the
// asker's deadline goes on, and this hub's own wait has not begun. Neither a hold nor more time
// ever allows anything (PROTOCOL.md, Delegation states). What an adult's hub decides is never held.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { isOver, type Hold } from '../../core/holding.ts';
import { DO_NOT_DISTURB_MAX_MS } from '../../core/limits.ts';
import { inputError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Store, Tables, TaskRow } from '../../ports/store.ts';
import type { ApprovalGate } from './approval-gate.ts';
import type { ApprovalViews } from './approval-views.ts';
import type { AuditTrail, Decider } from '../base/audit-trail.ts';
import type { Deadlines } from '../tasks/deadlines.ts';
import type { Progress } from '../inbox/progress.ts';
import { changeTask, isPermission, moveTask } from '../tasks/task-moves.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import { isWaiting, waitFromNowMs, waitOf } from '../tasks/waiting.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { DoNotDisturb, WaitingToHold } from '../attention/do-not-disturb.ts';
import type { Notifications } from '../attention/notifications.ts';
import { HOLDS_LOOK_INTERVAL_MS, HOLDS_RETRY_MS } from './limits.ts';
import { conflict, noSuchRequest, timeIsOver, waitChanged } from './refusals.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly doNotDisturb: DoNotDisturb;
  readonly progress: Progress;
  readonly events: TaskEvents;
  readonly notifications: Notifications;
  readonly audit: AuditTrail;
  readonly views: Pick<ApprovalViews, 'dto'>;
  readonly deadlines: Pick<Deadlines, 'remainingOf' | 'waitLeftOf' | 'retime'>;
  /** How long requests wait for a person just now, ms. */
  readonly approvalWaitMs: () => number;
  readonly gate: Pick<ApprovalGate, 'coversTask' | 'checkDecidedHere'>;
}

export class Holds {
  readonly #deps: Deps;
  #timer: TimerHandle | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.doNotDisturb.onChange((tables, after, toHold) => this.#follow(tables, after, toHold));
  }

  /** Asks about what became due while the hub was down. Idempotent, never rejects. */
  async start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    await this.#look();
  }

  stop(): void {
    this.#running = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Held ones among the requests that wait for a person. */
  count(): number {
    return heldHere(this.#deps.store.read).length;
  }

  /**
   * A person snoozes a card.
   * @throws AppError not_found, conflict (it waits for nobody), approval_expired, bad_request,
   * blocked (an adult's hub decides)
   */
  async snooze(approvalId: string, until: number, person: Decider): Promise<ApprovalDto> {
    const { unit, clock, audit } = this.#deps;
    const now = clock.wallMs();
    if (until <= now || until > now + DO_NOT_DISTURB_MAX_MS) {
      throw inputError(
        'bad_request',
        'A request can be snoozed until a time within the next 31 days.',
      );
    }
    await unit.run((tables, after) => {
      const { approval, task } = this.#waiting(tables, approvalId);
      this.#hold(tables, after, task, { why: 'person', until });
      audit.append(tables, {
        actor: person.actor,
        surface: person.surface,
        action: 'approval.held',
        object: approval.id,
        digest: approval.digest,
        detail: { until },
      });
    });
    this.#arm();
    return this.#dto(approvalId);
  }

  /**
   * A person lets it wait as long again, and never longer than whoever asked waits. What was shown
   * stays as it is. `shownMs` is the wait that the person saw; one that is longer by now was kept
   * open meanwhile, as by a second click, and is left alone.
   * @throws AppError not_found, conflict (it is decided, or cannot wait longer), approval_expired,
   * request_changed, blocked (an adult's hub decides about it)
   */
  async keepOpen(approvalId: string, shownMs: number, person: Decider): Promise<ApprovalDto> {
    await this.#deps.unit.run((tables, after) =>
      this.#keepOpen(tables, after, approvalId, shownMs, person),
    );
    return this.#dto(approvalId);
  }

  #keepOpen(
    tables: Tables,
    after: After,
    approvalId: string,
    shownMs: number,
    person: Decider,
  ): void {
    const { deadlines, events, audit, approvalWaitMs } = this.#deps;
    const { approval, task } = this.#waiting(tables, approvalId);
    const nowMs = waitOf(task);
    if (shownMs < nowMs) return;
    if (shownMs > nowMs) throw waitChanged(nowMs);
    if (nowMs >= task.deadlineMs)
      throw conflict(
        'It is already open until whoever asked stops waiting. Nobody can keep it open longer.',
      );
    const waitMs = Math.min(nowMs + approvalWaitMs(), task.deadlineMs);
    const kept = changeTask(tables, task, { waitMs });
    assert(
      tables.setApprovalEnd(approval.id, task.receivedAt + waitMs),
      'a request that waits for a person is not decided',
    );
    audit.append(tables, {
      actor: person.actor,
      surface: person.surface,
      action: 'approval.kept_open',
      object: approval.id,
      digest: approval.digest,
      detail: { task: task.id, wait_ms: waitMs },
    });
    after(() => {
      deadlines.retime(kept);
      events.changed(task.id);
    });
  }

  /**
   * A person wants to be asked now: what holds these does not hold them again, though a new pause
   * or mute does. Nobody is notified. Returns how many are asked.
   */
  async show(ids: readonly string[] | 'all', person: Decider): Promise<number> {
    const { unit, audit } = this.#deps;
    return unit.run((tables, after) => {
      const wanted = ids === 'all' ? null : new Set(ids);
      let shown = 0;
      for (const task of heldHere(tables)) {
        const approval = tables.approvalOfTask(task.id);
        if (approval?.state !== 'pending' || (wanted !== null && !wanted.has(approval.id)))
          continue;
        this.#release(tables, after, task);
        const { id: object, digest } = approval;
        audit.append(tables, {
          actor: person.actor,
          surface: person.surface,
          action: 'approval.shown',
          object,
          digest,
        });
        shown += 1;
      }
      return shown;
    });
  }

  /**
   * Changes in this commit who decides. Requests that other hubs decide from now on are held no
   * longer; people here are asked, now or later, about those that are decided here from now on.
   */
  changeWhoDecides(tables: Tables, after: After, change: () => void): void {
    const { gate } = this.#deps;
    const elsewhere = askedHere(tables).filter((task) => gate.coversTask(tables, task));
    change();
    this.#review(tables, after);
    for (const task of elsewhere) {
      if (gate.coversTask(tables, task) || this.#isOverdue(task)) continue;
      const hold = this.#holdNow(tables, task);
      if (hold === null) this.#notifyOf(tables, after, task);
      else this.#hold(tables, after, task, hold);
    }
    this.#notifyIfDue(tables, after);
    after(() => this.#arm());
  }

  /** A request was admitted as held: looks again when that is over. */
  admitted(after: After): void {
    after(() => this.#arm());
  }

  /** Pause, quiet hours or mutes have changed in this commit. */
  #follow(tables: Tables, after: After, toHold: WaitingToHold): void {
    this.#review(tables, after);
    if (toHold !== null) {
      for (const task of askedHere(tables)) {
        if ((toHold !== 'everybody' && task.party !== toHold) || this.#isOverdue(task)) continue;
        // The longest hold counts: a pause of an hour within a quiet night holds it until the
        // morning.
        const hold = this.#holdNow(tables, task);
        if (hold !== null) this.#hold(tables, after, task, hold);
      }
    }
    this.#notifyIfDue(tables, after);
    after(() => this.#arm());
  }

  /** Holds each held request as it would be held now: longer, for another reason, or not at all. */
  #review(tables: Tables, after: After): void {
    for (const task of heldHere(tables)) {
      const hold = this.#holdNow(tables, task);
      if (hold === null) this.#notifyOf(tables, after, this.#release(tables, after, task));
      else if (!isHeldSo(task, hold)) this.#hold(tables, after, task, hold);
    }
  }

  #isChanged(): boolean {
    const { read } = this.#deps.store;
    return heldHere(read).some((task) => {
      const hold = this.#holdNow(read, task);
      return hold === null || !isHeldSo(task, hold);
    });
  }

  /**
   * A snooze lasts until its time, whatever else begins or ends. What an adult's hub decides is not
   * held, and what a program waits for is only silenced.
   */
  #holdNow(reads: Reads, task: TaskRow): Hold | null {
    const { doNotDisturb, clock, gate } = this.#deps;
    const { party, urgent, heldWhy, heldUntil } = task;
    if (gate.coversTask(reads, task)) return null;
    const isSnoozed =
      heldWhy === 'person' && heldUntil !== null && !isOver({ until: heldUntil }, clock.wallMs());
    if (isSnoozed) return { why: heldWhy, until: heldUntil };
    if (isPermission(task)) return null;
    const riskClass = reads.approvalOfTask(task.id)?.riskClass ?? 'R2';
    return doNotDisturb.holdOf(reads, { party, urgent, riskClass, decision: 'ask' });
  }

  #hold(tables: Tables, after: After, task: TaskRow, { why, until }: Hold): void {
    const change = { heldUntil: until, heldWhy: why };
    const held =
      task.state === 'held'
        ? changeTask(tables, task, change)
        : moveTask(tables, task, 'held', change);
    this.#retime(tables, after, held);
    this.#tellAfter(after, held);
  }

  #release(tables: Tables, after: After, task: TaskRow): TaskRow {
    const { deadlines, approvalWaitMs } = this.#deps;
    const waitMs = waitFromNowMs(task, deadlines.remainingOf(task), approvalWaitMs());
    const asked = moveTask(tables, task, 'awaiting_approval', {
      heldUntil: null,
      heldWhy: null,
      waitMs,
    });
    this.#retime(tables, after, asked);
    this.#tellAfter(after, asked);
    return asked;
  }

  /**
   * Notifies of a request: together with the others of this commit, or by itself where it may
   * interrupt do not disturb.
   */
  #notifyOf(tables: Tables, after: After, task: TaskRow): void {
    const { doNotDisturb, notifications, gate } = this.#deps;
    if (gate.coversTask(tables, task)) return;
    if (doNotDisturb.isOn(tables)) notifications.asked(tables, after, task);
    else doNotDisturb.setPendingNotification(tables);
  }

  /**
   * One notification for all that people were asked about without one, where something still waits.
   */
  #notifyIfDue(tables: Tables, after: After): void {
    const { doNotDisturb, notifications, gate } = this.#deps;
    if (!doNotDisturb.takeDueNotification(tables)) return;
    const waiting = askedHere(tables).filter(
      (task) => !gate.coversTask(tables, task) && !this.#isOverdue(task),
    );
    after(() => notifications.notifyOnce(waiting));
  }

  /** A request about which a person here can still say something. */
  #waiting(tables: Tables, approvalId: string) {
    const approval = tables.approval(approvalId);
    const task = approval && tables.task(approval.taskId);
    if (!approval || !task) throw noSuchRequest();
    if (approval.state !== 'pending' || !isWaiting(task))
      throw conflict('This request waits for nobody any more.');
    this.#deps.gate.checkDecidedHere(tables, task, approval);
    if (this.#isOverdue(task)) throw timeIsOver();
    return { approval, task };
  }

  /**
   * Its time is over though no timer has said so yet, as after the computer slept. It is about to
   * end.
   */
  #isOverdue(task: TaskRow): boolean {
    return this.#deps.deadlines.waitLeftOf(task) <= 0;
  }

  /** Stores when the wait ends now. What was shown, and its digest, stay as they are. */
  #retime(tables: Tables, after: After, task: TaskRow): void {
    const approval = tables.approvalOfTask(task.id);
    if (approval) {
      const isMoved = tables.setApprovalEnd(approval.id, task.receivedAt + waitOf(task));
      assert(isMoved, 'a request that waits for a person is not decided');
    }
    after(() => this.#deps.deadlines.retime(task));
  }

  #tellAfter(after: After, task: TaskRow): void {
    after(() => {
      this.#deps.events.changed(task.id);
      this.#deps.progress.tell(task, progressOf(task, this.#deps.clock.wallMs()));
    });
  }

  async #look(): Promise<void> {
    const { unit, store, doNotDisturb, log } = this.#deps;
    try {
      if (
        doNotDisturb.hasEnded ||
        this.#isChanged() ||
        doNotDisturb.hasDueNotification(store.read)
      ) {
        await unit.run((tables, after) => {
          doNotDisturb.endWhatIsOver(tables);
          this.#review(tables, after);
          this.#notifyIfDue(tables, after);
        });
      }
      // Stopped meanwhile: the store may be closed.
      if (!this.#running) return;
      doNotDisturb.tell();
      this.#arm();
    } catch (error) {
      if (!this.#running) return;
      log.warn('held requests were not checked', { error: String(error) });
      this.#lookIn(HOLDS_RETRY_MS);
    }
  }

  /**
   * Wakes at the next end, and often enough to notice a wall clock that was set. Without anything
   * to end it does not wake.
   */
  #arm(): void {
    if (!this.#running) return;
    const { clock, doNotDisturb, store } = this.#deps;
    const held = heldHere(store.read);
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!doNotDisturb.isSet && held.length === 0) return;
    const ends = [doNotDisturb.nextEndAt(), ...held.map(({ heldUntil }) => heldUntil)].filter(
      (end) => end !== null && end !== undefined,
    );
    const nextMs = Math.min(...ends) - clock.wallMs();
    this.#lookIn(Math.max(0, Math.min(HOLDS_LOOK_INTERVAL_MS, nextMs)));
  }

  #lookIn(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.setTimer(delayMs, () => void this.#look());
  }

  /** The card as it stands. */
  #dto(approvalId: string): ApprovalDto {
    const row = this.#deps.store.read.approval(approvalId);
    if (!row) throw noSuchRequest();
    return this.#deps.views.dto(row);
  }
}

/** The progress report: a person is asked now, or in so many ms if known. */
export function progressOf(task: Pick<TaskRow, 'state' | 'heldUntil'>, wallMs: number) {
  if (task.state !== 'held') return { state: 'awaiting_approval' } as const;
  return {
    state: 'held',
    heldMs: task.heldUntil === null ? null : Math.max(0, Math.round(task.heldUntil - wallMs)),
  } as const;
}

function isHeldSo(task: TaskRow, { why, until }: Hold): boolean {
  return task.heldWhy === why && task.heldUntil === until;
}

function heldHere(reads: Reads): readonly TaskRow[] {
  return reads.tasksInStates(['held']).filter(({ direction }) => direction !== 'outgoing');
}

function askedHere(reads: Reads): readonly TaskRow[] {
  return reads
    .tasksInStates(['awaiting_approval'])
    .filter(({ direction }) => direction !== 'outgoing');
}
