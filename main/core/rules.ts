// The household's standing decisions: what a rule covers, which rule decides a request, and why the
// others do not. Pure: rules, request and time go in, one decision comes out. It can allow less
// than the household said, never more; whatever is unclear is asked.
import type {
  RequestKind,
  RiskClass,
  RuleEffect,
  RuleReach,
} from '../../preload/contract/closed-lists.ts';
import type { RuleGround, RuleMiss } from '../../preload/contract/rules.ts';
import { higherRisk } from './risk.ts';
import { isDomain, matchesDomain } from './routing.ts';

/** What a rule is about. null: any. */
interface RuleScope {
  /** The asking hub's key, or `agent:<name>` for an agent of this hub. */
  readonly peer: string | null;
  /** The agent of this hub that would run it. */
  readonly agent: string | null;
  /** It and all below it; NO_AREA: of those that name none. */
  readonly domain: string | null;
  readonly kind: RequestKind | null;
  /** The other hub's agent in whose name is asked; NO_AGENT: in the name of none. */
  readonly askingAgent: string | null;
  /** It and all below it. */
  readonly topic: string | null;
  readonly conversation: string | null;
}

/**
 * What a rule says of the asking agent when it covers only requests that name none. No agent has
 * this name.
 */
export const NO_AGENT = '';

/**
 * What a rule says of the area when it covers only requests that name none. No area has this name.
 */
export const NO_AREA = '';

export interface Rule extends RuleScope {
  readonly id: string;
  readonly effect: RuleEffect;
  readonly reach: RuleReach;
  /** The class of the request it was made for: a riskier one is asked. Allowing rules only. */
  readonly riskMax: RiskClass | null;
  /** Wall clock, ms since 1970, as all times here. */
  readonly createdAt: number;
  /**
   * Names the pairing (or the agent of this hub) it was made under, see Moment; null for a rule
   * about any hub.
   */
  readonly trustedSince: number | null;
  readonly expiresAt: number | null;
  /** It also ends when it was not used for this long. */
  readonly idleMs: number | null;
  readonly lastUsedAt: number | null;
  readonly suspended: boolean;
}

/** A request as far as rules look at it. */
export interface RuledRequest {
  readonly peer: string;
  readonly agent: string;
  /** As the message names it, whatever it is. */
  readonly domain: string | null;
  /**
   * True when it lies in a domain that the owner knows of this agent: a claim about any other says
   * nothing.
   */
  readonly isAgentsDomain: boolean;
  /**
   * True when it is a capability of that agent, and in none of its areas: as what names no area, it
   * may be about any.
   */
  readonly isCapability?: boolean;
  /** All areas of that agent. */
  readonly agentsAreas: readonly string[];
  readonly agentsCapabilities?: readonly string[];
  readonly kind: RequestKind;
  readonly askingAgent: string | null;
  readonly topic: string | null;
  readonly conversation: string;
  readonly riskClass: RiskClass;
}

interface Moment {
  readonly nowMs: number;
  /**
   * Since when the asking hub (or agent) is the one it is now. Only the name of that pairing:
   * clocks go wrong, so an allowing rule that has another one was made for another, whichever is
   * the later. null: not trusted.
   */
  readonly trustedSince: number | null;
}

export interface RuleDecision {
  readonly decision: 'deliver' | 'ask' | 'decline';
  readonly ground: RuleGround;
  /** The rule that decided; null for `default` and for `dangerous`, which no rule can open. */
  readonly rule: Rule | null;
  /** Every rule that was looked at, in the order given; null = it matches. */
  readonly considered: readonly { readonly rule: Rule; readonly miss: RuleMiss | null }[];
}

/**
 * Any matching "never" wins. Else a dangerous request (R3) is asked. Else an allowing rule wins
 * only when it is strictly narrower than every asking one that matches: two that cannot be compared
 * are a tie, and a tie asks. Without a match the default stands (`decide`).
 */
export function decideByRules(
  rules: readonly Rule[],
  request: RuledRequest,
  moment: Moment,
): RuleDecision {
  const isLimited = rules.some((rule) => limitsNoArea(rule, request, moment));
  const considered = rules.map((rule) => ({
    rule,
    miss:
      missOf(rule, request, moment) ??
      (isLimited && rule.effect === 'allow' && mayBeAboutAny(rule, request) ? 'limited' : null),
  }));
  const matching = considered.filter(({ miss }) => miss === null).map(({ rule }) => rule);
  const of = (effect: RuleEffect) => matching.filter((rule) => rule.effect === effect);
  const never = narrowestOf(of('never'));
  if (never) return { decision: 'decline', ground: 'never', rule: never, considered };
  if (request.riskClass === 'R3')
    return { decision: 'ask', ground: 'dangerous', rule: null, considered };
  const asking = of('ask');
  const allowing = of('allow');
  const winner = narrowestOf(
    allowing.filter((rule) => asking.every((other) => isNarrower(rule, other))),
  );
  if (winner) return { decision: 'deliver', ground: 'allow', rule: winner, considered };
  const asks = narrowestOf(asking);
  if (asks)
    return { decision: 'ask', ground: allowing.length > 0 ? 'tie' : 'ask', rule: asks, considered };
  return { decision: decide(request), ground: 'default', rule: null, considered };
}

function mayBeAboutAny({ domain }: Rule, { isCapability = false }: RuledRequest): boolean {
  return domain === NO_AREA || isCapability;
}

/**
 * Whether a person said "never" or "ask" to whoever asks about some area of the agent: what names
 * no area may be about that one. Which kind, topic or conversation that was for makes no
 * difference, and who names no agent may be any of its hub.
 */
function limitsNoArea(rule: Rule, request: RuledRequest, { nowMs }: Moment): boolean {
  const { effect, domain, peer, agent, askingAgent } = rule;
  if (effect === 'allow' || rule.suspended || domain === null || domain === NO_AREA) return false;
  const endsAt = ruleEndsAt(rule);
  return (
    (endsAt === null || nowMs < endsAt) &&
    isSameOrAny(request.peer, peer) &&
    isSameOrAny(request.agent, agent) &&
    (request.askingAgent === null || isSameOrAny(request.askingAgent, askingAgent)) &&
    (isOtherCapability(domain, request) ||
      request.agentsAreas.some(
        (area) => matchesDomain(domain, area) || matchesDomain(area, domain),
      ))
  );
}

/** What is asked for by another word may need it all the same. */
function isOtherCapability(word: string, request: RuledRequest): boolean {
  const { domain, agentsCapabilities = [] } = request;
  return word !== domain && agentsCapabilities.includes(word);
}

/** Why `rule` says nothing about `request` now; null when it matches. */
export function missOf(
  rule: Rule,
  request: RuledRequest,
  { nowMs, trustedSince }: Moment,
): RuleMiss | null {
  if (rule.suspended) return 'suspended';
  const endsAt = ruleEndsAt(rule);
  if (endsAt !== null && nowMs >= endsAt) return 'ended';
  if (rule.peer !== null && rule.peer !== request.peer) return 'peer';
  if (rule.agent !== null && rule.agent !== request.agent) return 'agent';
  if (rule.kind !== null && rule.kind !== request.kind) return 'kind';
  if (rule.domain !== null && !coversArea(rule.domain, request.domain)) return 'domain';
  if (rule.askingAgent !== null && rule.askingAgent !== (request.askingAgent ?? NO_AGENT))
    return 'asking_agent';
  if (rule.topic !== null && !liesIn(rule.topic, request.topic)) return 'topic';
  if (rule.conversation !== null && rule.conversation !== request.conversation)
    return 'conversation';
  return rule.effect === 'allow' ? missOfAllowing(rule, request, nowMs, trustedSince) : null;
}

/**
 * What only an allowing rule must keep to: it is for whom it was made, where it was made, and never
 * for more than it was made for.
 */
function missOfAllowing(
  rule: Rule,
  request: RuledRequest,
  nowMs: number,
  trustedSince: number | null,
): RuleMiss | null {
  if (trustedSince === null || rule.trustedSince !== trustedSince) return 'other_trust';
  // The clock was set back: nobody can say how much of its time is over.
  if (nowMs < Math.max(rule.createdAt, rule.lastUsedAt ?? 0)) return 'not_begun';
  if (rule.peer === null || rule.agent === null || rule.domain === null) return 'peer';
  if (rule.domain !== NO_AREA && !isAreaOfAgent(request)) return 'no_domain';
  const widest = riskMaxOf(rule);
  const riskMax = mayBeAboutAny(rule, request) && widest === 'R2' ? 'R1' : widest;
  return higherRisk(request.riskClass, riskMax) === riskMax ? null : 'class';
}

function isAreaOfAgent({ domain, isAgentsDomain, isCapability = false }: RuledRequest): boolean {
  return domain !== null && isDomain(domain) && (isAgentsDomain || isCapability);
}

/**
 * The riskiest class an allowing rule can cover, whatever is stored: R2 only within one
 * conversation or, for good, one topic, and in an area; R3 never.
 */
function riskMaxOf(
  rule: Pick<Rule, 'reach' | 'domain' | 'conversation' | 'topic' | 'riskMax'>,
): RiskClass {
  const made = rule.riskMax ?? 'R0';
  const widest = riskMaxOfReach(rule.reach, rule);
  return higherRisk(made, widest) === made ? widest : made;
}

/** The same for a rule that is still to be made. */
export function riskMaxOfReach(
  reach: RuleReach,
  scope: Pick<RuleScope, 'domain' | 'conversation' | 'topic'>,
): RiskClass {
  if (scope.domain === NO_AREA) return 'R1';
  if (reach === 'conversation' && scope.conversation !== null) return 'R2';
  return reach === 'always' && scope.topic !== null ? 'R2' : 'R1';
}

/** When the rule ends if nothing more comes; null = never by itself. */
export function ruleEndsAt(
  rule: Pick<Rule, 'expiresAt' | 'idleMs' | 'createdAt' | 'lastUsedAt'>,
): number | null {
  const idleAt =
    rule.idleMs === null ? null : Math.max(rule.createdAt, rule.lastUsedAt ?? 0) + rule.idleMs;
  if (rule.expiresAt === null || idleAt === null) return rule.expiresAt ?? idleAt;
  return Math.min(rule.expiresAt, idleAt);
}

/** True when everything that `one` covers is covered by `other`, and `other` covers more. */
export function isNarrower(one: RuleScope, other: RuleScope): boolean {
  return isWithin(one, other) && !isWithin(other, one);
}

/** True when everything that `one` covers is covered by `other`, too. */
function isWithin(one: RuleScope, other: RuleScope): boolean {
  return (
    isSameOrAny(one.peer, other.peer) &&
    isSameOrAny(one.agent, other.agent) &&
    isSameOrAny(one.kind, other.kind) &&
    isSameOrAny(one.askingAgent, other.askingAgent) &&
    isSameOrAny(one.conversation, other.conversation) &&
    isBelowOrAny(one.domain, other.domain) &&
    isBelowOrAny(one.topic, other.topic)
  );
}

function isSameOrAny(one: string | null, other: string | null): boolean {
  return other === null || one === other;
}

function isBelowOrAny(one: string | null, other: string | null): boolean {
  return other === null || one === other || (one !== null && matchesDomain(other, one));
}

function coversArea(area: string, named: string | null): boolean {
  return area === NO_AREA ? named === null : liesIn(area, named);
}

function liesIn(prefix: string, name: string | null): boolean {
  return name !== null && matchesDomain(prefix, name);
}

/**
 * One that none of the others is narrower than; of several such the oldest, so that the same rule
 * is named each time.
 */
function narrowestOf(rules: readonly Rule[]): Rule | undefined {
  const narrowest = rules.filter((rule) => !rules.some((other) => isNarrower(other, rule)));
  return narrowest.reduce<Rule | undefined>(
    (best, rule) => (best === undefined || isOlder(rule, best) ? rule : best),
    undefined,
  );
}

function isOlder(one: Rule, other: Rule): boolean {
  return (
    one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id)
  );
}

/**
 * What becomes of a request that no rule is about, from a paired hub or from another agent of this
 * one; it fails towards asking. A query that can only look (R0) is delivered; every other query and
 * every delegation is asked.
 */
export function decide({
  kind,
  riskClass,
}: Pick<RuledRequest, 'kind' | 'riskClass'>): 'deliver' | 'ask' {
  return kind === 'query' && riskClass === 'R0' ? 'deliver' : 'ask';
}
