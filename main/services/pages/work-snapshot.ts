// The part of a new page's snapshot about the work of this hub's agents. Reads only.
import type { ApprovalDto, UiSnapshot } from '../../../preload/contract/dto.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Registrations } from '../agents/registrations.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { DoNotDisturb } from '../attention/do-not-disturb.ts';
import type { Feed } from '../history/feed.ts';
import type { Rules } from '../rules/rules.ts';
import type { Parties } from '../tasks/parties.ts';

/** Cards shown as decided: the newest that people decided, and as many that rules did. */
const RECENTLY_DECIDED_MAX = 20;
const FEED_MAX = 50;

interface Parts {
  readonly agents: AgentRegistry;
  readonly parties: Pick<Parties, 'removedAgents'>;
  readonly registrations: Registrations;
  readonly approvals: Approvals;
  readonly rules: Rules;
  readonly feed: Feed;
  readonly doNotDisturb: DoNotDisturb;
}

export type WorkSnapshot = Pick<
  UiSnapshot,
  | 'agents'
  | 'removed_agents'
  | 'registrations'
  | 'approvals'
  | 'recently_decided'
  | 'rules'
  | 'feed'
  | 'feed_unread'
  | 'muted_topics'
  | 'attention'
>;

export function workSnapshot({
  agents,
  parties,
  registrations,
  approvals,
  rules,
  feed,
  doNotDisturb,
}: Parts): WorkSnapshot {
  // Each its own list: however much the rules decide, what people decided stays in sight.
  const decidedBy = (by: 'people' | 'rules'): readonly ApprovalDto[] =>
    approvals.decided({ limit: RECENTLY_DECIDED_MAX }, by).items;
  return {
    agents: agents.list(),
    removed_agents: parties.removedAgents(),
    registrations: registrations.pending(),
    approvals: approvals.pending(),
    recently_decided: [...decidedBy('people'), ...decidedBy('rules')],
    rules: rules.current(),
    feed: feed.list({ limit: FEED_MAX }).items,
    feed_unread: feed.unreadCount(),
    muted_topics: feed.mutedTopics(),
    attention: doNotDisturb.dto(),
  };
}
