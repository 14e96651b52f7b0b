// A new task, wherever it came from: what was asked, before any progress. Pure.
import { UNTOLD, type StoryColumns } from '../../core/story-row.ts';
import type { TaskRow } from '../../ports/store.ts';

type Beginning = Omit<
  TaskRow,
  | 'seq'
  | 'revision'
  | 'elapsedMs'
  | 'elapsedAt'
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
  | keyof StoryColumns
> &
  Partial<StoryColumns>;

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
