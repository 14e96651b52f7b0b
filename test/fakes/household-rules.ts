// The rules of the household that component tests and screenshots are drawn from, and the rule that
// a choice on a card would make.
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { RuleChoice, RuleDto } from '../../preload/contract/rules.ts';
import { approvalOf, DAD, handleOf, NOW, PEERS, shownOf, uuidOf } from './household.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function ruleOf(seed: string, over: Partial<RuleDto> = {}): RuleDto {
  const {
    agent = 'Household lists',
    asking_local: local = null,
    asking_agent: asking = null,
  } = over;
  const expiresAt = over.expires_at === undefined ? NOW + 12 * DAY : over.expires_at;
  return {
    id: uuidOf(`rule ${seed}`),
    effect: 'allow',
    reach: 'always',
    peer_id: DAD.id,
    peer_name: 'Dad’s laptop',
    asking_local_name: shownOf(local),
    agent_name: shownOf(agent),
    domain: 'family.calendar',
    kind: 'query',
    asking_agent_name: shownOf(asking),
    topic: null,
    conversation_id: null,
    conversation_title: null,
    risk_max: 'R1',
    made_on: 'card',
    approval_id: null,
    created_at: NOW - 18 * DAY,
    idle_ms: null,
    suspended: false,
    uses: 41,
    last_used_at: NOW - 2 * HOUR,
    ended_at: null,
    ended_why: null,
    ...over,
    agent: agent === null ? null : handleOf(agent),
    asking_local: local === null ? null : handleOf(local),
    asking_agent: asking === null ? null : handleOf(asking),
    expires_at: expiresAt,
    ends_at: over.ends_at ?? expiresAt,
  };
}

const attic = PEERS.find((peer) => peer.name === 'Attic');
const tablet = PEERS.find((peer) => peer.name === 'Leo’s tablet');

export const CALENDAR_RULE = ruleOf('calendar');
export const RULES: readonly RuleDto[] = [
  CALENDAR_RULE,
  ruleOf('shopping', {
    peer_id: attic?.id ?? null,
    peer_name: 'Attic',
    domain: 'shopping.list',
    kind: 'delegate',
    uses: 212,
    last_used_at: NOW - 23 * 60_000,
    expires_at: NOW + 9 * DAY,
  }),
  ruleOf('dinner', {
    reach: 'conversation',
    agent: 'Claude Code',
    domain: 'family.chat',
    kind: 'delegate',
    asking_agent: 'OpenClaw',
    conversation_id: 'dinner',
    conversation_title: 'Tell the family chat that dinner is at 7',
    risk_max: 'R2',
    created_at: NOW - HOUR,
    uses: 1,
    expires_at: NOW + 11 * HOUR,
    idle_ms: 2 * HOUR,
    ends_at: NOW + 2 * HOUR,
  }),
  ruleOf('music', {
    peer_name: 'Attic',
    peer_id: attic?.id ?? null,
    agent: 'Claude Code',
    domain: 'home.music',
    suspended: true,
    uses: 0,
    last_used_at: null,
  }),
  ruleOf('screen', {
    effect: 'never',
    peer_id: tablet?.id ?? null,
    peer_name: 'Leo’s tablet',
    agent: null,
    domain: 'screen.time',
    kind: null,
    risk_max: null,
    uses: 17,
    last_used_at: NOW - 3 * HOUR,
    expires_at: null,
  }),
  ruleOf('ask', {
    effect: 'ask',
    peer_id: null,
    peer_name: null,
    agent: null,
    domain: 'family.photos',
    kind: null,
    risk_max: null,
    made_on: 'rules',
    expires_at: null,
    uses: 4,
  }),
];

/** What a rule let in and what one turned away. */
export const RULED: readonly ApprovalDto[] = [
  approvalOf('ruled milk', {
    state: 'approved',
    surface: 'rule',
    decided_by: 'hub',
    decided_at: NOW - 23 * 60_000,
    rule_id: RULES[1]?.id ?? null,
    peer_name: 'Attic',
    text: 'Put milk on the list',
    task_state: 'completed',
    wider: [],
  }),
  approvalOf('ruled screen', {
    state: 'declined',
    surface: 'rule',
    decided_by: 'hub',
    decided_at: NOW - 3 * HOUR,
    rule_id: RULES[4]?.id ?? null,
    peer_name: 'Leo’s tablet',
    text: 'One more hour, please',
    task_state: 'declined',
    wider: [],
  }),
];

/** As the hub makes it. */
export function ruleFrom(
  approval: ApprovalDto,
  choice: RuleChoice,
  until: number | undefined,
): RuleDto {
  const never = choice === 'never';
  const life = choice === 'conversation' ? 12 * HOUR : 30 * DAY;
  return ruleOf(`${approval.id} ${choice}`, {
    effect: never ? 'never' : 'allow',
    reach: never ? 'always' : choice,
    peer_id: approval.peer_id,
    peer_name: approval.peer_name,
    agent: approval.to_agent,
    agent_name: approval.to_name,
    domain: approval.domain,
    kind: never ? null : approval.kind,
    asking_agent: never || approval.peer_id === null ? null : (approval.from_agent ?? ''),
    asking_agent_name: never || approval.peer_id === null ? null : (approval.from_name ?? ''),
    conversation_id: choice === 'conversation' ? approval.conversation_id : null,
    conversation_title: choice === 'conversation' ? approval.text : null,
    risk_max: never ? null : approval.risk_class,
    approval_id: approval.id,
    created_at: NOW,
    expires_at: never ? null : (until ?? NOW + life),
    idle_ms: choice === 'conversation' ? 2 * HOUR : null,
    uses: 0,
    last_used_at: null,
  });
}
