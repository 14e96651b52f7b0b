// A `notify` from another hub or agent: recorded for people in the feed and handed to the agents
// that asked for its topic. Nothing is answered, so nothing is promised. The hub's own topics
// (receipts, progress) go to those who wait for them and to nobody else.
import { EVERYBODY, TASK_ACCEPTED } from '../../dialects/dialect.ts';
import { meantBy } from '../../dialects/members.ts';
import { readOrigin, withTrueOrigin } from '../../dialects/origin.ts';
import { escapeName } from '../../core/text-escape.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { AgentRow, Reads, Store, TaskRow } from '../../ports/store.ts';
import { isHubTopic, RECEIPT_TOPIC } from '../../protocol/kinds.ts';
import { parseNotify, type NotifyPayload } from '../../protocol/payloads.ts';
import { PLAIN_TOPIC } from '../../protocol/reference/reference-mapping.ts';
import type { DoNotDisturb } from '../attention/do-not-disturb.ts';
import type { PeerRates } from '../links/peer-rates.ts';
import type { IncomingMessage } from '../base/peer-messenger.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AskingAgents } from './asking-agents.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import { conversationFor } from '../tasks/conversation-ids.ts';
import { URGENCY, type Deliveries } from '../inbox/deliveries.ts';
import type { PeopleFeed } from '../tasks/people-feed.ts';
import { NOTICES_QUEUED_MAX } from '../inbox/limits.ts';
import { isOfBoth, openTaskOf, type Turns } from './turns.ts';
import { isLocal, OWNER_PARTY, type Parties } from '../tasks/parties.ts';
import type { RecentIds } from '../tasks/replay-guard.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';

type HubTopicHandler = (message: IncomingMessage, payload: NotifyPayload) => void | Promise<void>;

interface Notice {
  readonly party: PartyKey;
  readonly messageId: string;
  readonly ref: string | null;
  readonly fromAgent: string | null;
  readonly payload: NotifyPayload;
  readonly sent: JsonObject;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly rates: PeerRates;
  readonly recent: RecentIds;
  readonly unit: UnitOfWork;
  readonly agents: AgentRegistry;
  readonly parties: Parties;
  readonly deliveries: Deliveries;
  readonly feed: Pick<PeopleFeed, 'record'>;
  readonly askers: AskingAgents;
  readonly audit: AuditTrail;
  readonly doNotDisturb: Pick<DoNotDisturb, 'isMuted'>;
  readonly turns: Pick<Turns, 'took' | 'isTooMany'>;
}

export class IncomingNotices {
  readonly #deps: Deps;
  readonly #hubTopics = new Map<string, HubTopicHandler>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Who handles one of the hubs' own topics. One handler a topic. */
  onHubTopic(topic: string, handler: HubTopicHandler): void {
    this.#hubTopics.set(topic, handler);
  }

  async handle(message: IncomingMessage): Promise<void> {
    const { peer, envelope, raw } = message;
    const { rates, log, askers, audit, recent } = this.#deps;
    const parsed = parseNotify(envelope.payload);
    if (!parsed.ok) {
      log.debug('notification dropped: it does not fit', { reason: parsed.error });
      return;
    }
    const payload = parsed.value;
    // We asked for receipts ourselves; a receipt stores nothing and is never limited.
    if (!isOfHub(payload) || payload.topic !== RECEIPT_TOPIC) {
      if (recent.has(peer.key, envelope.id) || !rates.take(peer.key, 'notify', raw.length).ok)
        return;
      recent.keep(peer.key, envelope.id);
    }
    if (isOfHub(payload)) {
      await this.#hubTopics.get(payload.topic)?.(message, payload);
      return;
    }
    if (await askers.unknownAsker(peer, envelope.payload)) {
      // What was refused leaves nothing behind: the same id may be sent again.
      recent.forget(peer.key, envelope.id);
      await audit.refusal({
        actor: peer.key,
        surface: 'peer',
        action: 'notify.refused',
        object: envelope.id,
      });
      return;
    }
    const from = payload.route?.from ?? null;
    const fromAgent = from === null ? null : escapeName(from).name;
    await this.publish({
      party: peer.key,
      messageId: envelope.id,
      ref: envelope.ref,
      fromAgent,
      payload,
      sent: withTrueOrigin('notify', envelope.payload, { hub: peer.agentId }),
    });
  }

  /**
   * Into the feed, and to the agent it names or the agents that asked for its topic. Returns the
   * names of the agents that get it.
   */
  async publish(notice: Notice): Promise<readonly string[]> {
    const { store, clock, unit } = this.#deps;
    const { party, payload } = notice;
    const at = clock.wallMs();
    const routeTo = payload.route?.to ?? null;
    const named = payload.conversation?.id ?? null;
    const conversationId =
      named === null
        ? (askedBefore(store.read, notice)?.conversationId ?? null)
        : conversationFor(store.read, {
            party,
            messageId: notice.messageId,
            conversationId: named,
          });
    store.writeBehind((tables) =>
      tables.insertMessage({
        messageId: notice.messageId,
        direction: isLocal(party) ? 'local' : 'in',
        party,
        kind: 'notify',
        ref: notice.ref,
        conversationId,
        taskId: null,
        fromAgent: notice.fromAgent,
        toAgent: routeTo === null ? null : escapeName(routeTo).name,
        payload: JSON.stringify(notice.sent),
        at,
      }),
    );
    const isTooMany = routeTo !== null && this.#takesTurn(notice, routeTo);
    // Where two agents tell each other things without end, the people here are told instead.
    if (routeTo === null || isTooMany) this.#tellPeople(notice);
    const takers = isTooMany ? [] : this.#takersOf(notice);
    const names = takers.map(({ name }) => name);
    if (takers.length === 0) return names;
    await unit.run((tables, after) => {
      const asked = askedBefore(tables, notice);
      const own = payload.importance === 'high' ? URGENCY.normal : URGENCY.low;
      for (const agent of takers) {
        // What belongs to one task is handed over in the order in which it happened.
        const isIts = asked?.fromAgent === agent.name;
        const isAcceptance = payload.topic === TASK_ACCEPTED;
        const asking = { party, agentThere: notice.fromAgent, agentHere: agent.name } as const;
        this.#deps.deliveries.put(tables, after, {
          agent: agent.name,
          kind: 'notify',
          // By which it is known that it was told.
          taskId: isIts && isAcceptance && isOfBoth(asked, asking) ? asked.id : null,
          urgency: isIts ? (asked.urgent ? URGENCY.urgent : URGENCY.normal) : own,
          body: {
            conversation_id: conversationId,
            trust: this.#deps.parties.trustOf(party),
            approval: null,
            envelope: { id: notice.messageId, kind: 'notify', ref: notice.ref, received_at: at },
            untrusted: this.#deps.deliveries.untrusted({
              party,
              fromAgent: notice.fromAgent,
              kind: 'notify',
              text: typeof payload.data === 'string' ? payload.data : null,
              payload: notice.sent,
            }),
          },
        });
      }
    });
    return names;
  }

  #tellPeople({ party, fromAgent, payload }: Notice): void {
    const { topic, importance, data, tag } = payload;
    const isSilent = this.#deps.doNotDisturb.isMuted(party);
    this.#deps.feed.record({ party, fromAgent, topic, importance, data, tag, isSilent });
  }

  /** True when it is one turn too many of the two. */
  #takesTurn(notice: Notice, agentHere: string): boolean {
    const { store, turns } = this.#deps;
    const { party, fromAgent: agentThere } = notice;
    const isKnown = this.#deps.agents.active().some(({ name }) => name === agentHere);
    if (party === OWNER_PARTY || !isKnown) return false;
    const asking = { party, agentThere, agentHere, way: 'in' } as const;
    if (openTaskOf(store.read, asking, notice.ref) !== undefined) return false;
    const isTooMany = turns.isTooMany(asking);
    turns.took(asking);
    return isTooMany;
  }

  #takersOf({ party, payload, sent }: Notice): readonly AgentRow[] {
    const { agents, store } = this.#deps;
    const routeTo = payload.route?.to ?? null;
    const audience = audienceOf(sent);
    const takes = ({ name }: AgentRow): boolean =>
      audience === undefined || agents.takesBroadcasts(name);
    const affects = audience?.affects ?? [];
    const handles = affects.length === 0 ? [] : agents.active().map(({ name }) => name);
    const affected = new Set(affects.flatMap((said) => theOnly(meantBy(said, handles))));
    const isMeant = (agent: AgentRow): boolean =>
      affects.length > 0
        ? takes(agent) && affected.has(agent.name)
        : (takes(agent) && agent.dialect === audience?.dialect) ||
          agent.topics.some((prefix) => matchesTopic(prefix, payload.topic));
    return agents
      .active()
      .filter((agent) =>
        routeTo === null ? isMeant(agent) : agent.name === routeTo && takes(agent),
      )
      .filter((agent) => store.read.countDeliveries(agent.name, ['queued']) < NOTICES_QUEUED_MAX)
      .filter((agent) => party !== `agent:${agent.name}`);
  }
}

/** A name that could be that of several agents is nobody's. */
function theOnly(handles: readonly string[]): readonly string[] {
  return handles.length === 1 ? handles : [];
}

/** Whom a message of a language is for that is for everybody; undefined: it is no such message. */
function audienceOf(
  sent: JsonObject,
): { readonly dialect: string; readonly affects: readonly string[] } | undefined {
  const origin = readOrigin(sent);
  const read = origin?.dialect.read(origin.message);
  if (origin === undefined || read?.ok !== true) return undefined;
  if (read.value.to !== EVERYBODY && read.value.isForAll !== true) return undefined;
  return { dialect: origin.dialect.name, affects: read.value.affects ?? [] };
}

/** The task of an agent here that the notice is about, such as its acceptance. */
function askedBefore(
  reads: Reads,
  { party, ref }: Pick<Notice, 'party' | 'ref'>,
): TaskRow | undefined {
  if (ref === null) return undefined;
  // Within this hub a task has the id of its message.
  return isLocal(party) ? reads.task(ref) : reads.taskByMessage('outgoing', party, ref);
}

/** Word by word: "user" takes "user.location", never "username". */
function matchesTopic(prefix: string, topic: string): boolean {
  return topic === prefix || topic.startsWith(`${prefix}.`);
}

/**
 * The hub's own word never reaches the feed. What names an agent as its sender is none, nor are the
 * plain words of a peer of the reference profile.
 */
function isOfHub({ topic, route }: NotifyPayload): boolean {
  return isHubTopic(topic) && topic !== PLAIN_TOPIC && (route?.from ?? null) === null;
}
