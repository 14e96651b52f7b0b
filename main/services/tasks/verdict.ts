// The decision about a request: allowed, put before a person now or later, or declined. Gates
// decide one after the other, each given the verdict of those before it. A new gate is one file
// that implements Gate, and one line where the gates are listed; one that holds requests also needs
// a HoldReason, and a place in approvals/holds.ts.
import type { RequestKind } from '../../../preload/contract/closed-lists.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import type { Hold } from '../../core/holding.ts';
import { APPROVAL_VIEW_VERSION, type ViewVersion } from '../../core/approval-view.ts';
import type { Risk } from '../../core/risk.ts';
import type { Rule, RuleDecision } from '../../core/rules.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { AgentRow, Reads } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';

/** A request as gates look at it. */
export interface JudgedRequest {
  readonly kind: RequestKind;
  readonly party: PartyKey;
  /** The agent there in whose name is asked, where one is named. */
  readonly fromAgent: string | null;
  readonly domain: string | null;
  readonly payload: JsonObject;
  readonly urgent: boolean;
  /** null: a person is asked to choose, and nothing runs. */
  readonly agent: AgentRow | null;
  readonly riskClass: RiskClass;
  readonly conversation: () => string;
  /** A rule that is not made, as if it were. */
  readonly tried: Rule | undefined;
}

export interface Verdict {
  readonly decision: 'deliver' | 'ask' | 'decline';
  /** The rule that decides it; null where none does. */
  readonly rule: Rule | null;
  /** What rules and remote approval say; pauses, mutes and quiet hours are in `hold`. */
  readonly ruling: RuleDecision;
  /** Why and until when a person is asked later; null: now, or not at all. */
  readonly hold: Hold | null;
  /** A person is asked because the two went back and forth so often; null: for no such reason. */
  readonly turns: number | null;
  /** Another hub decides, and nobody here is asked. */
  readonly isElsewhere: boolean;
  /** Of the card: the newest that whoever decides can make. */
  readonly viewVersion: ViewVersion;
}

export interface Gate {
  /** The verdict from here on. Reads only. */
  judge(reads: Reads, request: JudgedRequest, verdict: Verdict): Verdict;
}

/** A request with the agent that would run it, and what becomes of it. */
export interface Assessment {
  /** null: a person is asked to choose, and nothing runs. */
  readonly agent: AgentRow | null;
  readonly why: string;
  readonly risk: Risk;
  readonly verdict: Verdict;
}

/** Where no gate says anything, a person is asked. */
export const ASKED: Verdict = {
  decision: 'ask',
  rule: null,
  ruling: { decision: 'ask', ground: 'default', rule: null, considered: [] },
  hold: null,
  turns: null,
  isElsewhere: false,
  viewVersion: APPROVAL_VIEW_VERSION,
};

export function judge(gates: readonly Gate[], reads: Reads, request: JudgedRequest): Verdict {
  return gates.reduce((verdict, gate) => gate.judge(reads, request, verdict), ASKED);
}
