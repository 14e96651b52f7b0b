// The row by which the request behind a task stands among the messages of its conversation. Pure.
import type { MessageRow, TaskRow } from '../../ports/store.ts';

/** @param task one that came in, from another hub or from an agent of this one; @param raw the request as it came, byte for byte */
export function requestMessage(task: Omit<TaskRow, 'seq'>, raw: string): Omit<MessageRow, 'seq'> {
  const { messageId, direction, party, kind, conversationId, id, fromAgent, toAgent, receivedAt } = task;
  return {
    messageId,
    direction: direction === 'local' ? 'local' : 'in',
    party,
    kind,
    ref: null,
    conversationId,
    taskId: id,
    fromAgent,
    toAgent,
    raw,
    at: receivedAt,
  };
}
