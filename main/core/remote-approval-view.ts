// The card of a remote approval: the view that the asking hub keeps, made here anew from the
// request and held against the digest that both hubs decide about (PROTOCOL.md, Remote approval).
// So nothing on the card is the asking hub's own spelling. Pure.
import { RISK_REASONS } from '../../preload/contract/closed-lists.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import type { ApprovalQuestion } from '../protocol/remote-approval.ts';
import { ESCALATE } from '../protocol/escalation.ts';
import { ENVELOPE_JSON_LIMITS } from '../protocol/limits.ts';
import { buildApprovalView, readApprovalView, type ApprovalView } from './approval-view.ts';

/** Of what an agent would do: an adult is asked about nothing else. */
const REASONS = RISK_REASONS.filter((reason) => reason !== 'nothing_runs');

/**
 * The view, whose digest is that of the question. The error is a sentence for the hub that asks.
 */
export function viewOfQuestion(question: ApprovalQuestion): Result<ApprovalView, string> {
  const payload = parseStrictJson(question.payload, ENVELOPE_JSON_LIMITS);
  if (!payload.ok || !isJsonObject(payload.value))
    return err('the request in it is no JSON object');
  if (question.kind === 'delegate' && payload.value.act === ESCALATE)
    return err('it asks about a question that a person is asked');
  const riskReason = REASONS.find((reason) => reason === question.risk_reason);
  if (riskReason === undefined) return err('its "risk_reason" is none');
  try {
    const { view, digest } = buildApprovalView({
      version: question.version,
      kind: question.kind,
      payload: payload.value,
      peerKey: question.peer_key,
      peerName: question.peer_name,
      fromAgent: question.from_agent,
      toAgent: question.to_agent,
      riskClass: question.risk_class,
      riskReason,
      receivedAt: question.received_at,
      receivedSeq: question.received_seq,
      conversationId: question.conversation_id,
      messageId: question.message_id,
    });
    if (digest !== question.digest)
      return err('this hub reads another request in it than its digest stands for');
    const read = readApprovalView(view);
    return read.ok ? ok(read.value) : read;
  } catch (error) {
    return err(error instanceof Error ? error.message : 'the request in it cannot be shown');
  }
}
