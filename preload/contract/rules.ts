// The household's standing decisions as they cross a process boundary. Same conventions as dto.ts.
// Imports types only.
import type { HoldReason } from './attention.ts';
import type { RequestKind, RiskClass, RuleChoice, RuleEffect, RuleReach } from './closed-lists.ts';
import type { OutsideText } from './formats.ts';

export type { RuleChoice };

export interface RuleDto {
  readonly id: string;
  readonly effect: RuleEffect;
  readonly reach: RuleReach;
  /** The asking hub's agent id. With `asking_local` null, null means any hub. */
  readonly peer_id: string | null;
  /** The owner's name for that hub. */
  readonly peer_name: string | null;
  /** An agent of this hub that asks, or "@owner"; null when a hub asks, or anybody. */
  readonly asking_local: string | null;
  /** That agent as people read it; null where `asking_local` is none. */
  readonly asking_local_name: string | null;
  /** The agent of this hub that would run it; null: any. */
  readonly agent: string | null;
  /** By the owner's name for it. */
  readonly agent_name: string | null;
  /** "" covers only requests that name no area, null any. */
  readonly domain: string | null;
  readonly kind: RequestKind | null;
  /** In whose name the other hub asks; "" covers only requests that name nobody, null any. */
  readonly asking_agent: OutsideText | null;
  /** That agent as people read it; "" and null as in `asking_agent`. */
  readonly asking_agent_name: OutsideText | null;
  readonly topic: OutsideText | null;
  readonly conversation_id: string | null;
  /** How the conversation began, in its first words. */
  readonly conversation_title: OutsideText | null;
  /** The riskiest class it covers; null for a rule that does not allow. */
  readonly risk_max: RiskClass | null;
  readonly made_on: 'card' | 'rules';
  /** The request on whose card it was made. */
  readonly approval_id: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  /** It also ends when nothing has come for this long. */
  readonly idle_ms: number | null;
  /** When it ends if nothing more comes. */
  readonly ends_at: number | null;
  readonly suspended: boolean;
  readonly uses: number;
  readonly last_used_at: number | null;
  /** null while it is in force or paused. */
  readonly ended_at: number | null;
  readonly ended_why: RuleEnd | null;
}

/**
 * Why a rule is over: a person took it away, its time was over, or whom it names is not there any
 * more.
 */
export type RuleEnd = 'removed' | 'expired' | 'peer_gone' | 'agent_gone';

/** Why a rule says nothing about a request. */
export type RuleMiss =
  | 'suspended'
  | 'ended'
  | 'not_begun'
  | 'other_trust'
  | 'peer'
  | 'agent'
  | 'domain'
  | 'kind'
  | 'asking_agent'
  | 'topic'
  | 'conversation'
  | 'no_domain'
  | 'limited'
  | 'class';

/**
 * What settled it. `default`: no rule matches. `tie`: rules ask and allow, and none of those that
 * allow is narrower than all that ask. `tampered`: no rule acts, since the audit log was tampered
 * with and nobody has acknowledged that. `adults`: an adult's hub decides, whatever a rule that
 * allows says. `turns`: the two have gone back and forth too often, whatever such a rule says.
 */
export type RuleGround =
  'never' | 'allow' | 'ask' | 'tie' | 'dangerous' | 'default' | 'tampered' | 'adults' | 'turns';

/** What would happen to a request, and why. Nothing was sent and nothing counted. */
export interface RuleTestDto {
  readonly decision: 'deliver' | 'ask' | 'decline';
  readonly ground: RuleGround;
  /** The agent of this hub that would get it. */
  readonly agent: string;
  readonly agent_name: string;
  readonly risk_class: RiskClass;
  readonly rule: RuleDto | null;
  /** A person would be asked later, whatever a rule that allows says; null: now, or not at all. */
  readonly held: { readonly why: HoldReason; readonly until: number | null } | null;
  /** Everything is stopped: it would be refused, whatever the rules say. */
  readonly stopped: boolean;
  /** Every rule about that hub or about everybody; `miss` null: it matches. */
  readonly considered: readonly { readonly rule: RuleDto; readonly miss: RuleMiss | null }[];
}

/** A rule that is not made yet, as it would be. */
export type RuleDraftDto = Omit<
  RuleDto,
  'id' | 'uses' | 'last_used_at' | 'suspended' | 'ended_at' | 'ended_why'
>;

/**
 * What a rule made by hand is about, by the names of the parameters: beside which of them its
 * refusal belongs.
 */
export type RuleField = 'peer' | 'asking_agent' | 'agent' | 'domain' | 'topic' | 'until';

/** One of the last requests, as it would be decided if it came now. */
export interface RuleTrialDto {
  readonly task_id: string;
  readonly received_at: number;
  readonly kind: RequestKind;
  /** This hub's own name where one of its agents asked. */
  readonly peer_name: string;
  /** The agent in whose name was asked; null when nobody was named. */
  readonly from_agent: OutsideText | null;
  readonly from_name: OutsideText | null;
  /** null: a person was asked to choose. */
  readonly to_agent: string | null;
  readonly to_name: string | null;
  readonly domain: OutsideText | null;
  /** Its first words. */
  readonly text: OutsideText;
  readonly without: RuleTestDto['decision'];
  readonly with: RuleTestDto['decision'];
  /** What settles it with the rule. */
  readonly ground: RuleTestDto['ground'];
  /** Why the rule says nothing about it; null: it matches. */
  readonly miss: RuleMiss | null;
}

/** A rule as it would be, and what it would have done. Nothing was made, sent or counted. */
export interface RulePreviewDto {
  readonly rule: RuleDraftDto;
  /** The last requests to this hub that could be asked again, the newest first. */
  readonly trials: readonly RuleTrialDto[];
}
