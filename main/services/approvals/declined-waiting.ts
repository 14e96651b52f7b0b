// A rule "never" also settles what waits. When a person makes, restores or resumes one, the cards
// that the rules now decline end in that very commit, and whoever asked is told, as if the request
// came only now. A rule that allows leaves them: a person sees them already.
import type { Clock } from '../../ports/clock.ts';
import type { RuleRow } from '../../ports/rules.ts';
import type { ApprovalRow, Tables, TaskRow } from '../../ports/store.ts';
import { readObject } from '../../lib/json-object.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import type { After } from '../base/unit-of-work.ts';
import type { RuleBook } from '../rules/rule-book.ts';
import { DECLINED, type TaskEndings } from '../tasks/task-endings.ts';
import { isOpen, isPermission } from '../tasks/task-moves.ts';

interface Deps {
  readonly clock: Clock;
  readonly rules: Pick<RuleBook, 'rulingOf' | 'use'>;
  readonly endings: Pick<TaskEndings, 'end'>;
  readonly audit: AuditTrail;
}

export class DeclinedWaiting {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Inside the commit in which this rule begins to act. */
  follow(tables: Tables, after: After, { effect }: Pick<RuleRow, 'effect'>): void {
    if (effect !== 'never') return;
    for (const row of tables.pendingApprovals()) {
      // As it is now: the end of one may end another.
      const approval = tables.approval(row.id);
      const task = tables.task(row.taskId);
      if (approval?.state !== 'pending' || task === undefined || !isOpen(task)) continue;
      if (isPermission(task)) continue;
      const { decision, rule } = this.#deps.rules.rulingOf(tables, {
        kind: task.kind,
        party: task.party,
        fromAgent: task.fromAgent,
        domain: task.domain,
        payload: readObject(task.payload),
        urgent: task.urgent,
        agent: (task.toAgent === null ? undefined : tables.agent(task.toAgent)) ?? null,
        riskClass: approval.riskClass,
        conversation: () => task.conversationId,
        tried: undefined,
      });
      if (decision === 'decline' && rule !== null)
        this.#decline(tables, after, task, approval, rule.id);
    }
  }

  #decline(
    tables: Tables,
    after: After,
    task: TaskRow,
    approval: ApprovalRow,
    ruleId: string,
  ): void {
    const { clock, rules, endings, audit } = this.#deps;
    const { id, revision, digest, riskClass } = approval;
    const by = { by: 'hub', surface: 'rule' } as const;
    const now = clock.wallMs();
    tables.decideApproval(
      id,
      { revision, digest },
      {
        state: 'declined',
        decidedAt: now,
        decidedBy: by.by,
        surface: by.surface,
        ruleId,
        reason: null,
      },
    );
    audit.append(tables, {
      actor: 'hub',
      surface: by.surface,
      action: 'approval.declined',
      object: id,
      rule: ruleId,
      digest,
      detail: { task: task.id, risk_class: riskClass, rule: ruleId },
    });
    rules.use(tables, after, ruleId);
    endings.end(tables, after, task, {
      state: 'declined',
      ...DECLINED,
      ...by,
      from: 'hub',
      ended: { by: 'hub', kind: null },
      story: {
        verdict: 'declined',
        verdictSurface: by.surface,
        verdictRule: ruleId,
        verdictAt: now,
      },
    });
  }
}
