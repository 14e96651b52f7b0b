// The table of the household's rules, a part of the store's port. What a rule covers never changes:
// a rule is made, paused, used and ended, and stays on record for what it decided.
import type { Rule } from '../core/rules.ts';
import type { PartyKey } from './transport.ts';

export interface RuleRow extends Rule {
  /** Order in which rules were made. */
  readonly seq: number;
  readonly peer: PartyKey | null;
  readonly madeOn: 'card' | 'rules';
  /** The token of the person who made it. */
  readonly madeBy: string;
  /** The approval whose card it was made on. */
  readonly approvalId: string | null;
  readonly uses: number;
  readonly endedAt: number | null;
  readonly endedWhy: 'removed' | 'expired' | 'peer_gone' | 'agent_gone' | null;
}

/** What of a rule may change. */
type RuleChange = Partial<
  Pick<RuleRow, 'suspended' | 'uses' | 'lastUsedAt' | 'endedAt' | 'endedWhy'>
>;

export interface RuleReads {
  rule(id: string): RuleRow | undefined;
  /** Every rule that has not ended, paused ones too, in the order they were made. */
  currentRules(): readonly RuleRow[];
  /** Of those, the ones about this party and the ones about everybody. */
  rulesAbout(party: PartyKey): readonly RuleRow[];
  /** Ended ones, newest first. */
  endedRules(page: { readonly limit: number; readonly beforeSeq?: number }): readonly RuleRow[];
}

export interface RuleWrites {
  insertRule(row: Omit<RuleRow, 'seq'>): RuleRow;
  /** False when there is no such rule. */
  updateRule(id: string, change: RuleChange): boolean;
}

/** What a rule is made of; the rest is the book's own. */
export type RuleDraft = Pick<
  RuleRow,
  | 'effect'
  | 'reach'
  | 'peer'
  | 'agent'
  | 'domain'
  | 'kind'
  | 'askingAgent'
  | 'topic'
  | 'conversation'
  | 'riskMax'
  | 'expiresAt'
  | 'idleMs'
  | 'madeOn'
  | 'approvalId'
>;
