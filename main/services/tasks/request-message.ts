// The row by which the request behind a task stands among the messages of its conversation. Pure.
import type { MessageRow, TaskRow } from '../../ports/store.ts';

const DIRECTIONS = { incoming: 'in', outgoing: 'out', local: 'local' } as const;

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
