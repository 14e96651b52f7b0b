// What one numbered event does to the page's picture of its hub. Pure, so that every kind of event
// is tested without a page.
import type { ApprovalDto, FeedItemDto, UiEvent, UiSnapshot } from '../../preload/contract/dto.ts';

/**
 * Bounds what people decided lately, and what rules did, each for itself; older decisions are read
 * in Conversations.
 */
const DECIDED_KEPT_MAX = 50;
/** Bounds the feed held by the page; older notices are fetched when asked for. */
const FEED_KEPT_MAX = 500;

/** The snapshot after `event`. The caller has checked that the event is the next one. */
export function applyEvent(snapshot: UiSnapshot, event: UiEvent): UiSnapshot {
  const next = { ...snapshot, seq: event.seq };
  switch (event.type) {
    case 'hub':
      return { ...next, hub: event.hub };
    case 'settings':
      return { ...next, settings: event.settings };
    case 'peer':
      return { ...next, peers: put(snapshot.peers, event.peer, (peer) => peer.id) };
    case 'peer_gone':
      return { ...next, peers: snapshot.peers.filter((peer) => peer.id !== event.id) };
    case 'pairing_window':
      return { ...next, pairing_window: event.window };
    case 'pairing':
      return { ...next, pairings: put(snapshot.pairings, event.pairing, (pairing) => pairing.id) };
    case 'pairing_gone':
      return { ...next, pairings: snapshot.pairings.filter((pairing) => pairing.id !== event.id) };
    case 'agent':
      return { ...next, agents: put(snapshot.agents, event.agent, (agent) => agent.name) };
    case 'agent_gone':
      return { ...next, agents: snapshot.agents.filter((agent) => agent.name !== event.name) };
    case 'runner':
    case 'runner_gone':
      return { ...next, runners: runnersAfter(snapshot.runners, event) };
    case 'registration':
      return {
        ...next,
        registrations: put(
          snapshot.registrations,
          event.registration,
          (registration) => registration.id,
        ),
      };
    case 'registration_gone':
      return {
        ...next,
        registrations: snapshot.registrations.filter(
          (registration) => registration.id !== event.id,
        ),
      };
    case 'approval':
      return { ...next, ...putApproval(snapshot, event.approval) };
    case 'rule':
      return { ...next, rules: put(snapshot.rules, event.rule, (rule) => rule.id) };
    case 'rule_gone':
      return { ...next, rules: snapshot.rules.filter((rule) => rule.id !== event.id) };
    case 'feed':
      return { ...next, feed: putFirst(snapshot.feed, event.item), feed_unread: event.unread };
    case 'feed_read':
      return { ...next, feed: marked(snapshot.feed, event), feed_unread: event.unread };
    case 'muted_topics':
      return { ...next, muted_topics: event.topics };
    case 'conversation_gone':
      return { ...next, recently_decided: decidedWithout(snapshot, event.id) };
    case 'feed_removed':
      return {
        ...next,
        feed: snapshot.feed.filter(({ seq }) => !event.seqs.includes(seq)),
        feed_unread: event.unread,
      };
    case 'do_not_disturb':
      return { ...next, attention: event.attention };
    case 'conversation':
    case 'attention':
      return next;
  }
}

function decidedWithout(
  { recently_decided: decided }: UiSnapshot,
  conversation: string,
): UiSnapshot['recently_decided'] {
  return decided.filter(({ conversation_id: id }) => id !== conversation);
}

function runnersAfter(
  runners: UiSnapshot['runners'],
  event: Extract<UiEvent, { type: 'runner' | 'runner_gone' }>,
): UiSnapshot['runners'] {
  return event.type === 'runner'
    ? put(runners, event.runner, ({ agent }) => agent)
    : runners.filter(({ agent }) => agent !== event.agent);
}

function putFirst(feed: UiSnapshot['feed'], item: FeedItemDto): UiSnapshot['feed'] {
  return [item, ...feed.filter(({ id }) => id !== item.id)].slice(0, FEED_KEPT_MAX);
}

function marked(
  feed: UiSnapshot['feed'],
  { ids, read }: Extract<UiEvent, { type: 'feed_read' }>,
): UiSnapshot['feed'] {
  const meant = ids === 'all' ? null : new Set(ids);
  return feed.map((item) =>
    item.unread === read && (meant === null || meant.has(item.id))
      ? { ...item, unread: !read }
      : item,
  );
}

/** A reply of the hub may come after an event that is newer. A decision is final. */
export function isOlder(approval: ApprovalDto, known: ApprovalDto): boolean {
  if (approval.state === 'pending' && known.state !== 'pending') return true;
  return (
    approval.revision < known.revision ||
    (approval.revision === known.revision && approval.task_revision < known.task_revision)
  );
}

/**
 * A pending approval waits; any other has been decided and stands among the decided ones. null:
 * what is known is newer.
 */
export function putApproval(
  { approvals, recently_decided }: Pick<UiSnapshot, 'approvals' | 'recently_decided'>,
  approval: ApprovalDto,
): Pick<UiSnapshot, 'approvals' | 'recently_decided'> | null {
  const known = [...approvals, ...recently_decided].find((other) => other.id === approval.id);
  if (known !== undefined && isOlder(approval, known)) return null;
  if (approval.state === 'pending')
    return { approvals: put(approvals, approval, (other) => other.id), recently_decided };
  const isListed = recently_decided.some((other) => other.id === approval.id);
  return {
    approvals: approvals.filter((other) => other.id !== approval.id),
    // What it has come to since moves no row.
    recently_decided: isListed
      ? put(recently_decided, approval, (other) => other.id)
      : keepLately([approval, ...recently_decided]),
  };
}

/** However much the rules decide, what people decided stays. */
function keepLately(decided: readonly ApprovalDto[]): readonly ApprovalDto[] {
  const kept = { people: 0, rules: 0 };
  return decided.filter(
    ({ rule_id }) => ++kept[rule_id === null ? 'people' : 'rules'] <= DECIDED_KEPT_MAX,
  );
}

function put<T>(items: readonly T[], item: T, keyOf: (item: T) => string): readonly T[] {
  const key = keyOf(item);
  const index = items.findIndex((other) => keyOf(other) === key);
  return index === -1 ? [...items, item] : items.with(index, item);
}
