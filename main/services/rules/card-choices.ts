// What a person may choose on a card beyond this one request, and exactly which rule each choice
// makes. It is always about the same hub, agent and area, never wider than what the card shows, and
// there is none for a dangerous request. Pure.
import { RULE_REACHES, type RuleReach } from '../../../preload/contract/closed-lists.ts';
import { ALWAYS_LIFE_MS, CONVERSATION_LIFE_MS } from '../../../preload/contract/limits.ts';
import type { RuleChoice } from '../../../preload/contract/rules.ts';
import { NO_AGENT, NO_AREA, riskMaxOfReach } from '../../core/rules.ts';
import { higherRisk } from '../../core/risk.ts';
import { isBareCapability, isDomain, longestDomain } from '../../core/routing.ts';
import { inputError } from '../../lib/app-error.ts';
import { readObject } from '../../lib/json-object.ts';
import type { AgentRow, ApprovalRow, TaskRow } from '../../ports/store.ts';
import { isLocal } from '../tasks/parties.ts';
import { routeFrom, topicOf } from '../tasks/work-request.ts';
import { CARD_UNTIL_MAX_MS, CONVERSATION_IDLE_MS } from './limits.ts';
import type { RuleDraft } from '../../ports/rules.ts';

/** A request on its card. */
interface CardRequest {
  readonly task: TaskRow;
  readonly approval: Pick<ApprovalRow, 'id' | 'riskClass'>;
  /** The agent that would run it, as it is now. */
  readonly agent: AgentRow | undefined;
}

/** The choices, in the order of the card. */
export function choicesFor(card: CardRequest): readonly RuleChoice[] {
  if (card.approval.riskClass === 'R3' || card.agent === undefined) return [];
  return [...RULE_REACHES.filter((choice) => mayAllow(card, choice)), 'never'];
}

/** @throws AppError bad_request for a time that is over or too far away */
export function ruleOf(
  card: CardRequest,
  choice: RuleChoice,
  until: number | undefined,
  nowMs: number,
): RuleDraft {
  const { task, approval } = card;
  const about = {
    peer: task.party,
    agent: task.toAgent,
    madeOn: 'card',
    approvalId: approval.id,
  } as const;
  if (choice === 'never') {
    // Neither another of its agents nor another kind of asking gets around a refusal.
    const domain = task.domain !== null && isDomain(task.domain) ? task.domain : null;
    return {
      ...about,
      effect: 'never',
      reach: 'always',
      domain,
      ...ANY,
      riskMax: null,
      expiresAt: null,
      idleMs: null,
    };
  }
  const conversation = choice === 'conversation' ? task.conversationId : null;
  return {
    ...about,
    effect: 'allow',
    reach: choice,
    domain: task.domain ?? NO_AREA,
    kind: task.kind,
    askingAgent: isLocal(task.party) ? null : (routeFrom(readObject(task.payload)) ?? NO_AGENT),
    topic: topicFor(card, choice),
    conversation,
    riskMax: approval.riskClass,
    expiresAt: endOf(choice, until, nowMs),
    idleMs: choice === 'conversation' ? CONVERSATION_IDLE_MS : null,
  };
}

const ANY = { kind: null, askingAgent: null, topic: null, conversation: null } as const;

function mayAllow(card: CardRequest, choice: RuleReach): boolean {
  const { task, approval, agent } = card;
  if (agent === undefined) return false;
  const { domain } = task;
  const isCapability = domain !== null && isBareCapability(agent, domain);
  const isKnown =
    domain === null || isCapability || longestDomain(agent.domains, domain) !== undefined;
  // It may be about any of the agent's areas.
  if (!isKnown || (isCapability && higherRisk(approval.riskClass, 'R1') !== 'R1')) return false;
  // A name that was hidden on the card is nobody's to be allowed by.
  if ((routeFrom(readObject(task.payload)) ?? null) !== task.fromAgent) return false;
  const conversation = choice === 'conversation' ? task.conversationId : null;
  const widest = riskMaxOfReach(choice, {
    domain: task.domain ?? NO_AREA,
    conversation,
    topic: topicFor(card, choice),
  });
  return higherRisk(approval.riskClass, widest) === widest;
}

/** "Always" about what others see is for one topic, which the request must name. */
function topicFor({ task, approval }: CardRequest, choice: RuleChoice): string | null {
  return choice === 'always' && approval.riskClass === 'R2'
    ? topicOf(readObject(task.payload))
    : null;
}

function endOf(choice: RuleReach, until: number | undefined, nowMs: number): number {
  if (choice === 'conversation') return nowMs + CONVERSATION_LIFE_MS;
  if (choice === 'always') return nowMs + ALWAYS_LIFE_MS;
  if (until !== undefined && until > nowMs && until <= nowMs + CARD_UNTIL_MAX_MS) return until;
  throw inputError('bad_request', 'Say until when: a time to come, within a month.');
}
