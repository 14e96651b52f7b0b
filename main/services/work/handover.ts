// From an approved view to the agent: what a person saw is, byte for byte, what the agent receives, and no other agent than the one that was
// shown. Before every hand-out the digest is recomputed from the stored view, and the view held against the stored request; what does not fit
// is handed to nobody.
import { isTask } from '../../../preload/contract/delivery-kind.ts';
import { digestOfView, isViewOf, NO_RUNNER, readApprovalView, type ApprovalView } from '../../core/approval-view.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { ApprovalRow, DeliveryRow, Reads, TaskRow, Tables } from '../../ports/store.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import { readDeliveryBody, type DeliveryBody, type Untrusted } from './delivery-body.ts';
import { URGENCY, type Deliveries } from './deliveries.ts';
import type { Parties } from './parties.ts';
import { readObject } from './task-views.ts';
import type { After } from './unit-of-work.ts';

/** What of a task must be as it came, and as it was shown. */
type AskedTask = Pick<TaskRow, 'kind' | 'payload' | 'contentDigest' | 'party' | 'messageId' | 'toAgent' | 'seq'>;

export class Handover {
  readonly #deliveries: Deliveries;
  readonly #parties: Parties;

  constructor(deps: { readonly deliveries: Deliveries; readonly parties: Parties }) {
    this.#deliveries = deps.deliveries;
    this.#parties = deps.parties;
  }

  /** Puts an allowed delegation into its agent's inbox. The words themselves are read from the approval at each hand-out. */
  deliver(tables: Tables, after: After, task: TaskRow, approval: ApprovalRow): void {
    if (task.toAgent === null) return;
    this.#deliveries.put(tables, after, {
      agent: task.toAgent,
      kind: 'delegate',
      taskId: task.id,
      urgency: task.urgent ? URGENCY.urgent : URGENCY.normal,
      body: this.body(task, approval),
    });
  }

  body(task: TaskRow, approval: ApprovalRow | null): DeliveryBody {
    return {
      conversation_id: task.conversationId,
      trust: this.#parties.trustOf(task.party),
      approval: approval && {
        by: approval.decidedBy ?? 'hub',
        surface: approval.surface ?? 'hub',
        digest: approval.digest,
        at: approval.decidedAt ?? task.receivedAt,
      },
      envelope: { id: task.messageId, kind: task.kind, ref: null, received_at: task.receivedAt },
      untrusted: null,
    };
  }

  /** What the agent may read of this item now. The error says what does not fit: then nothing is handed out. */
  untrustedOf(reads: Reads, row: Pick<DeliveryRow, 'agent' | 'body' | 'kind' | 'taskId'>): Result<Untrusted, string> {
    const body = readDeliveryBody(row);
    if (body === undefined) return err('the item cannot be read');
    // Work has no words but those that were allowed, whatever else stands in its row.
    if (!isTask(row.kind)) return body.untrusted === null ? err('it has no words') : ok(body.untrusted);
    const task = row.taskId === null ? undefined : reads.task(row.taskId);
    const approval = row.taskId === null ? undefined : reads.approvalOfTask(row.taskId);
    if (task === undefined || approval === undefined) return err('there is no approval for it');
    if (row.agent !== task.toAgent) return err('it was allowed for another agent');
    if (approval.state !== 'approved') return err(`its approval is ${approval.state}`);
    if (body.approval?.digest !== approval.digest) return err('it was allowed under another digest');
    return this.fromApproval(approval, task);
  }

  /** The words of an approval whose view fits its digest, for a task that is still the one that was asked about and shown. */
  fromApproval(approval: Pick<ApprovalRow, 'view' | 'digest'>, task: AskedTask): Result<Untrusted, string> {
    const { kind, party: peerKey, messageId, seq: receivedSeq } = task;
    const payload = readObject(task.payload);
    const asked = contentDigest({ kind, ref: null, payload });
    if (asked !== task.contentDigest) return err('what was asked does not fit its digest');
    if (digestOfView(approval.view) !== approval.digest) return err('the stored view does not fit its digest');
    const view = readApprovalView(approval.view);
    if (!view.ok) return view;
    const request = { kind, payload, peerKey, messageId, receivedSeq, toAgent: task.toAgent ?? NO_RUNNER };
    return isViewOf(view.value, request) ? ok(this.fromView(view.value, approval.digest)) : err('what was shown is another request');
  }

  fromView(view: ApprovalView, digest: string): Untrusted {
    return {
      origin: { peer_name: view.peer_name, peer_id: this.#parties.agentIdOf(view.peer_key), from_agent: view.from_agent },
      kind: view.kind,
      text: view.text,
      payload: view.payload,
      digest,
    };
  }
}
