// What time does to tasks: an unanswered request expires, a late one fails, and after a restart all
// go on from where they were, with the time that had passed (PROTOCOL.md, Delegation states). Also
// ends what hangs on an agent or a hub that was removed.
import { OPEN_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import { HUB_RESTARTED } from '../../core/story-row.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, TaskRow, Tables } from '../../ports/store.ts';
import { elapsedAfterRestart, lateGraceOf, type Deadlines } from './deadlines.ts';
import { ELAPSED_CHECKPOINT_INTERVAL_MS, LATE_RESULT_GRACE_MS } from './limits.ts';
import { isTrusted, partyOfAgent } from './parties.ts';
import {
  DELIVERED,
  EXPIRED,
  EXPIRED_HELD,
  untrusted,
  type Ended,
  type Ending,
  type TaskEndings,
} from './task-endings.ts';
import { changeTask, isOpen } from './task-moves.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import { endAfterMs, isWaiting } from './waiting.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly deadlines: Deadlines;
  readonly endings: TaskEndings;
  /** Cancels a question that the run before put to another hub. */
  readonly cancelQuestion: (tables: Tables, after: After, question: TaskRow) => void;
}

/** When the store did not take the end of a task, it is tried again after this. */
const RETRY_MS = 5_000;
const BY_CLOCK = { by: 'clock', surface: 'clock', from: 'hub' } as const;
const ASKER_REMOVED = {
  state: 'cancelled',
  code: 'cancelled',
  reason: 'The agent that asked was removed from its hub.',
  ended: { by: 'hub', kind: 'cancelled' },
} as const;
const BY_HUB = { by: 'hub', surface: 'hub', from: 'hub' } as const;

export class TaskTimeouts {
  readonly #deps: Deps;
  #timer: TimerHandle | undefined;
  /** What the run before left open, and the store did not let end, is ended then. */
  #retry: TimerHandle | undefined;
  readonly #onResume = new Set<(tables: Tables, after: After) => void>();
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Called inside the commit in which the work of the run before is taken up. */
  onResume(resume: (tables: Tables, after: After) => void): void {
    this.#onResume.add(resume);
  }

  /**
   * Takes up what the run before left open: counting begins before this returns, and what expired
   * while the hub was down ends now. Questions end: nobody waits on their line any more, and the
   * hub that was asked is told. So does what is open with a hub that is not trusted any more: the
   * run before may have died before it could end it. What the store does not take is tried again
   * until it does. Never rejects.
   */
  async start(): Promise<void> {
    const { store, clock, deadlines } = this.#deps;
    this.#running = true;
    const wallMs = clock.wallMs();
    deadlines.start();
    const open = store.read.tasksInStates(OPEN_TASK_STATES);
    for (const task of open) {
      if (task.kind !== 'delegate') continue;
      deadlines.arm(
        task.id,
        task.deadlineMs,
        elapsedSoFar(task, wallMs),
        lateGraceOf(task),
        endAfterMs(task),
      );
    }
    this.#armCheckpoint();
    const over = open.filter((task) => task.kind === 'query' || !isTrusted(store.read, task.party));
    await this.#endAllOld(over.map(({ id }) => id));
    await this.#checkpoint();
  }

  /**
   * This hub was restored from an older copy: what waited in that may have been done since, so it
   * ends, and whoever asked is told. What this hub asked others goes on: it is the same request
   * under the same id there.
   */
  async endRestored(by: Pick<Ending, 'by' | 'surface'>): Promise<void> {
    await this.#deps.unit.run((tables, after) => {
      for (const task of openTasks(tables)) {
        if (task.direction !== 'outgoing')
          this.#deps.endings.end(tables, after, task, { ...RESTORED, ...by });
      }
    });
  }

  async #endAllOld(ids: readonly string[]): Promise<void> {
    const { unit, clock, log } = this.#deps;
    try {
      await unit.run((tables, after) => {
        for (const id of ids) this.#endOld(tables, after, tables.task(id));
        for (const resume of this.#onResume) resume(tables, after);
      });
    } catch (error) {
      log.error('open work of the run before not ended', { error: String(error) });
      if (this.#running) this.#retry = clock.setTimer(RETRY_MS, () => void this.#endAllOld(ids));
    }
  }

  #endOld(tables: Tables, after: After, task: TaskRow | undefined): void {
    const { endings, cancelQuestion } = this.#deps;
    if (!task || !isOpen(task)) return;
    if (!isTrusted(tables, task.party)) endings.end(tables, after, task, untrusted(tables, task));
    else if (task.kind !== 'query') return;
    else if (task.direction !== 'outgoing') {
      endings.end(tables, after, task, { ...LINE_GONE, ended: cutOff(task) });
    } else if (task.state !== 'cancelling') cancelQuestion(tables, after, task);
  }

  /** Writes down how much of each deadline has passed, and stops counting. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#retry?.cancel();
    this.#retry = undefined;
    await this.#checkpoint();
    this.#deps.deadlines.stop();
  }

  /** The time of this task is over, or that of whoever should have decided. */
  async due(taskId: string): Promise<void> {
    const { unit, deadlines, endings, log } = this.#deps;
    try {
      await unit.run((tables, after) => {
        const task = tables.task(taskId);
        if (!task || !isOpen(task)) return after(() => deadlines.forget(taskId));
        // It was decided, kept open or answered in the commit before this one.
        if (deadlines.endsInMs(task) > 0) return after(() => deadlines.retime(task));
        endings.end(tables, after, task, overdue(task));
      });
    } catch (error) {
      log.error('deadline not kept', { error: String(error) });
      deadlines.tellAgain(taskId, RETRY_MS);
    }
  }

  /**
   * Ends, inside a commit, what was meant for an agent that is removed, and what it asked of the
   * agents here.
   */
  agentRemoved(tables: Tables, after: After, agent: string): void {
    const { endings } = this.#deps;
    for (const task of openTasks(tables)) {
      if (task.direction === 'outgoing') continue;
      if (task.toAgent === agent) {
        const reason = 'The agent that was to do it was removed from its hub.';
        endings.end(tables, after, task, {
          ...endOf(task),
          code: 'unknown_domain',
          reason,
          ...BY_HUB,
        });
      } else if (task.party === partyOfAgent(agent))
        endings.end(tables, after, task, { ...ASKER_REMOVED, ...BY_HUB, from: 'asker' });
    }
  }

  /**
   * Ends, inside a commit, what is open with a hub that is not trusted any more: its requests are
   * not run, ours to it are given up.
   */
  partyEnded(tables: Tables, after: After, party: PartyKey): void {
    const { endings } = this.#deps;
    for (const task of openTasks(tables)) {
      if (task.party === party) endings.end(tables, after, task, untrusted(tables, task));
    }
  }

  async #checkpoint(): Promise<void> {
    const { clock, unit, deadlines, log } = this.#deps;
    const open = deadlines.openTasks();
    if (open.length === 0) return;
    try {
      await unit.run((tables) => {
        const elapsedAt = clock.wallMs();
        for (const id of open) {
          const task = tables.task(id);
          const elapsedMs = deadlines.elapsedMs(id);
          if (task && elapsedMs !== undefined && isOpen(task))
            changeTask(tables, task, { elapsedMs, elapsedAt });
        }
      });
    } catch (error) {
      log.warn('elapsed times not written', { error: String(error) });
    }
  }

  async #look(): Promise<void> {
    try {
      this.#deps.deadlines.look();
      await this.#checkpoint();
    } finally {
      this.#armCheckpoint();
    }
  }

  #armCheckpoint(): void {
    if (!this.#running) return;
    this.#timer = this.#deps.clock.setTimer(ELAPSED_CHECKPOINT_INTERVAL_MS, () => {
      this.#timer = undefined;
      void this.#look();
    });
  }
}

/** Each as it is when its turn comes: the end of one may change or end another. */
function* openTasks(tables: Tables): Generator<TaskRow> {
  for (const { id } of tables.tasksInStates(OPEN_TASK_STATES)) {
    const task = tables.task(id);
    if (task && isOpen(task)) yield task;
  }
}

/**
 * Never more than it takes to end: a wall clock that jumped far ahead must not overflow a timer.
 */
function elapsedSoFar(task: TaskRow, wallMs: number): number {
  return Math.min(elapsedAfterRestart(task, wallMs), task.deadlineMs + LATE_RESULT_GRACE_MS);
}

const LINE_GONE = {
  state: 'cancelled',
  code: 'cancelled',
  reason: HUB_RESTARTED,
  ...BY_HUB,
} as const;

const RESTORED = {
  state: 'cancelled',
  code: 'cancelled',
  reason:
    'This hub was restored from a backup, so it cannot tell whether this was done. Ask again if it is still wanted.',
  from: 'hub',
  ended: { by: 'hub', kind: 'possibly_executed' },
} as const;

function overdue(task: TaskRow): Ending {
  if (task.direction === 'outgoing') {
    if (task.state === 'sending')
      return { ...failed('The other hub did not say in time whether it takes this.'), ...BY_CLOCK };
    if (task.state === 'cancelling') return { ...failed(cancelledAndOver(task)), ...BY_CLOCK };
    if (!task.reportBack) return { ...DELIVERED, ...BY_CLOCK };
    return { ...failed('No report came within a day of the deadline.'), ...BY_CLOCK };
  }
  if (task.state === 'awaiting_approval') return { ...EXPIRED, ...BY_CLOCK };
  if (task.state === 'held') return { ...EXPIRED_HELD, ...BY_CLOCK };
  const reason =
    task.handedAt === null ? 'No agent took it in time.' : 'The agent did not finish in time.';
  return { ...failed(reason), ...BY_CLOCK };
}

function cancelledAndOver({ cancelAnswer, reportBack }: TaskRow): string {
  if (cancelAnswer === null)
    return 'It was cancelled, and the other hub never said whether it had begun.';
  if (cancelAnswer === 'not_taken')
    return 'It was cancelled, but the other hub takes no cancels, and no report came in time.';
  const begun =
    'It was cancelled when its agent there had begun already; that agent was asked to stop.';
  return reportBack
    ? `${begun} No report came within a day of the deadline.`
    : `${begun} No report was wanted.`;
}

function failed(reason: string): Pick<Ending, 'state' | 'code' | 'reason' | 'ended'> {
  return { state: 'failed', code: 'timeout', reason, ended: { by: 'clock', kind: 'timed_out' } };
}

function endOf(task: TaskRow): Pick<Ending, 'state' | 'ended'> {
  return isWaiting(task)
    ? { state: 'cancelled', ended: { by: 'hub', kind: 'cancelled' } }
    : { state: 'failed', ended: { by: 'hub', kind: 'failed' } };
}

/** What had got past people may have been with its agent, and been done. */
function cutOff(task: TaskRow): Ended {
  return { by: 'hub', kind: isWaiting(task) ? 'cancelled' : 'possibly_executed' };
}
