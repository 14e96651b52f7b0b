// The approval card as a client gets it: drawn from the stored view alone, never from the sender's
// message. Reads only.
import { isOneOf, PEOPLE_SURFACES } from '../../../preload/contract/closed-lists.ts';
import type { RemoteQuestionDto } from '../../../preload/contract/remote-approval.ts';
import type { ApprovalDto, ReachedDto, Surface } from '../../../preload/contract/dto.ts';
import { removed } from '../../../preload/contract/strings/records.ts';
import {
  APPROVAL_VIEW_VERSION,
  approvalFields,
  digestOfView,
  readApprovalView,
  type ApprovalView,
} from '../../core/approval-view.ts';
import { choiceOf } from '../../core/choice.ts';
import { escapeText } from '../../core/text-escape.ts';
import { readSurface } from '../../core/surface.ts';
import { assert } from '../../lib/assert.ts';
import { isApprovalPurged } from '../../ports/retention.ts';
import type { ApprovalRow, Store, TaskRow } from '../../ports/store.ts';
import { PERSON_THERE } from '../../protocol/remote-approval.ts';
import { folderIn } from '../tasks/permission.ts';
import { isPermission } from '../tasks/task-moves.ts';
import { choicesFor } from '../rules/card-choices.ts';
import type { DecidingHubs, ReadRemoteQuestion, RemoteQuestion } from './approval-gate.ts';
import { answerOf } from './own-answers.ts';
import { isLocal, OWNER_PARTY, type Parties } from '../tasks/parties.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { waitOf } from '../tasks/waiting.ts';

/** Equal requests before this one that are counted. */
const EQUAL_REQUESTS_MAX = 20;

interface Deps {
  readonly store: Store;
  readonly parties: Parties;
  readonly tasks: TaskViews;
  readonly remoteQuestionOf: ReadRemoteQuestion;
  readonly decidingHubs: DecidingHubs;
  /** How an agent here comes to know of work; null: there is none of that name. */
  readonly reached: (agent: string) => ReachedDto | null;
  /** After how many turns a person is asked about it; null: for another reason. */
  readonly turnsBefore: (task: TaskRow) => number | null;
  /** The host that what this agent is given goes to; null: it is one of this computer. */
  readonly goesTo?: (agent: string) => string | null;
  /** How long requests wait for a person just now, ms. */
  readonly approvalWaitMs: () => number;
}

export class ApprovalViews {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  dto(row: ApprovalRow): ApprovalDto {
    const { store, parties, tasks, remoteQuestionOf, decidingHubs } = this.#deps;
    const isPending = row.state === 'pending';
    const task = store.read.task(row.taskId);
    assert(task !== undefined, 'an approval has its task');
    const read = readApprovalView(row.view);
    const isWhole = read.ok && digestOfView(row.view) === row.digest;
    const own = isWhole
      ? read.value
      : isApprovalPurged(row)
        ? this.#purgedView(row, task)
        : damagedView(row, task);
    const asked = isWhole ? remoteQuestionOf(task, row) : null;
    // Another hub's request is shown as that hub has it; only the waiting time here is this hub's
    // own.
    const view = asked?.view ?? own;
    const hubs = decidingHubs(row, task);
    const peer = parties.peer(task.party);
    return {
      id: row.id,
      task_id: row.taskId,
      revision: row.revision,
      digest: row.digest,
      state: row.state,
      kind: view.kind,
      peer_id: peer?.agentId ?? null,
      peer_name: own.peer_name,
      person: peer?.person ?? null,
      verified: isLocal(task.party) || peer?.trust === 'paired',
      from_agent: view.from_agent,
      from_name: view.from_agent === null ? null : parties.agentName(task.party, view.from_agent),
      to_agent: view.to_agent,
      to_name: parties.agentName(asked === null ? OWNER_PARTY : task.party, view.to_agent),
      runner: isPending && asked === null ? this.#deps.reached(view.to_agent) : null,
      // A capability that is named is an area, too; the view holds what was sent.
      domain: view.domain ?? (task.domain === null ? null : escapeText(task.domain)),
      risk_class: view.risk_class,
      risk_reason: view.risk_reason,
      text: view.text,
      text_length: view.text.length,
      fields: approvalFields(view),
      reason: view.reason,
      urgent: view.urgent,
      turns: isPending ? this.#deps.turnsBefore(task) : null,
      first_time: isPending ? store.read.newInRequest(task) : null,
      ...this.#leaves(own, isPermission(task), asked === null ? view.to_agent : null),
      report_back: own.report_back,
      received_at: own.received_at,
      expires_at: isPending ? tasks.waitsUntil(task) : row.expiresAt,
      deadline_at: tasks.deadlineAt(task),
      wait_ms: waitOf(task),
      keep_open_until: isPending && hubs === null ? this.#keptOpenUntil(task) : null,
      held: task.state === 'held' ? { why: task.heldWhy ?? 'person', until: task.heldUntil } : null,
      decided_at: row.decidedAt,
      decided_by: row.decidedBy,
      surface: surfaceOf(row),
      decline_reason: row.state === 'declined' || row.state === 'cancelled' ? row.reason : null,
      own_answer: answerOf(row, task),
      choice: asked === null ? choiceDto(view) : null,
      decided_by_hubs: hubs,
      remote_question: asked && remoteQuestionDto(asked),
      permission: isPermission(task) ? { folder: folderIn(view.payload) } : null,
      conversation_id: task.conversationId,
      message_id: task.messageId,
      task_state: task.state,
      story: tasks.story(task, null),
      task_revision: task.revision,
      rule_id: row.ruleId,
      // A remote question is about that hub's agent, even if an agent here has the same name.
      wider: isPending && hubs === null && asked === null ? this.#wider(row, task, view) : [],
      allowed_before: isPending ? this.#allowedBefore(task) : 0,
    };
  }

  #wider(approval: ApprovalRow, task: TaskRow, { to_agent: name }: ApprovalView) {
    return choicesFor({ task, approval, agent: this.#deps.store.read.agent(name) });
  }

  /** @param agent of this hub, which would do it; null: another hub's */
  #leaves(
    own: ApprovalView,
    isOwnTool: boolean,
    agent: string | null,
  ): Pick<ApprovalDto, 'leaves' | 'goes_to'> {
    const leaves = own.report_back && !isOwnTool ? 'result' : 'nothing';
    const host = agent === null ? null : (this.#deps.goesTo?.(agent) ?? null);
    return host === null ? { leaves } : { leaves, goes_to: host };
  }

  /** What is left to be shown where the words were removed after their time. */
  #purgedView(row: ApprovalRow, task: TaskRow): ApprovalView {
    return {
      ...damagedView(row, task),
      peer_name: this.#deps.parties.nameOf(task.party),
      from_agent: task.fromAgent,
      domain: task.domain === null ? null : escapeText(task.domain),
      risk_class: row.riskClass,
      text: removed.task,
    };
  }

  /** How long it would wait if a person kept it open once more; null if that gains nothing. */
  #keptOpenUntil(task: TaskRow): number | null {
    const { tasks, approvalWaitMs } = this.#deps;
    const waitMs = waitOf(task);
    if (waitMs >= task.deadlineMs) return null;
    return tasks.waitsUntil({ ...task, waitMs: waitMs + approvalWaitMs() });
  }

  /**
   * How many equal requests a person allowed before this one, since the last one that was declined.
   */
  #allowedBefore(task: TaskRow): number {
    const earlier = this.#deps.store.read.approvalsOfEqual(task, EQUAL_REQUESTS_MAX);
    const declined = earlier.findIndex(({ state }) => state === 'declined');
    const sinceThen = declined < 0 ? earlier : earlier.slice(0, declined);
    return sinceThen.filter(
      ({ state, surface, ruleId }) =>
        state === 'approved' && ruleId === null && isOneOf(PEOPLE_SURFACES, surface),
    ).length;
  }
}

function remoteQuestionDto({ view, digest }: RemoteQuestion): RemoteQuestionDto {
  const isThere = view.peer_key.startsWith('agent:');
  return {
    asker: isThere ? null : view.peer_name,
    by_person: view.peer_key === PERSON_THERE,
    digest,
    message_id: view.message_id,
  };
}

/** What is to be chosen from, as the card draws it. */
function choiceDto(view: ApprovalView): ApprovalDto['choice'] {
  const choice = choiceOf(view);
  return choice && { options: choice.options, recommended: choice.recommendation };
}

/**
 * Shown for a view that no longer fits its digest: none of its content. Deciding it is refused by
 * the digest.
 */
function damagedView(row: ApprovalRow, task: TaskRow): ApprovalView {
  return {
    version: APPROVAL_VIEW_VERSION,
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
  return readSurface(approval.surface);
}
