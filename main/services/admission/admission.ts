// Admits incoming work, whoever sent it: picks the agent, judges the possible harm, decides whether
// it goes through or waits for a person, and checks for room. Admitting is one commit: task,
// approval or inbox item, message and audit together (PROTOCOL.md, Delegation states). Never runs
// anything.
import { buildApprovalView, NO_RUNNER } from '../../core/approval-view.ts';
import { riskOf, type Risk } from '../../core/risk.ts';
import type { StoryColumns } from '../../core/story-row.ts';
import type { Rule } from '../../core/rules.ts';
import { chooseAgent, isDomain, longestDomain } from '../../core/routing.ts';
import { isForAll, rankIn } from '../../dialects/origin.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { AgentRow, ApprovalRow, Reads, TaskRow, Tables } from '../../ports/store.ts';
import type { DoNotDisturb } from '../attention/do-not-disturb.ts';
import type { Notifications } from '../attention/notifications.ts';
import type { Holds } from '../approvals/holds.ts';
import type { RuleBook } from '../rules/rule-book.ts';
import { noBroadcasts, type AgentRegistry } from '../agents/agent-registry.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import { acceptedTask, readAcceptance } from '../tasks/acceptance.ts';
import { conversationFor } from '../tasks/conversation-ids.ts';
import type { Deadlines } from '../tasks/deadlines.ts';
import { checkNoWayBack, handedOn, type HandOffs } from '../tasks/hand-offs.ts';
import type { Deliveries } from '../inbox/deliveries.ts';
import type { EscalationNotices } from '../inbox/escalation-notices.ts';
import { INBOX_QUEUED_MAX } from '../inbox/limits.ts';
import { OUTBOX_PER_PARTY_MAX } from './limits.ts';
import { ESCALATE, HAND_OFF } from '../../protocol/escalation.ts';
import { newTask } from '../tasks/task-moves.ts';
import type { Asking, Turns } from './turns.ts';
import { isLocal, isTrusted, type Parties } from '../tasks/parties.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { DECLINED, failure } from '../tasks/task-endings.ts';
import type { After } from '../base/unit-of-work.ts';
import { endAfterMs, waitOf } from '../tasks/waiting.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import { judge, type Assessment, type Gate, type Verdict } from '../tasks/verdict.ts';
import type { AskedWork, WorkRequest } from '../tasks/work-request.ts';
import { PENDING_PER_PARTY_MAX, PENDING_TOTAL_MAX } from '../approvals/limits.ts';

/** The agent of what is no escalation. */
export function runnerOf({ agent }: Assessment): AgentRow {
  assert(agent !== null, 'only an escalation has no agent');
  return agent;
}

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly agents: AgentRegistry;
  readonly parties: Parties;
  readonly deadlines: Deadlines;
  readonly deliveries: Pick<Deliveries, 'putTask'>;
  readonly events: TaskEvents;
  readonly notifications: Pick<Notifications, 'asked'>;
  readonly audit: AuditTrail;
  readonly rules: Pick<RuleBook, 'use'>;
  readonly doNotDisturb: Pick<DoNotDisturb, 'checkNotStopped'>;
  /** In their order. */
  readonly gates: readonly Gate[];
  /** Asks the hubs that decide instead of the people here. */
  readonly askElsewhere: () => void;
  readonly turns: Pick<Turns, 'took' | 'asked' | 'checkAskedOnce'>;
  readonly holds: Pick<Holds, 'admitted'>;
  readonly handOffs: Pick<HandOffs, 'begun'>;
  readonly escalations: Pick<EscalationNotices, 'asked'>;
  /** How long requests wait for a person just now, ms. */
  readonly approvalWaitMs: () => number;
}

export class Admission {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * @param tried a rule that is not made, as if it were
   * @throws AppError unknown_domain naming what there is; unhandled when this hub has no agent at
   * all
   */
  assess(reads: Reads, request: AskedWork, tried?: Rule): Assessment {
    const { agent, why, risk } = request.isEscalation
      ? choiceOfAPerson(request)
      : this.#choose(reads, request);
    const { kind, party, fromAgent, domain, payload, urgent = false } = request;
    const conversation = (): string => conversationOf(reads, request);
    const judged = {
      kind,
      party,
      fromAgent,
      domain,
      payload,
      urgent,
      agent,
      riskClass: risk.riskClass,
      conversation,
      tried,
    };
    return { agent, why, risk, verdict: judge(this.#deps.gates, reads, judged) };
  }

  #choose(reads: Reads, request: AskedWork): Omit<Assessment, 'verdict'> {
    const agents = this.#deps.agents.active(reads);
    const accepted = readAcceptance(reads, request, this.#deps.clock.wallMs());
    const wanted = accepted === null ? request : { ...request, routeTo: accepted.toAgent };
    const chosen = chooseAgent(agents, wanted);
    if (!chosen.ok) {
      const code = agents.length === 0 && request.kind === 'query' ? 'unhandled' : 'unknown_domain';
      throw inputError(code, chosen.error.message);
    }
    const { agent, why } = chosen.value;
    if (isForAll(request.payload) && !this.#deps.agents.takesBroadcasts(agent.name, reads))
      throw inputError('rejected', noBroadcasts(agent.displayName));
    return { agent, why, risk: riskOf(agent, subjectFor(agent, request.domain)) };
  }

  /**
   * Admits the work, inside a commit: it waits for a person, or is allowed (a delegation enters its
   * agent's inbox), or is declined by a rule, and then is on record and over. The assessment must
   * be of this commit.
   * @throws AppError overloaded before anything is written
   */
  admit(tables: Tables, after: After, request: WorkRequest, assessment: Assessment): TaskRow {
    const { decision, rule, hold, turns, isElsewhere } = assessment.verdict;
    this.checkOpen(tables, request.party);
    const { act } = request.payload;
    if (act === HAND_OFF) checkNoWayBack(tables, request);
    this.#checkRoom(tables, request, assessment);
    const task = this.#insertTask(tables, request, assessment);
    if (task.state !== 'declined') {
      if (act === HAND_OFF) this.#deps.handOffs.begun(tables, after, task);
      if (act === ESCALATE) this.#deps.escalations.asked(tables, after, task);
    }
    if (turns !== null) this.#deps.turns.asked(tables, task.id, turns);
    const approval = this.#insertApproval(tables, task, request, assessment);
    this.#deps.audit.append(tables, {
      actor: request.party,
      surface: isLocal(request.party) ? 'agent' : 'peer',
      ...request.by,
      action: hold === null ? AUDITED_AS[decision] : 'request.held',
      object: task.id,
      rule: rule?.id ?? null,
      digest: approval.digest,
      detail: {
        kind: request.kind,
        agent: assessment.agent?.name ?? null,
        risk_class: assessment.risk.riskClass,
        rule: rule?.id ?? null,
        ...(hold === null ? {} : { held: hold.why }),
        ...(turns === null ? {} : { turns }),
      },
    });
    if (rule !== null) this.#deps.rules.use(tables, after, rule.id);
    if (decision === 'decline') {
      after(() => this.#deps.events.changed(task.id));
      return task;
    }
    if (decision === 'deliver' && task.kind === 'delegate')
      this.#deps.deliveries.putTask(tables, after, task, approval);
    after(() => {
      const elapsedMs = this.#deps.clock.monotonicMs() - request.receivedMonotonicMs;
      this.tookTurn(request, assessment);
      this.#deps.deadlines.arm(task.id, task.deadlineMs, elapsedMs, 0, endAfterMs(task));
      this.#deps.events.changed(task.id);
    });
    if (decision === 'ask' && hold === null && !isElsewhere)
      this.#deps.notifications.asked(tables, after, task);
    if (isElsewhere) after(() => this.#deps.askElsewhere());
    if (hold !== null) this.#deps.holds.admitted(after);
    return task;
  }

  /** One of two agents spoke, whatever becomes of it. */
  tookTurn(request: WorkRequest, { agent }: Assessment): void {
    if (agent !== null) this.#deps.turns.took(askingOf(request, agent));
  }

  /** What the story of a request says of who asked. */
  askedIn({ party, payload }: Pick<WorkRequest, 'party' | 'payload'>): Partial<StoryColumns> {
    return {
      askedPerson: this.#deps.parties.personOf(party),
      deadlineBy: typeof payload.deadline_ms === 'number' ? 'asker' : 'default',
    };
  }

  /**
   * Whether work from there may get in at all. A hub may be suspended between the gate that its
   * message passed and this commit.
   * @throws AppError pairing_required, rejected
   */
  checkOpen(reads: Reads, party: PartyKey): void {
    if (!isTrusted(reads, party))
      throw inputError('pairing_required', 'That hub is not paired with this one.');
    this.#deps.doNotDisturb.checkNotStopped(reads);
  }

  #checkRoom(
    tables: Tables,
    request: WorkRequest,
    { agent, verdict: { decision, turns } }: Assessment,
  ): void {
    if (decision === 'decline') return;
    if (turns !== null && agent !== null)
      this.#deps.turns.checkAskedOnce(tables, askingOf(request, agent));
    if (
      !isLocal(request.party) &&
      tables.countOutbox(request.party, 'reports') >= OUTBOX_PER_PARTY_MAX
    ) {
      throw inputError(
        'overloaded',
        'Your hub has not taken the results of what it asked for before.',
        {
          retryAfterMs: 60_000,
        },
      );
    }
    if (decision === 'deliver' && agent !== null) {
      if (tables.countDeliveries(agent.name, ['queued']) < INBOX_QUEUED_MAX) return;
      throw new AppError('overloaded', `"${agent.name}" has too much to do already.`, {
        hint: 'Try again later.',
        retryAfterMs: 60_000,
      });
    }
    const pending = tables.countPendingApprovals(request.party);
    if (pending.all >= PENDING_TOTAL_MAX)
      throw tooManyWait('This hub has', PENDING_TOTAL_MAX, 'local');
    // Queries and delegations together, so that no few parties fill what is there for all.
    if (pending.ofParty >= PENDING_PER_PARTY_MAX)
      throw tooManyWait('You have', PENDING_PER_PARTY_MAX, 'input');
  }

  #insertTask(tables: Tables, request: WorkRequest, { agent, verdict }: Assessment): TaskRow {
    const { decision, hold } = verdict;
    const receivedAt = this.#deps.clock.wallMs();
    const end =
      decision === 'decline'
        ? { ...DECLINED, result: JSON.stringify(failure(DECLINED)), finishedAt: receivedAt }
        : OPEN;
    const task: Omit<TaskRow, 'seq'> = {
      ...newTask({
        id: request.direction === 'local' ? request.messageId : this.#deps.random.uuid(),
        direction: request.direction,
        kind: request.kind,
        party: request.party,
        messageId: request.messageId,
        contentDigest: request.contentDigest,
        state: hold === null ? TASK_STATE[decision] : 'held',
        fromAgent: request.fromAgent,
        toAgent: agent?.name ?? null,
        domain: request.domain,
        conversationId: conversationOf(tables, request),
        payload: canonicalJson(request.payload),
        reportBack: request.reportBack,
        urgent: request.urgent,
        receivedAt,
        deadlineMs: request.deadlineMs,
        ...this.askedIn(request),
        ...storyOfVerdict(verdict, receivedAt),
      }),
      ...end,
      ...(decision === 'ask' ? { waitMs: this.#waitOf(request) } : {}),
      ...(hold === null ? {} : { heldUntil: hold.until, heldWhy: hold.why }),
    };
    return tables.insertTask(task);
  }

  /** What is critical keeps its card as long as there is time. */
  #waitOf({ payload, deadlineMs }: WorkRequest): number {
    const isCritical = rankIn(payload) === 'critical';
    return isCritical ? deadlineMs : Math.min(this.#deps.approvalWaitMs(), deadlineMs);
  }

  /** Every request has a view, whether or not a person is asked: the agent's words come from it. */
  #insertApproval(
    tables: Tables,
    task: TaskRow,
    request: WorkRequest,
    { agent, risk, verdict: { decision, rule, viewVersion } }: Assessment,
  ): ApprovalRow {
    const { view, digest } = buildApprovalView({
      version: viewVersion,
      kind: task.kind,
      payload: request.payload,
      asked: request.asked,
      peerKey: task.party,
      peerName: this.#deps.parties.nameOf(task.party),
      fromAgent: request.fromAgent,
      toAgent: agent?.name ?? NO_RUNNER,
      riskClass: risk.riskClass,
      riskReason: risk.reason,
      receivedAt: task.receivedAt,
      receivedSeq: task.seq,
      conversationId: task.conversationId,
      messageId: task.messageId,
    });
    const asked = decision === 'ask';
    const row: ApprovalRow = {
      id: this.#deps.random.uuid(),
      taskId: task.id,
      revision: 0,
      digest,
      view,
      state: APPROVAL_STATE[decision],
      riskClass: risk.riskClass,
      createdAt: task.receivedAt,
      expiresAt: task.receivedAt + waitOf(task),
      decidedAt: asked ? null : task.receivedAt,
      decidedBy: asked ? null : 'hub',
      surface: asked ? null : 'rule',
      ruleId: asked ? null : (rule?.id ?? null),
      reason: null,
    };
    tables.insertApproval(row);
    return row;
  }
}

function askingOf({ party, fromAgent }: WorkRequest, agent: AgentRow): Asking {
  return { party, agentThere: fromAgent, agentHere: agent.name, way: 'in' };
}

/** An acceptance goes on where the offer was made, and a hand-off where it was asked. */
function conversationOf(reads: Reads, request: AskedWork): string {
  const isHandOff = request.payload['act'] === HAND_OFF;
  const before = isHandOff ? handedOn(reads, request) : acceptedTask(reads, request);
  return before?.conversationId ?? conversationFor(reads, request);
}

/** Whom it waits for, or what was decided about it as it came in. */
function storyOfVerdict(
  { decision, rule, isElsewhere }: Verdict,
  now: number,
): Partial<StoryColumns> {
  if (decision === 'ask') return { waitsFor: isElsewhere ? 'adult' : 'person' };
  if (rule === null && decision === 'deliver') return { verdict: 'passed', verdictAt: now };
  return {
    verdict: decision === 'deliver' ? 'allowed' : 'declined',
    verdictSurface: 'rule',
    verdictRule: rule?.id ?? null,
    verdictAt: now,
    ...(decision === 'decline' ? { endedBy: 'hub' } : {}),
  };
}

const NOTHING_RUNS: Risk = { riskClass: 'R0', reason: 'nothing_runs' };
const AUDITED_AS = {
  ask: 'request.asked',
  deliver: 'request.passed',
  decline: 'request.declined',
} as const;
const TASK_STATE = { ask: 'awaiting_approval', deliver: 'queued', decline: 'declined' } as const;
const APPROVAL_STATE = { ask: 'pending', deliver: 'approved', decline: 'declined' } as const;
const OPEN = { result: null, code: null, reason: null, finishedAt: null } as const;

function choiceOfAPerson({ remoteQuestion = null }: AskedWork): Omit<Assessment, 'verdict'> {
  const risk =
    remoteQuestion === null
      ? NOTHING_RUNS
      : { riskClass: remoteQuestion.risk_class, reason: remoteQuestion.risk_reason };
  return { agent: null, why: 'A person is asked to choose.', risk };
}

/**
 * The subject as far as the agent's owner has spoken of it: one that is none of the agent's own
 * says nothing, as none at all.
 */
function subjectFor(agent: AgentRow, domain: string | null): string | null {
  if (domain === null || !isDomain(domain)) return domain;
  return longestDomain(agent.domains, domain) ? domain : null;
}

/** @param failedBy whose requests take all the places: those of whoever asks, or of others */
function tooManyWait(who: string, max: number, failedBy: 'input' | 'local'): AppError {
  return new AppError('overloaded', `${who} ${max} requests waiting for a person already.`, {
    failedBy,
    hint: 'Wait until some of them are answered, then try again.',
    retryAfterMs: 60_000,
  });
}
