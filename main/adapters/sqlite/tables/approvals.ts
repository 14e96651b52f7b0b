// Table `approvals`: what a person was asked and what they decided. What was asked and a decision
// made never change (triggers).
import { APPROVAL_STATES, RISK_CLASSES } from '../../../../preload/contract/closed-lists.ts';
import type { ApprovalDecisionRow, ApprovalRow, Reads, Tables } from '../../../ports/store.ts';
import {
  choice,
  digest,
  id,
  idValue,
  integer,
  longText,
  milliseconds,
  nullable,
  text,
} from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
  id: id('id'),
  taskId: id('task_id'),
  revision: integer('revision'),
  digest: digest('digest'),
  view: longText('view'),
  state: choice('state', APPROVAL_STATES),
  riskClass: choice('risk_class', RISK_CLASSES),
  createdAt: milliseconds('created_at'),
  expiresAt: milliseconds('expires_at'),
  decidedAt: nullable(milliseconds('decided_at')),
  decidedBy: nullable(text('decided_by')),
  surface: nullable(text('surface')),
  ruleId: nullable(text('rule_id')),
  reason: nullable(text('reason')),
} as const;

const APPROVAL = new RowMapper<ApprovalRow>(CONTENT);
const DECIDED = new RowMapper<ApprovalRow & { readonly seq: number }>({
  ...CONTENT,
  seq: integer('decided_seq'),
});
const { state, surface, ruleId } = CONTENT;
const OF_EQUAL = new RowMapper<Pick<ApprovalRow, 'state' | 'surface' | 'ruleId'>>({
  state,
  surface,
  ruleId,
});
const DECISION = new RowMapper<ApprovalDecisionRow>({
  digest: CONTENT.digest,
  state,
  decidedAt: CONTENT.decidedAt,
  decidedBy: CONTENT.decidedBy,
  surface,
  ruleId: CONTENT.ruleId,
  reason: CONTENT.reason,
});
const OF_TASK = new RowMapper<Pick<ApprovalRow, 'taskId'>>({ taskId: CONTENT.taskId });
const NEXT_DECIDED_SEQ = '(SELECT coalesce(max(decided_seq), 0) + 1 FROM approvals)';

export const APPROVAL_QUERIES = {
  byId: `SELECT ${APPROVAL.columns} FROM approvals WHERE id = ?`,
  ofTask: `SELECT ${APPROVAL.columns} FROM approvals WHERE task_id = ? ORDER BY seq DESC LIMIT 1`,
  decisionOfTask: `SELECT ${DECISION.columns} FROM approvals WHERE task_id = ? ORDER BY seq DESC LIMIT 1`,
  ofEqual: `SELECT approvals.state, surface, rule_id FROM tasks JOIN approvals ON task_id = tasks.id
    WHERE direction <> 'outgoing' AND party = ? AND from_agent IS ? AND to_agent IS ? AND domain IS ? AND kind = ? AND tasks.seq < ?
    ORDER BY tasks.seq DESC LIMIT ?`,
  pending: `SELECT ${APPROVAL.columns} FROM approvals WHERE state = 'pending' ORDER BY seq`,
  countPending: `SELECT count(*) FROM approvals WHERE state = 'pending'`,
  countPendingOf: `SELECT count(*) FROM approvals JOIN tasks ON tasks.id = task_id
    WHERE approvals.state = 'pending' AND party = ?`,
  lastRequests: `SELECT ${OF_TASK.columns} FROM approvals WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  decided: `SELECT ${DECIDED.columns} FROM approvals WHERE decided_seq < ? ORDER BY decided_seq DESC LIMIT ?`,
  decidedByPeople: `SELECT ${DECIDED.columns} FROM approvals INDEXED BY approvals_by_people
    WHERE decided_seq < ? AND rule_id IS NULL ORDER BY decided_seq DESC LIMIT ?`,
  decidedByRules: `SELECT ${DECIDED.columns} FROM approvals INDEXED BY approvals_by_rules
    WHERE decided_seq < ? AND rule_id IS NOT NULL ORDER BY decided_seq DESC LIMIT ?`,
} as const;

const DECIDED_QUERY = {
  anybody: APPROVAL_QUERIES.decided,
  people: APPROVAL_QUERIES.decidedByPeople,
  rules: APPROVAL_QUERIES.decidedByRules,
} as const;

type ApprovalReads = Pick<
  Reads,
  | 'approval'
  | 'approvalOfTask'
  | 'decisionOfTask'
  | 'approvalsOfEqual'
  | 'pendingApprovals'
  | 'countPendingApprovals'
  | 'lastRequests'
  | 'decidedApprovals'
>;

export function approvalReads(statements: Statements): ApprovalReads {
  return {
    approval: (approvalId) => statements.one(APPROVAL, APPROVAL_QUERIES.byId, idValue(approvalId)),
    approvalOfTask: (taskId) => statements.one(APPROVAL, APPROVAL_QUERIES.ofTask, idValue(taskId)),
    decisionOfTask: (taskId) =>
      statements.one(DECISION, APPROVAL_QUERIES.decisionOfTask, idValue(taskId)),
    approvalsOfEqual: ({ party, fromAgent, toAgent, domain, kind, seq }, limit) => {
      const [of, from, to, area] = [party, fromAgent, toAgent, domain].map((name) =>
        statements.knownOrNull(name),
      );
      return statements.all(
        OF_EQUAL,
        APPROVAL_QUERIES.ofEqual,
        of ?? 0,
        from ?? null,
        to ?? null,
        area ?? null,
        kind,
        seq,
        pageLimit(limit),
      );
    },
    pendingApprovals: () => statements.all(APPROVAL, APPROVAL_QUERIES.pending),
    countPendingApprovals: (party) => {
      const known = statements.knownNumber(party);
      return {
        all: Number(statements.value(APPROVAL_QUERIES.countPending)),
        ofParty: Number(statements.value(APPROVAL_QUERIES.countPendingOf, known)),
      };
    },
    lastRequests: (limit) =>
      statements
        .all(OF_TASK, APPROVAL_QUERIES.lastRequests, pageBefore({ limit }), pageLimit(limit))
        .map(({ taskId }) => taskId),
    decidedApprovals: (page, by) =>
      statements.all(
        DECIDED,
        DECIDED_QUERY[by ?? 'anybody'],
        pageBefore(page),
        pageLimit(page.limit),
      ),
  };
}

export function approvalWrites(
  statements: Statements,
): Pick<Tables, 'insertApproval' | 'decideApproval' | 'setApprovalEnd'> {
  const insertInto = `INSERT INTO approvals (${APPROVAL.columns}, decided_seq) VALUES (${APPROVAL.placeholders}`;
  return {
    insertApproval: (row) => {
      const decidedSeq = row.state === 'pending' ? 'NULL' : NEXT_DECIDED_SEQ;
      statements.run(`${insertInto}, ${decidedSeq})`, ...APPROVAL.write(row, statements));
    },
    decideApproval: (approvalId, guard, change) => {
      const { sql, values } = APPROVAL.assign(change, statements);
      const update = `UPDATE approvals SET ${sql}, decided_seq = ${NEXT_DECIDED_SEQ}
        WHERE id = ? AND revision = ? AND digest = ? AND state = 'pending'`;
      return (
        statements.run(
          update,
          ...values,
          idValue(approvalId),
          guard.revision,
          Buffer.from(guard.digest, 'hex'),
        ).changes === 1
      );
    },
    setApprovalEnd: (approvalId, expiresAt) => {
      const update = "UPDATE approvals SET expires_at = ? WHERE id = ? AND state = 'pending'";
      return statements.run(update, expiresAt, idValue(approvalId)).changes === 1;
    },
  };
}
