// A task as it begins, wherever it came from: what is told of it, and nothing yet of how it goes.
// Pure.
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
>;

export function newTask(beginning: Beginning): Omit<TaskRow, 'seq'> {
  return {
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
