// The time left of each open task, by the monotonic clock plus the time the computer slept, and who
// is told when it is over (PROTOCOL.md, Delegation states). Setting the wall clock changes nothing.
// The elapsed time is stored at intervals, so that a restart continues the count. It never decides
// what the end means.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { TaskRow } from '../../ports/store.ts';
import { LATE_RESULT_GRACE_MS } from './limits.ts';
import { endAfterMs, waitOf } from './waiting.ts';

interface Due {
  /** By `#nowMs`. */
  readonly endsAtMs: number;
  readonly toldAtMs: number;
  readonly deadlineMs: number;
  readonly timer: TimerHandle;
}

/**
 * ms of the deadline that have passed: what was written down, and the time since by the wall clock,
 * never below zero.
 */
export function elapsedAfterRestart(task: TaskRow, wallMs: number): number {
  return task.elapsedMs + Math.max(0, wallMs - task.elapsedAt);
}

/**
 * How long after its deadline the end of a task is told, ms. What another hub accepted may be
 * reported as long as that hub's outbox lives. What is being cancelled may have been accepted; of a
 * hub that takes no cancels nobody waits for more than the deadline.
 */
export function lateGraceOf({ direction, state, reportBack, cancelAnswer }: TaskRow): number {
  if (direction !== 'outgoing' || !reportBack || state === 'sending') return 0;
  return state === 'cancelling' && cancelAnswer === 'not_taken' ? 0 : LATE_RESULT_GRACE_MS;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #onDue: (taskId: string) => void;
  readonly #due = new Map<string, Due>();
  #isStopped = false;
  /** How much of the sleep the timers know of. */
  #asleepMs = 0;

  constructor(deps: { readonly clock: Clock }, onDue: (taskId: string) => void) {
    this.#clock = deps.clock;
    this.#onDue = onDue;
  }

  start(): void {
    this.#isStopped = false;
  }

  /**
   * Starts counting; not once stopped: what is written down is gone on with at the next start. A
   * task that was armed before is counted anew.
   * @param elapsedMs how much of `deadlineMs` has passed already
   * @param graceMs how long after the deadline its end is told
   * @param endMs when its end is told, from receipt, where that is before the deadline
   */
  arm(
    taskId: string,
    deadlineMs: number,
    elapsedMs: number,
    graceMs = 0,
    endMs = deadlineMs,
  ): void {
    this.forget(taskId);
    if (this.#isStopped) return;
    const nowMs = this.#nowMs();
    const toldInMs = endMs + graceMs - elapsedMs;
    const timer = this.#timer(taskId, toldInMs);
    this.#due.set(taskId, {
      endsAtMs: nowMs + deadlineMs - elapsedMs,
      toldAtMs: nowMs + toldInMs,
      deadlineMs,
      timer,
    });
  }

  /** What a person decided moves the end of a request, not what has passed of its time. */
  retime(task: TaskRow): void {
    this.#tellIn(task.id, this.endsInMs(task));
  }

  /** When the clock ends it as it stands now; zero or less when that is over. */
  endsInMs(task: TaskRow): number {
    return endAfterMs(task) - task.deadlineMs + lateGraceOf(task) + this.remainingOf(task);
  }

  /**
   * The end of this task could not be stored: it is reported again after this, ms. Its elapsed time
   * keeps counting.
   */
  tellAgain(taskId: string, delayMs: number): void {
    this.#tellIn(taskId, delayMs);
  }

  /** ms left, below zero when it is over; undefined for a task that is not counted. */
  remainingMs(taskId: string): number | undefined {
    const due = this.#due.get(taskId);
    return due && due.endsAtMs - this.#nowMs();
  }

  /** ms left of a task's deadline; by what was written down where it is not counted just now. */
  remainingOf(task: TaskRow): number {
    return (
      this.remainingMs(task.id) ?? task.deadlineMs - elapsedAfterRestart(task, this.#clock.wallMs())
    );
  }

  /** ms left of the wait for a person; below zero when it is over. */
  waitLeftOf(task: TaskRow): number {
    return waitOf(task) - task.deadlineMs + this.remainingOf(task);
  }

  /** ms passed since receipt; undefined for a task that is not counted. */
  elapsedMs(taskId: string): number | undefined {
    const due = this.#due.get(taskId);
    return due && Math.max(0, Math.round(due.deadlineMs - (due.endsAtMs - this.#nowMs())));
  }

  /**
   * Call this at intervals: it reports what ended while the computer slept, and reports later ends
   * in time even if their timer is late.
   */
  look(): void {
    const asleepMs = this.#clock.asleepMs?.() ?? 0;
    if (asleepMs === this.#asleepMs) return;
    this.#asleepMs = asleepMs;
    const nowMs = this.#nowMs();
    for (const [taskId, { toldAtMs }] of this.#due) this.#tellIn(taskId, toldAtMs - nowMs);
  }

  openTasks(): readonly string[] {
    return [...this.#due.keys()];
  }

  forget(taskId: string): void {
    this.#due.get(taskId)?.timer.cancel();
    this.#due.delete(taskId);
  }

  stop(): void {
    this.#isStopped = true;
    for (const due of this.#due.values()) due.timer.cancel();
    this.#due.clear();
  }

  #tellIn(taskId: string, delayMs: number): void {
    const due = this.#due.get(taskId);
    if (due === undefined) return;
    due.timer.cancel();
    this.#due.set(taskId, {
      ...due,
      toldAtMs: this.#nowMs() + delayMs,
      timer: this.#timer(taskId, delayMs),
    });
  }

  #nowMs(): number {
    return this.#clock.monotonicMs() + (this.#clock.asleepMs?.() ?? 0);
  }

  #timer(taskId: string, delayMs: number): TimerHandle {
    return this.#clock.setTimer(Math.max(0, delayMs), () => this.#onDue(taskId));
  }
}
