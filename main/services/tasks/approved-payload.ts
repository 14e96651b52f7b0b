// The agent receives, byte for byte, what a person saw, and no other agent than the shown one
// receives it. Before each delivery the digest is computed again from the stored view, and the view
// compared with the stored request. What does not fit goes to nobody. Pure.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import {
  digestOfView,
  isViewOf,
  NO_RUNNER,
  readApprovalView,
  type ApprovalView,
} from '../../core/approval-view.ts';
import { err, type Result } from '../../lib/result.ts';
import { readObject } from '../../lib/json-object.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import type { Parties } from './parties.ts';

export type Untrusted = DeliveryDto['untrusted'];

/** What of a task must be as it came, and as it was shown. */
type AskedTask = Pick<
  TaskRow,
  'kind' | 'payload' | 'contentDigest' | 'party' | 'messageId' | 'toAgent' | 'seq'
>;

/**
 * The view of an approval, if it fits its digest and the task is still the one that was asked about
 * and shown. The error says what does not fit.
 */
export function approvedView(
  approval: Pick<ApprovalRow, 'view' | 'digest'>,
  task: AskedTask,
): Result<ApprovalView, string> {
  const { kind, party: peerKey, messageId, seq: receivedSeq } = task;
  const payload = readObject(task.payload);
  if (contentDigest({ kind, ref: null, payload }) !== task.contentDigest)
    return err('what was asked does not fit its digest');
  if (digestOfView(approval.view) !== approval.digest)
    return err('the stored view does not fit its digest');
  const view = readApprovalView(approval.view);
  if (!view.ok) return view;
  const request = {
    kind,
    payload,
    peerKey,
    messageId,
    receivedSeq,
    toAgent: task.toAgent ?? NO_RUNNER,
  };
  return isViewOf(view.value, request) ? view : err('what was shown is another request');
}

/** What an agent may read of it. */
export function wordsOfView(parties: Parties, view: ApprovalView, digest: string): Untrusted {
  return {
    origin: {
      peer_name: view.peer_name,
      peer_id: parties.agentIdOf(view.peer_key),
      ...parties.named(view.peer_key, view.from_agent),
    },
    kind: view.kind,
    text: view.text,
    payload: view.payload,
    digest,
  };
}
