// The requests that are held: put off when a person does not want to be asked, asked when that is over or a person says so. A hold only moves
// the question: the time of whoever asked goes on, this hub's own wait begins when a person is asked, and nothing is ever allowed by it
// (PROTOCOL.md, Delegation states). What an adult's hub decides is never held here: nobody here is asked about it.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { isOver, type Hold } from '../../core/holding.ts';
import { CALM_MAX_MS } from '../../core/limits.ts';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Store, Tables, TaskRow } from '../../ports/store.ts';
import type { ApprovalGate } from '../work/approval-gate.ts';
import type { ApprovalViews } from '../work/approval-views.ts';
import type { Decider } from '../work/approvals.ts';
import type { AuditTrail } from '../work/audit-trail.ts';
import type { Deadlines } from '../work/deadlines.ts';
import type { Progress } from '../work/progress.ts';
import { changeTask, moveTask } from '../work/task-moves.ts';
import type { After, UnitOfWork } from '../work/unit-of-work.ts';
import { waitFromNowMs, waitOf } from '../work/waiting.ts';
import type { WorkEvents } from '../work/work-events.ts';
import type { CalmKeeper, PutOff } from './calm-keeper.ts';
import { CALM_LOOK_INTERVAL_MS, CALM_RETRY_MS } from './limits.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly calm: CalmKeeper;
  readonly progress: Progress;
  readonly events: WorkEvents;
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
    deps.calm.onChange((tables, after, putOff) => this.#follow(tables, after, putOff));
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
   * A person puts a card off.
   * @throws AppError not_found, conflict (it waits for nobody), approval_expired, bad_request, blocked (an adult's hub decides)
   */
  async hold(approvalId: string, until: number, person: Decider): Promise<ApprovalDto> {
    const { unit, clock, audit } = this.#deps;
    const now = clock.wallMs();
    if (until <= now || until > now + CALM_MAX_MS) {
      throw new AppError('bad_request', 'A request is put off until a time to come, within 31 days.', { failedBy: 'input' });
    }
    await unit.run((tables, after) => {
      const { approval, task } = waiting(tables, approvalId);
      this.#deps.gate.checkDecidedHere(tables, task, approval);
      if (this.#isOverdue(task)) {
        throw new AppError('approval_expired', 'Its time was over a moment ago; nothing was run.', { failedBy: 'timeout' });
      }
      this.#put(tables, after, task, { why: 'person', until });
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

  /** A person wants to be asked now; quiet hours and a pause keep none of these back again. Returns how many are asked. */
  async show(ids: readonly string[] | 'all', person: Decider): Promise<number> {
    const { unit, audit } = this.#deps;
    return unit.run((tables, after) => {
      const wanted = ids === 'all' ? null : new Set(ids);
      let shown = 0;
      for (const task of heldHere(tables)) {
        const approval = tables.approvalOfTask(task.id);
        if (approval?.state !== 'pending' || (wanted !== null && !wanted.has(approval.id))) continue;
        this.#release(tables, after, task);
        const { id: object, digest } = approval;
        audit.append(tables, { actor: person.actor, surface: person.surface, action: 'approval.shown', object, digest });
        shown += 1;
      }
      return shown;
    });
  }

  /**
   * Changes in this commit who decides: what is decided elsewhere from now on is held no longer, and about what is decided here from now on
   * people here are asked, or will be.
   */
  changeWhoDecides(tables: Tables, after: After, change: () => void): void {
    const { gate } = this.#deps;
    const elsewhere = askedHere(tables).filter((task) => gate.coversTask(tables, task));
    change();
    this.#review(tables, after);
    for (const task of elsewhere) {
      if (gate.coversTask(tables, task) || this.#isOverdue(task)) continue;
      const hold = this.#holdNow(tables, task);
      if (hold === null) this.#callFor(tables, after, task);
      else this.#put(tables, after, task, hold);
    }
    this.#notifyIfDue(tables, after);
    after(() => this.#arm());
  }

  /** A request is admitted as held: looks again when that is over. */
  admitted(after: After): void {
    after(() => this.#arm());
  }

  /** Pause, quiet hours or mutes have changed in this commit. */
  #follow(tables: Tables, after: After, putOff: PutOff): void {
    this.#review(tables, after);
    if (putOff !== null) {
      for (const task of askedHere(tables)) {
        if ((putOff !== 'everybody' && task.party !== putOff) || this.#isOverdue(task)) continue;
        // Whatever keeps it longest: a pause of an hour within a quiet night puts it off until the morning.
        const hold = this.#holdNow(tables, task);
        if (hold !== null) this.#put(tables, after, task, hold);
      }
    }
    this.#notifyIfDue(tables, after);
    after(() => this.#arm());
  }

  /** Each held request as it would be held now: longer, for another reason, or not at all. */
  #review(tables: Tables, after: After): void {
    for (const task of heldHere(tables)) {
      const hold = this.#holdNow(tables, task);
      if (hold === null) this.#callFor(tables, after, this.#release(tables, after, task));
      else if (!isHeldSo(task, hold)) this.#put(tables, after, task, hold);
    }
  }

  #isChanged(): boolean {
    const { read } = this.#deps.store;
    return heldHere(read).some((task) => {
      const hold = this.#holdNow(read, task);
      return hold === null || !isHeldSo(task, hold);
    });
  }

  /** What a person put off stays so until its time, whatever else begins or ends; what an adult's hub decides waits for nobody here. */
  #holdNow(reads: Reads, task: TaskRow): Hold | null {
    const { calm, clock, gate } = this.#deps;
    const { party, urgent, heldWhy, heldUntil } = task;
    if (gate.coversTask(reads, task)) return null;
    const isPutOff = heldWhy === 'person' && heldUntil !== null && !isOver({ until: heldUntil }, clock.wallMs());
    if (isPutOff) return { why: heldWhy, until: heldUntil };
    const riskClass = reads.approvalOfTask(task.id)?.riskClass ?? 'R2';
    return calm.holdOf(reads, { party, urgent, riskClass, decision: 'ask' });
  }

  #put(tables: Tables, after: After, task: TaskRow, { why, until }: Hold): void {
    const change = { heldUntil: until, heldWhy: why };
    const held = task.state === 'held' ? changeTask(tables, task, change) : moveTask(tables, task, 'held', change);
    this.#retime(tables, after, held);
    this.#tellAfter(after, held);
  }

  #release(tables: Tables, after: After, task: TaskRow): TaskRow {
    const { deadlines, approvalWaitMs } = this.#deps;
    const waitMs = waitFromNowMs(task, deadlines.remainingOf(task), approvalWaitMs());
    const asked = moveTask(tables, task, 'awaiting_approval', { heldUntil: null, heldWhy: null, waitMs });
    this.#retime(tables, after, asked);
    this.#tellAfter(after, asked);
    return asked;
  }

  /** People are notified of it: together with all else of this commit, or by itself where it may interrupt a pause or a quiet hour. */
  #callFor(tables: Tables, after: After, task: TaskRow): void {
    const { calm, events, gate } = this.#deps;
    if (gate.coversTask(tables, task)) return;
    if (calm.isQuiet(tables)) events.attention(tables, after, task);
    else calm.setPendingNotification(tables);
  }

  /** One notification for all that people were asked about without one, if any of it still waits. */
  #notifyIfDue(tables: Tables, after: After): void {
    const { calm, events, gate } = this.#deps;
    if (!calm.takeDueNotification(tables)) return;
    const waiting = askedHere(tables).filter((task) => !gate.coversTask(tables, task) && !this.#isOverdue(task));
    after(() => events.notifyOnce(waiting));
  }

  /** Its time is over, and the clock has not told so yet, as after a computer slept: it is ended and no longer put off. */
  #isOverdue(task: TaskRow): boolean {
    return this.#deps.deadlines.waitLeftOf(task) <= 0;
  }

  /** Moves the end of the wait to where it is now; what was shown and its digest stay as they are. */
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
      this.#deps.events.taskChanged(task.id);
      void this.#deps.progress.tell(task, progressOf(task, this.#deps.clock.wallMs()));
    });
  }

  async #look(): Promise<void> {
    const { unit, store, calm, log } = this.#deps;
    try {
      if (calm.hasEnded || this.#isChanged() || calm.hasDueNotification(store.read)) {
        await unit.run((tables, after) => {
          calm.endWhatIsOver(tables);
          this.#review(tables, after);
          this.#notifyIfDue(tables, after);
        });
      }
      // Stopped meanwhile: the store may be closed.
      if (!this.#running) return;
      calm.tell();
      this.#arm();
    } catch (error) {
      if (!this.#running) return;
      log.warn('what is put off was not looked at', { error: String(error) });
      this.#lookIn(CALM_RETRY_MS);
    }
  }

  /** Wakes at the next end, and often enough that a wall clock that was set is noticed; not at all while nothing is put off. */
  #arm(): void {
    if (!this.#running) return;
    const { clock, calm, store } = this.#deps;
    const held = heldHere(store.read);
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!calm.isSet && held.length === 0) return;
    const ends = [calm.nextEndAt(), ...held.map(({ heldUntil }) => heldUntil)].filter((end) => end !== null && end !== undefined);
    const nextMs = Math.min(...ends) - clock.wallMs();
    this.#lookIn(Math.max(0, Math.min(CALM_LOOK_INTERVAL_MS, nextMs)));
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

/** What whoever asked is told: that a person is asked, or that one will be and, where that is known, in how many ms. */
export function progressOf(task: Pick<TaskRow, 'state' | 'heldUntil'>, wallMs: number) {
  if (task.state !== 'held') return { state: 'awaiting_approval' } as const;
  return { state: 'held', heldMs: task.heldUntil === null ? null : Math.max(0, Math.round(task.heldUntil - wallMs)) } as const;
}

function isHeldSo(task: TaskRow, { why, until }: Hold): boolean {
  return task.heldWhy === why && task.heldUntil === until;
}

function heldHere(reads: Reads): readonly TaskRow[] {
  return reads.tasksInStates(['held']).filter(({ direction }) => direction !== 'outgoing');
}

function askedHere(reads: Reads): readonly TaskRow[] {
  return reads.tasksInStates(['awaiting_approval']).filter(({ direction }) => direction !== 'outgoing');
}

function waiting(tables: Tables, approvalId: string) {
  const approval = tables.approval(approvalId);
  const task = approval && tables.task(approval.taskId);
  if (!approval || !task) throw noSuchRequest();
  if (approval.state === 'pending' && (task.state === 'awaiting_approval' || task.state === 'held')) return { approval, task };
  throw new AppError('conflict', 'This request waits for nobody any more.', { failedBy: 'input' });
}

function noSuchRequest(): AppError {
  return new AppError('not_found', 'There is no such request.', { failedBy: 'input' });
}
