// The approval card as a client gets it: drawn from the stored view alone, never from the sender's message. Reads only.
import type { ApprovalDto, Surface } from '../../../preload/contract/dto.ts';
import { approvalFields, readApprovalView, type ApprovalView } from '../../core/approval-view.ts';
import { assert } from '../../lib/assert.ts';
import type { ApprovalRow, Store, TaskRow } from '../../ports/store.ts';
import { choicesFor } from '../rules/card-choices.ts';
import { isLocal, type Parties } from './parties.ts';
import type { TaskViews } from './task-views.ts';

const SURFACES: readonly Surface[] = ['window', 'browser', 'command_line', 'clock', 'rule', 'peer', 'agent', 'hub'];
/** Earlier messages of the same party that are looked at to say what is new about this request. */
const EARLIER_MESSAGES_MAX = 200;

interface Deps {
  readonly store: Store;
  readonly parties: Parties;
  readonly tasks: TaskViews;
}

export class ApprovalViews {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  dto(row: ApprovalRow): ApprovalDto {
    const { store, parties, tasks } = this.#deps;
    const task = store.read.task(row.taskId);
    assert(task !== undefined, 'an approval has its task');
    const read = readApprovalView(row.view);
    const view = read.ok ? read.value : damagedView(row, task);
    const peer = parties.peer(task.party);
    const earlier = row.state === 'pending' ? this.#earlier(task) : [];
    return {
      id: row.id,
      task_id: row.taskId,
      revision: row.revision,
      digest: row.digest,
      state: row.state,
      kind: view.kind,
      peer_id: peer?.agentId ?? null,
      peer_name: view.peer_name,
      person: peer?.person ?? null,
      verified: isLocal(task.party) || peer?.trust === 'paired',
      from_agent: view.from_agent,
      to_agent: view.to_agent,
      domain: view.domain,
      risk_class: view.risk_class,
      risk_reason: view.risk_reason,
      text: view.text,
      text_length: view.text.length,
      fields: approvalFields(view),
      reason: view.reason,
      urgent: view.urgent,
      first_time: row.state === 'pending' ? firstTime(earlier, task, view) : null,
      leaves: view.report_back ? 'result' : 'nothing',
      report_back: view.report_back,
      received_at: view.received_at,
      expires_at: row.state === 'pending' ? tasks.deadlineAt(task) : row.expiresAt,
      decided_at: row.decidedAt,
      decided_by: row.decidedBy,
      surface: surfaceOf(row),
      decline_reason: row.state === 'declined' || row.state === 'cancelled' ? row.reason : null,
      conversation_id: task.conversationId,
      message_id: task.messageId,
      task_state: task.state,
      rule_id: row.ruleId,
      wider: row.state === 'pending' ? choicesFor({ task, approval: row, agent: store.read.agent(view.to_agent) }) : [],
      allowed_before: row.state === 'pending' ? this.#allowedBefore(earlier, task) : 0,
    };
  }

  /** What the same party asked before, newest first. */
  #earlier(task: TaskRow): readonly TaskRow[] {
    const { read } = this.#deps.store;
    return read
      .messages({ limit: EARLIER_MESSAGES_MAX }, { party: task.party })
      .filter((message) => message.direction !== 'out' && (message.kind === 'delegate' || message.kind === 'query'))
      .flatMap((message) => {
        const other = message.taskId === null ? undefined : read.task(message.taskId);
        return other && other.seq < task.seq ? [other] : [];
      });
  }

  /** How many equal requests a person allowed before this one, without one that was refused between them. */
  #allowedBefore(earlier: readonly TaskRow[], task: TaskRow): number {
    let allowed = 0;
    for (const other of earlier.filter((one) => isEqual(one, task))) {
      const approval = this.#deps.store.read.approvalOfTask(other.id);
      const byPerson = approval !== undefined && approval.ruleId === null && PEOPLE.some((surface) => surface === approval.surface);
      if (approval?.state === 'declined') break;
      if (byPerson && approval.state === 'approved') allowed++;
    }
    return allowed;
  }
}

/** Where people decide. */
const PEOPLE: readonly Surface[] = ['window', 'browser', 'command_line'];

/** The same hub and agent ask the same agent for the same kind of thing in the same area. */
function isEqual(one: TaskRow, other: TaskRow): boolean {
  return one.kind === other.kind && one.toAgent === other.toAgent && one.fromAgent === other.fromAgent && one.domain === other.domain;
}

/** What has not been seen before: this hub, this pair of agents, or this subject. */
function firstTime(earlierAll: readonly TaskRow[], task: TaskRow, view: ApprovalView): ApprovalDto['first_time'] {
  const earlier = earlierAll.filter((other) => other.state !== 'declined');
  if (earlier.length === 0) return 'hub';
  const samePair = earlier.filter((other) => other.fromAgent === task.fromAgent && other.toAgent === view.to_agent);
  if (samePair.length === 0) return 'agent';
  return samePair.some((other) => other.domain === task.domain) ? null : 'domain';
}

/** What is shown for a view that cannot be read any more: nothing of it, and deciding refuses it by its digest. */
function damagedView(row: ApprovalRow, task: TaskRow): ApprovalView {
  return {
    version: 0,
    kind: task.kind,
    peer_key: task.party,
    peer_name: 'Unknown',
    from_agent: null,
    to_agent: task.toAgent ?? '',
    domain: null,
    risk_class: 'R3',
    risk_reason: 'unknown',
    text: 'This request was damaged in the store. It cannot be allowed.',
    payload: {},
    reason: null,
    report_back: task.reportBack,
    urgent: task.urgent,
    deadline_ms: task.deadlineMs,
    received_at: row.createdAt,
    received_seq: task.seq,
    conversation_id: task.conversationId,
    message_id: task.messageId,
  };
}

/** Where it was decided; null while it waits. */
export function surfaceOf(approval: Pick<ApprovalRow, 'surface'>): Surface | null {
  return SURFACES.find((surface) => surface === approval.surface) ?? null;
}
