// Table `rules`: the household's standing decisions. What a rule covers never changes, and none is ever deleted (triggers).
import { assert } from '../../../lib/assert.ts';
import type { RuleReads, RuleRow, RuleWrites } from '../../../ports/rules.ts';
import { choice, flag, integer, milliseconds, nullable, party, text } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
  id: text('id'),
  effect: choice<RuleRow['effect']>('effect', { ask: true, allow: true, never: true }),
  reach: choice<RuleRow['reach']>('reach', { conversation: true, until: true, always: true }),
  peer: nullable(party('peer')),
  agent: nullable(text('agent')),
  domain: nullable(text('domain')),
  kind: nullable(choice<'delegate' | 'query'>('kind', { delegate: true, query: true })),
  askingAgent: nullable(text('asking_agent')),
  topic: nullable(text('topic')),
  conversation: nullable(text('conversation')),
  riskMax: nullable(choice<NonNullable<RuleRow['riskMax']>>('risk_max', { R0: true, R1: true, R2: true, R3: true })),
  createdAt: milliseconds('created_at'),
  trustedSince: nullable(milliseconds('trusted_since')),
  expiresAt: nullable(milliseconds('expires_at')),
  idleMs: nullable(milliseconds('idle_ms')),
  lastUsedAt: nullable(milliseconds('last_used_at')),
  suspended: flag('suspended'),
  madeOn: choice<RuleRow['madeOn']>('made_on', { card: true, rules: true }),
  madeBy: text('made_by'),
  approvalId: nullable(text('approval_id')),
  uses: integer('uses'),
  endedAt: nullable(milliseconds('ended_at')),
  endedWhy: nullable(
    choice<NonNullable<RuleRow['endedWhy']>>('ended_why', { removed: true, expired: true, peer_gone: true, agent_gone: true }),
  ),
} as const;

const NEW_RULE = new RowMapper<Omit<RuleRow, 'seq'>>(CONTENT);
const RULE = new RowMapper<RuleRow>({ ...CONTENT, seq: integer('seq') });
const SELECT = `SELECT ${RULE.columns} FROM rules`;

export const RULE_QUERIES = {
  byId: `${SELECT} WHERE id = ?`,
  current: `${SELECT} INDEXED BY rules_current WHERE ended_at IS NULL ORDER BY seq`,
  aboutParty: `${SELECT} WHERE ended_at IS NULL AND peer = ? ORDER BY seq`,
  aboutEverybody: `${SELECT} WHERE ended_at IS NULL AND peer IS NULL ORDER BY seq`,
  ended: `${SELECT} WHERE ended_at IS NOT NULL AND seq < ? ORDER BY seq DESC LIMIT ?`,
} as const;

export function ruleReads(statements: Statements): RuleReads {
  return {
    rule: (id) => statements.one(RULE, RULE_QUERIES.byId, id),
    currentRules: () => statements.all(RULE, RULE_QUERIES.current),
    rulesAbout: (of) => [...statements.all(RULE, RULE_QUERIES.aboutParty, of), ...statements.all(RULE, RULE_QUERIES.aboutEverybody)],
    endedRules: (page) => statements.all(RULE, RULE_QUERIES.ended, pageBefore(page), pageLimit(page.limit)),
  };
}

export function ruleWrites(statements: Statements): RuleWrites {
  return {
    insertRule: (row) => {
      const { seq } = statements.run(
        `INSERT INTO rules (${NEW_RULE.columns}) VALUES (${NEW_RULE.placeholders})`,
        ...NEW_RULE.write(row, statements),
      );
      return { ...row, seq };
    },
    updateRule: (id, change) => {
      const { sql, values } = NEW_RULE.assign(change, statements);
      assert(sql !== '', 'a change of a rule changes something');
      return statements.run(`UPDATE rules SET ${sql} WHERE id = ?`, ...values, id).changes === 1;
    },
  };
}
