// The question that is put before an adult's hub, made from a request as this hub keeps it, and read again from the task that carries it, at
// either hub. Pure (PROTOCOL.md, Consent).
import { readApprovalView } from '../../core/approval-view.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import { questionIn, type ConsentQuestion } from '../../protocol/consent.ts';
import { readObject } from './task-views.ts';

/** undefined for a request that cannot be read any more. */
export function questionOf(row: ApprovalRow, task: TaskRow): ConsentQuestion | undefined {
  const view = readApprovalView(row.view);
  if (!view.ok || row.riskClass === 'R0') return undefined;
  const { kind, peer_key, peer_name, to_agent, risk_reason, received_at, received_seq, message_id } = view.value;
  return {
    id: row.id,
    digest: row.digest,
    kind,
    payload: task.payload,
    peer_key,
    peer_name,
    from_agent: task.fromAgent,
    to_agent,
    risk_class: row.riskClass,
    risk_reason,
    received_at,
    received_seq,
    conversation_id: task.conversationId,
    message_id,
  };
}

/** What a question of consent asks, ours or another hub's; undefined for every other task, most of which are told without reading their payload. */
export function questionOfTask(task: Pick<TaskRow, 'kind' | 'toAgent' | 'payload'>): ConsentQuestion | undefined {
  return task.kind === 'delegate' && task.toAgent === null ? questionIn(readObject(task.payload)) : undefined;
}

/** Whether it ended by the word of a person here: neither by a rule nor by its time. */
export function isAPersons({ result }: Pick<TaskRow, 'result'>): boolean {
  return result !== null && typeof readObject(result).answered_by === 'string';
}
