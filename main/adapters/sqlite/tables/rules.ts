// Table `rules`: the household's standing decisions. What a rule covers never changes, and none is
// ever deleted (triggers).
import {
  REQUEST_KINDS,
  RISK_CLASSES,
  RULE_EFFECTS,
  RULE_REACHES,
} from '../../../../preload/contract/closed-lists.ts';
import { assert } from '../../../lib/assert.ts';
import type { RuleReads, RuleRow, RuleWrites } from '../../../ports/rules.ts';
import { choice, flag, integer, milliseconds, nullable, party, text } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
  id: text('id'),
  effect: choice('effect', RULE_EFFECTS),
  reach: choice('reach', RULE_REACHES),
  peer: nullable(party('peer')),
  agent: nullable(text('agent')),
  domain: nullable(text('domain')),
  kind: nullable(choice('kind', REQUEST_KINDS)),
  askingAgent: nullable(text('asking_agent')),
  topic: nullable(text('topic')),
  conversation: nullable(text('conversation')),
  riskMax: nullable(choice('risk_max', RISK_CLASSES)),
  createdAt: milliseconds('created_at'),
  trustedSince: nullable(milliseconds('trusted_since')),
  expiresAt: nullable(milliseconds('expires_at')),
  idleMs: nullable(milliseconds('idle_ms')),
  lastUsedAt: nullable(milliseconds('last_used_at')),
  suspended: flag('suspended'),
  madeOn: choice('made_on', ['card', 'rules']),
  madeBy: text('made_by'),
  approvalId: nullable(text('approval_id')),
  uses: integer('uses'),
  endedAt: nullable(milliseconds('ended_at')),
  endedWhy: nullable(choice('ended_why', ['removed', 'expired', 'peer_gone', 'agent_gone'])),
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
    currentRules: () =>
      statements.settled('rules', null, () => statements.all(RULE, RULE_QUERIES.current)),
    rulesAbout: (of) =>
      statements.settled('rules', of, () => [
        ...statements.all(RULE, RULE_QUERIES.aboutParty, of),
        ...statements.all(RULE, RULE_QUERIES.aboutEverybody),
      ]),
    endedRules: (page) =>
      statements.all(RULE, RULE_QUERIES.ended, pageBefore(page), pageLimit(page.limit)),
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
