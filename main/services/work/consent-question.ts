// The question that is put before an adult's hub, made from a request as this hub keeps it. Pure (PROTOCOL.md, Consent).
import { readApprovalView } from '../../core/approval-view.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import type { ConsentQuestion } from '../../protocol/consent.ts';

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
