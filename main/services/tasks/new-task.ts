// A new task, wherever it came from: what was asked, before any progress. Also the message of its
// conversation that asked for it. Pure.
import type { MessageRow, TaskRow } from '../../ports/store.ts';

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

const DIRECTIONS = { incoming: 'in', outgoing: 'out', local: 'local' } as const;

/** The message that asked for this task, as it stands in its conversation. */
export function requestMessage(task: Omit<TaskRow, 'seq'>): Omit<MessageRow, 'seq'> {
  const { messageId, direction, party, kind, conversationId, id, fromAgent, toAgent, receivedAt } =
    task;
  return {
    messageId,
    direction: DIRECTIONS[direction],
    party,
    kind,
    ref: null,
    conversationId,
    taskId: id,
    fromAgent,
    toAgent,
    payload: null,
    at: receivedAt,
  };
}
