// A person lets a request wait longer, as long as whoever asked waits for it. Moves only the end of
// the wait: what was shown, its digest and its revision stay as they are, and nothing is ever
// allowed by it (PROTOCOL.md, Delegation states).
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { ApprovalGate } from './approval-gate.ts';
import type { ApprovalViews } from './approval-views.ts';
import type { AuditTrail, Decider } from '../tasks/audit-trail.ts';
import type { Deadlines } from '../tasks/deadlines.ts';
import { changeTask } from '../tasks/task-moves.ts';
import type { After, UnitOfWork } from '../tasks/unit-of-work.ts';
import { isWaiting, waitOf } from '../tasks/waiting.ts';
import type { TaskEvents } from '../tasks/task-events.ts';

interface Deps {
  readonly store: Store;
  readonly unit: UnitOfWork;
  readonly views: Pick<ApprovalViews, 'dto'>;
  readonly deadlines: Deadlines;
  readonly events: TaskEvents;
  readonly audit: AuditTrail;
  readonly gate: Pick<ApprovalGate, 'checkDecidedHere'>;
  /** How long requests wait for a person just now, ms. */
  readonly approvalWaitMs: () => number;
}

export class KeepingOpen {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Lets it wait as long again. `shownMs` is the wait that the person saw; one that is longer by
   * now was kept open meanwhile, as by a second click, and stays as it is.
   * @throws AppError not_found, conflict (it is decided, or cannot wait longer), approval_expired,
   * request_changed, blocked (an adult's hub decides about it)
   */
  async keepOpen(approvalId: string, shownMs: number, person: Decider): Promise<ApprovalDto> {
    await this.#deps.unit.run((tables, after) =>
      this.#keepOpen(tables, after, approvalId, shownMs, person),
    );
    const row = this.#deps.store.read.approval(approvalId);
    if (!row) throw noSuchRequest();
    return this.#deps.views.dto(row);
  }

  #keepOpen(
    tables: Tables,
    after: After,
    approvalId: string,
    shownMs: number,
    person: Decider,
  ): void {
    const { deadlines, events, audit, approvalWaitMs } = this.#deps;
    const approval = tables.approval(approvalId);
    const task = approval && tables.task(approval.taskId);
    if (!approval || !task) throw noSuchRequest();
    if (approval.state !== 'pending' || !isWaiting(task))
      throw conflict('This request waits for nobody any more.');
    this.#deps.gate.checkDecidedHere(tables, task, approval);
    const nowMs = waitOf(task);
    if (deadlines.waitLeftOf(task) <= 0) {
      throw new AppError('approval_expired', 'Its time was over a moment ago; nothing was run.', {
        failedBy: 'timeout',
      });
    }
    if (shownMs < nowMs) return;
    if (shownMs > nowMs) throw changed(nowMs);
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
}

function conflict(sentence: string): AppError {
  return new AppError('conflict', sentence, { failedBy: 'input' });
}

function changed(waitMs: number): AppError {
  return new AppError(
    'request_changed',
    'This request does not wait as long as you were shown. Look at it again.',
    {
      failedBy: 'input',
      hint: 'Fetch the request again and send its wait_ms.',
      data: { wait_ms: waitMs },
    },
  );
}

function noSuchRequest(): AppError {
  return new AppError('not_found', 'There is no such request.', { failedBy: 'input' });
}
