// The one way a task begins, and changes its state inside a commit: only along the state machine,
// only from the row as it is in that commit.
import { handedOnOf, UNTOLD, type HandedOn, type StoryColumns } from '../../core/story-row.ts';
import { assert } from '../../lib/assert.ts';
import { canMove, isTerminal, type TaskState } from '../../core/task-state.ts';
import type { TaskRow, Tables } from '../../ports/store.ts';

export type TaskChange = Partial<
  StoryColumns &
    Pick<
      TaskRow,
      | 'estimatedMs'
      | 'result'
      | 'code'
      | 'reason'
      | 'decision'
      | 'cancelCause'
      | 'cancelAnswer'
      | 'waitMs'
      | 'heldUntil'
      | 'heldWhy'
      | 'finishedAt'
      | 'toAgent'
      | 'elapsedMs'
      | 'elapsedAt'
    >
>;

/**
 * Moves the task and returns it as it is now. @throws InvariantError for a move that does not exist
 */
export function moveTask(
  tables: Tables,
  task: TaskRow,
  to: TaskState,
  change: TaskChange = {},
): TaskRow {
  assert(
    canMove(task.state, to, task.direction),
    `a ${task.direction} task moves from ${task.state} to ${to}`,
  );
  return changeTask(tables, task, { ...change, state: to });
}

/** Changes its row without a move. */
export function changeTask(
  tables: Tables,
  task: TaskRow,
  change: TaskChange & { readonly state?: TaskState },
): TaskRow {
  assert(
    tables.updateTask(task.id, task.revision, change),
    'a task read in this commit has not changed since',
  );
  return { ...task, ...change, revision: task.revision + 1 };
}

export function isOpen(task: TaskRow): boolean {
  return !isTerminal(task.state);
}

/** Whether a request may be of this act: one look at its text, which its reader reads whole. */
export function mayBe(act: string, { payload }: Pick<TaskRow, 'payload'>): boolean {
  return payload.includes(`"act":"${act}"`);
}

/** Whether a program asks for its own permission: every other question has an agent. */
export function isPermission({
  kind,
  direction,
  toAgent,
}: Pick<TaskRow, 'kind' | 'direction' | 'toAgent'>): boolean {
  return kind === 'query' && direction === 'local' && toAgent === null;
}

/** Whose word its end is, where it is an agent's; no hub: of the one that was asked. */
export function answererOf(task: TaskRow): HandedOn {
  return handedOnOf(task) ?? { hub: null, agent: task.toAgent };
}

/** The same where it stands in the words of this hub, which has no agent of another one. */
export function answererHere(task: TaskRow): string | null {
  const { hub, agent } = answererOf(task);
  return hub === null ? agent : null;
}

/** True while an agent of this hub has the task in its hands. */
export function isInHand(task: TaskRow): boolean {
  return task.direction !== 'outgoing' && (task.state === 'claimed' || task.state === 'running');
}

/** A person of this hub asked its agent to stop. */
export function isStoppedHere({
  direction,
  stopAt,
  stopParty,
}: Pick<TaskRow, 'direction' | 'stopAt' | 'stopParty'>): boolean {
  return direction !== 'outgoing' && stopAt !== null && stopParty === null;
}

type Beginning = Omit<TaskRow, 'seq' | 'revision' | Exclude<keyof TaskChange, 'toAgent'>> &
  Partial<StoryColumns>;

/** What was asked, before any progress. */
export function newTask(beginning: Beginning): Omit<TaskRow, 'seq'> {
  return {
    ...UNTOLD,
    ...beginning,
    revision: 0,
    elapsedMs: 0,
    elapsedAt: beginning.receivedAt,
    estimatedMs: null,
    result: null,
    code: null,
    reason: null,
    cancelCause: null,
    decision: null,
    cancelAnswer: null,
    waitMs: null,
    heldUntil: null,
    heldWhy: null,
    finishedAt: null,
  };
}
