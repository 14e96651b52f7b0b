// A hub in memory behind the page's API: it keeps a snapshot, numbers its events and answers as the
// contract says. It lets tests stand in the way of an answer, refuse it, lose the line or leave a
// gap. It decides nothing that the real hub would decide better: no policy here.
import type {
  ConversationDetailDto,
  ConversationDto,
} from '../../preload/contract/conversation-dto.ts';
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type { ApprovalDto, UiEvent, UiEventBody, UiSnapshot } from '../../preload/contract/dto.ts';
import { ERRORS } from '../../preload/contract/errors.ts';
import type { ErrorCode, Problem } from '../../preload/contract/errors.ts';
import type { CallOutcome, HubApi, LinkState } from '../../preload/contract/hub-api.ts';
import type { RuleDto } from '../../preload/contract/rules.ts';
import type {
  OperationInput,
  OperationName,
  OperationResult,
} from '../../preload/contract/operations.ts';
import {
  ONLY_IN_A_BROWSER,
  WINDOW_OPERATIONS,
  type PageOperation,
} from '../../preload/contract/window-operations.ts';
import { applyEvent } from '../../renderer/app/apply-event.ts';
import { ruleFrom } from './household-rules.ts';
import { nobodyElse } from './remote-approval-cards.ts';
import { inStep, inStepWithState } from './stories.ts';
import {
  CONVERSATIONS,
  DINNER_THREAD,
  SESSIONS,
  agentOf,
  inspectionOf,
  shownOf,
} from './household.ts';

type Handlers = Parameters<HubApi['subscribe']>[1];
type Answers = {
  [Name in OperationName]?: (
    params: OperationInput<Name>,
  ) => CallOutcome<OperationResult<Name>> | Promise<CallOutcome<OperationResult<Name>>>;
};

export function problemOf(code: ErrorCode, detail: string): Problem {
  return {
    type: `urn:axon:problem:${code}`,
    title: ERRORS[code].title,
    status: ERRORS[code].status,
    detail,
    code,
    retryable: false,
  };
}
/** What the real window would refuse is no answer here either. */
const PASSES: ReadonlySet<string> = new Set([...WINDOW_OPERATIONS, ...ONLY_IN_A_BROWSER]);
const good = <T>(value: T): CallOutcome<T> => ({ ok: true, value });
const bad = (code: ErrorCode, detail: string): { ok: false; problem: Problem } => ({
  ok: false,
  problem: problemOf(code, detail),
});

/** What a decision makes of a request and its task. */
const DECIDED = {
  allow: { state: 'approved', task: 'queued' },
  answer: { state: 'answered', task: 'completed' },
  decline: { state: 'declined', task: 'declined' },
} as const;

function ownAnswerOf(
  { choice }: ApprovalDto,
  params: OperationInput<'approvals.decide'>,
): ApprovalDto['own_answer'] {
  if (params.answer !== undefined) return { text: params.answer, choice: null };
  const option = choice?.options.find(({ id }) => id === params.choice);
  return option === undefined ? null : { text: option.label, choice: option.id };
}

/** Tests change what a card says of its state; its story says the same, as the hub's does. */
function withStories(snapshot: UiSnapshot): UiSnapshot {
  const { approvals, recently_decided, rules } = snapshot;
  return {
    ...snapshot,
    approvals: approvals.map((card) => inStep(card, rules)),
    recently_decided: recently_decided.map((card) => inStep(card, rules)),
  };
}

/** The cards among a value, each with the story that it has by now. */
function told<T>(value: T, rules: readonly RuleDto[]): T {
  if (isConversation(value)) return Object.assign({}, value, inStepWithState(value));
  if (isCard(value)) return Object.assign({}, value, { story: inStep(value, rules).story });
  if (hasEntries(value)) return Object.assign({}, value, threadOf(value));
  if (!hasItems(value)) return value;
  return Object.assign({}, value, { items: value.items.map((item) => told(item, rules)) });
}

function threadOf({ conversation, entries }: ConversationDetailDto) {
  return { conversation: inStepWithState(conversation), entries: entries.map(inStepWithState) };
}

function hasEntries(value: unknown): value is ConversationDetailDto {
  return (
    typeof value === 'object' && value !== null && 'entries' in value && 'conversation' in value
  );
}

/** Of a list of conversations. */
function isConversation(value: unknown): value is ConversationDto {
  return typeof value === 'object' && value !== null && 'story' in value && 'activity' in value;
}

function isCard(value: unknown): value is ApprovalDto {
  return typeof value === 'object' && value !== null && 'story' in value && 'task_state' in value;
}

function hasItems(value: unknown): value is { readonly items: readonly unknown[] } {
  return (
    typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)
  );
}

export class FakeHubApi implements HubApi {
  readonly surface = 'window' as const;
  /** Every call, in order. */
  readonly calls: { readonly name: OperationName; readonly params: unknown }[] = [];
  #snapshot: UiSnapshot;
  #handlers: Handlers | null = null;
  #removed: RuleDto | null = null;
  readonly #answers: Answers;

  constructor(snapshot: UiSnapshot, answers: Answers = {}) {
    this.#snapshot = withStories(snapshot);
    this.#answers = { ...this.#defaults(), ...answers };
  }

  get snapshot(): UiSnapshot {
    return this.#snapshot;
  }
  get subscribed(): boolean {
    return this.#handlers !== null;
  }

  async call<Name extends PageOperation>(
    name: Name,
    params: OperationInput<Name>,
  ): Promise<CallOutcome<OperationResult<Name>>> {
    if (!PASSES.has(name)) throw new Error(`The window lets no ${name} through.`);
    this.calls.push({ name, params });
    const answer: Answers[Name] = this.#answers[name];
    if (answer === undefined) return bad('not_found', `${name} is not part of this test.`);
    const outcome = answer(params);
    const inStepNow = (of: CallOutcome<OperationResult<Name>>) =>
      of.ok ? { ...of, value: told(of.value, this.#snapshot.rules) } : of;
    // At once where nothing is waited for: a turn more would be time at the page's clock.
    return outcome instanceof Promise ? outcome.then(inStepNow) : inStepNow(outcome);
  }

  subscribe(fromSeq: number, handlers: Handlers): () => void {
    if (fromSeq !== this.#snapshot.seq) queueMicrotask(() => handlers.onGap());
    this.#handlers = handlers;
    queueMicrotask(() =>
      handlers.onLink({ state: 'live', since: this.#snapshot.at, retry_in_ms: null }),
    );
    return () => {
      this.#handlers = null;
    };
  }

  /** Something happened at the hub. */
  emit(body: UiEventBody): void {
    const event: UiEvent = { ...this.#inStep(body), seq: this.#snapshot.seq + 1 };
    this.#snapshot = applyEvent(this.#snapshot, event);
    this.#handlers?.onEvent(event);
  }

  /** Happened, but the page never hears of it. */
  emitUnheard(body: UiEventBody): void {
    this.#snapshot = applyEvent(this.#snapshot, {
      ...this.#inStep(body),
      seq: this.#snapshot.seq + 1,
    });
  }

  link(link: LinkState): void {
    this.#handlers?.onLink(link);
  }

  #told(card: ApprovalDto): ApprovalDto {
    return inStep(card, this.#snapshot.rules);
  }

  #inStep(body: UiEventBody): UiEventBody {
    return body.type === 'approval' ? { ...body, approval: this.#told(body.approval) } : body;
  }

  /** How the hub decides: the first press wins, for the revision and digest that were shown. */
  decide(params: OperationInput<'approvals.decide'>): CallOutcome<ApprovalDto> {
    const pending = this.#snapshot.approvals.find((approval) => approval.id === params.id);
    if (pending === undefined) return bad('already_decided', 'Somebody else was first.');
    if (pending.digest !== params.digest || pending.revision !== params.revision)
      return bad('request_changed', 'This request changed.');
    const decided = this.#told({
      ...pending,
      state: DECIDED[params.decision].state,
      decided_at: this.#snapshot.at,
      decided_by: this.#snapshot.settings.person,
      surface: 'window',
      decline_reason: params.reason ?? null,
      own_answer: ownAnswerOf(pending, params),
      task_state: DECIDED[params.decision].task,
    });
    if (params.scope !== undefined && params.scope !== 'once')
      this.emit({ type: 'rule', rule: ruleFrom(pending, params.scope, params.until) });
    this.emit({ type: 'approval', approval: decided });
    return good(decided);
  }

  #doNotDisturb(change: Partial<AttentionDto>): CallOutcome<AttentionDto> {
    const attention = { ...this.#snapshot.attention, ...change };
    this.emit({ type: 'do_not_disturb', attention });
    return good(attention);
  }

  #changeRule(id: string, change: (rule: RuleDto) => RuleDto): CallOutcome<RuleDto> {
    const rule = this.#snapshot.rules.find((other) => other.id === id);
    if (rule === undefined) return bad('gone', 'This rule is over.');
    const changed = change(rule);
    this.emit({ type: 'rule', rule: changed });
    return good(changed);
  }

  #defaults(): Answers {
    return {
      'hub.snapshot': () => good(this.#snapshot),
      'remote_approval.get': () => good(nobodyElse(this.#snapshot)),
      'approvals.decide': (params) => this.decide(params),
      'approvals.list': ({ state }) =>
        good({
          items: state === 'decided' ? this.#snapshot.recently_decided : this.#snapshot.approvals,
          next: null,
        }),
      'approvals.get': ({ id }) => {
        const known = [...this.#snapshot.approvals, ...this.#snapshot.recently_decided].find(
          (approval) => approval.id === id,
        );
        return known === undefined ? bad('not_found', 'There is no such request.') : good(known);
      },
      'settings.update': (change) => {
        const kept = Object.fromEntries(
          Object.entries(change).filter(([, value]) => value !== undefined),
        );
        const settings = { ...this.#snapshot.settings, ...kept };
        this.emit({ type: 'settings', settings });
        return good(settings);
      },
      'pairings.window': async ({ open }) => {
        // A page shuts the window while it is taken down, and no hub tells of that before the call
        // has left.
        await Promise.resolve();
        const window = {
          open,
          closes_at: open ? this.#snapshot.at + 300_000 : null,
          locked_until: null,
          asked: null,
        };
        this.emit({ type: 'pairing_window', window });
        return good(window);
      },
      'pairings.cancel': ({ id }) => {
        const pairing = this.#snapshot.pairings.find((other) => other.id === id);
        if (pairing === undefined)
          return bad('not_found', 'No such pairing is here, or it ended a while ago.');
        this.emit({ type: 'pairing_gone', id });
        return good({
          cancelled: pairing.state !== 'paired' && pairing.state !== 'failed',
          pairing,
        });
      },
      'peers.update': ({ id, ...change }) => {
        const peer = this.#snapshot.peers.find((other) => other.id === id);
        if (peer === undefined) return bad('peer_not_found', 'No such hub.');
        const kept = Object.fromEntries(
          Object.entries(change).filter(([, value]) => value !== undefined),
        );
        const updated = { ...peer, ...kept };
        this.emit({ type: 'peer', peer: updated });
        return good(updated);
      },
      'peers.remove': ({ id }) => {
        this.emit({ type: 'peer_gone', id });
        return good({ removed: true });
      },
      'agent_files.list': () => ({ ok: true, value: { items: [], next: null } }),
      'agents.create': ({ name, display_name }) => {
        const agent = agentOf(name, {
          display_name: display_name ?? shownOf(name),
          presence: 'never_seen',
          reach: 'nothing',
          last_call_at: null,
          token_created_at: this.#snapshot.at,
        });
        this.emit({ type: 'agent', agent });
        return good({ agent, token: 'axh_agent_2f7b_5XhGqkq0b8cR1yJmZkTn4wVd9sLpUeAo' });
      },
      'agents.setClass': ({ name, risk_class, domains }) => {
        const agent = this.#snapshot.agents.find((other) => other.name === name);
        if (agent === undefined) return bad('not_found', 'No such agent.');
        const areas = domains?.map((area) =>
          typeof area === 'string'
            ? { domain: area, risk_class: null }
            : { domain: area.domain, risk_class: area.risk_class ?? null },
        );
        const updated = { ...agent, risk_class, domains: areas ?? agent.domains };
        this.emit({ type: 'agent', agent: updated });
        return good(updated);
      },
      'agents.rename': ({ name, display_name }) => {
        const agent = this.#snapshot.agents.find((other) => other.name === name);
        if (agent === undefined) return bad('not_found', 'No such agent.');
        const updated = { ...agent, display_name };
        this.emit({ type: 'agent', agent: updated });
        return good(updated);
      },
      'agents.remove': ({ name }) => {
        this.emit({ type: 'agent_gone', name });
        return good({ removed: true });
      },
      'runners.set': ({ name: agent, runner: { folder = null, ...runner } }) => {
        const set = {
          agent,
          ...runner,
          folder,
          state: 'starts',
          why: null,
          wakes: 0,
          tokens: 0,
        } as const;
        this.emit({ type: 'runner', runner: set });
        return good(set);
      },
      'runners.end': ({ name }) => {
        this.emit({ type: 'runner_gone', agent: name });
        return good({ ended: true });
      },
      'agents.declineRegistration': ({ id }) => {
        this.emit({ type: 'registration_gone', id });
        return good({ declined: true });
      },
      'attention.pause': ({ until }) => {
        const ends = typeof until === 'string' ? this.#snapshot.at + 3_600_000 : (until ?? null);
        return this.#doNotDisturb({
          paused: { since: this.#snapshot.at, until: ends, stopped: false },
        });
      },
      'attention.stop': () =>
        this.#doNotDisturb({ paused: { since: this.#snapshot.at, until: null, stopped: true } }),
      'attention.resume': () => this.#doNotDisturb({ paused: null }),
      'attention.setQuietHours': ({ periods, urgent_peers: urgent }) => {
        const now = this.#snapshot.attention.quiet_hours;
        const kept = periods.map((period) => ({ ...period, on: period.on ?? true }));
        return this.#doNotDisturb({
          quiet_hours: { periods: kept, urgent_peers: urgent ?? now.urgent_peers },
        });
      },
      'attention.mute': ({ id, until }) => {
        const { attention, at, peers } = this.#snapshot;
        const peer = peers.find((other) => other.id === id);
        const mute = { peer_id: id, peer_name: peer?.name ?? '', since: at, until };
        for (const approval of this.#snapshot.approvals) {
          if (approval.peer_id === id)
            this.emit({
              type: 'approval',
              approval: { ...approval, held: { why: 'muted', until } },
            });
        }
        const floods = attention.floods.filter(({ peer_id }) => peer_id !== id);
        return this.#doNotDisturb({ mutes: [...attention.mutes, mute], floods });
      },
      'attention.unmute': ({ id }) =>
        this.#doNotDisturb({
          mutes: this.#snapshot.attention.mutes.filter(({ peer_id }) => peer_id !== id),
        }),
      'approvals.keepOpen': ({ id, wait_ms: shown }) => {
        const known = this.#snapshot.approvals.find((approval) => approval.id === id);
        if (known === undefined) return bad('not_found', 'There is no such request.');
        if (shown < known.wait_ms || known.keep_open_until === null) return good(known);
        const end = known.keep_open_until;
        const approval: ApprovalDto = {
          ...known,
          wait_ms: known.wait_ms + end - known.expires_at,
          expires_at: end,
          keep_open_until:
            end < known.deadline_at
              ? Math.min(known.deadline_at, end + end - known.expires_at)
              : null,
        };
        this.emit({ type: 'approval', approval });
        return good(approval);
      },
      'attention.hold': ({ id, until }) => {
        const known = this.#snapshot.approvals.find((approval) => approval.id === id);
        if (known === undefined) return bad('not_found', 'There is no such request.');
        const approval: ApprovalDto = { ...known, held: { why: 'person', until } };
        this.emit({ type: 'approval', approval });
        return good(approval);
      },
      'attention.show': ({ ids }) => {
        const held = this.#snapshot.approvals.filter(
          ({ id, held: hold }) => hold !== null && (ids === 'all' || ids.includes(id)),
        );
        for (const approval of held)
          this.emit({ type: 'approval', approval: { ...approval, held: null } });
        return good({ shown: held.length });
      },
      'feed.markRead': ({ ids, read = true }) => {
        const unread = this.#snapshot.feed_unread + (read ? -1 : 1) * ids.length;
        this.emit({
          type: 'feed_read',
          ids,
          read,
          unread: ids === 'all' ? 0 : Math.max(0, unread),
        });
        return good({ unread: this.#snapshot.feed_unread });
      },
      'feed.mute': ({ notice }) => {
        const about = this.#snapshot.feed.find(({ id }) => id === notice);
        if (about?.peer_name == null) return bad('not_found', 'There is no such notice any more.');
        const { peer_id, peer_name, from_agent, from_name, topic } = about;
        const ofAgent =
          peer_id === null ? { from_agent, from_name } : { from_agent: null, from_name: null };
        const topics = [{ id: `mute of ${notice}`, peer_id, peer_name, ...ofAgent, topic }];
        this.emit({ type: 'muted_topics', topics });
        return good({ items: topics, next: null });
      },
      'feed.unmute': () => {
        this.emit({ type: 'muted_topics', topics: [] });
        return good({ items: [], next: null });
      },
      'tasks.list': () => good({ items: [], next: null }),
      'feed.list': () => good({ items: [], next: null }),
      'conversations.list': () => good({ items: CONVERSATIONS, next: null }),
      'conversations.get': ({ id }) =>
        id === DINNER_THREAD.conversation.id
          ? good(DINNER_THREAD)
          : bad('not_found', 'There is no such conversation.'),
      'peers.tokens': () => good({ days: 30, here: 12_400, there: 0 }),
      'conversations.inspect': ({ seq }) => good(inspectionOf(seq)),
      'conversations.export': ({ id }) => good({ text: `# Conversation ${id}\n`, next: null }),
      'conversations.remove': ({ id }) => {
        this.emit({ type: 'conversation_gone', id });
        return good({ removed: true });
      },
      'history.search': () => good({ items: [], next: null }),
      'sessions.list': () => good({ items: SESSIONS, next: null }),
      'sessions.revoke': () => good({ revoked: true }),
      'rules.update': ({ id, suspended }) =>
        this.#changeRule(id, (rule) => ({ ...rule, suspended })),
      'rules.remove': ({ id }) => {
        const rule = this.#snapshot.rules.find((other) => other.id === id);
        if (rule === undefined) return bad('gone', 'This rule is over.');
        this.#removed = rule;
        this.emit({ type: 'rule_gone', id });
        return good({ ...rule, ended_at: this.#snapshot.at, ended_why: 'removed' });
      },
      'rules.restore': ({ id }) => {
        const rule = this.#removed;
        if (rule === null || rule.id !== id) return bad('gone', 'This rule is over.');
        this.emit({ type: 'rule', rule });
        return good(rule);
      },
      'hub.setPassphrase': () => good({ set: true }),
    };
  }
}
