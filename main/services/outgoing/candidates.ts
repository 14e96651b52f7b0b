// The possible recipients with what is known of each: what it offers, how busy it is, how its last
// tasks ended, how far away it is. Reads only stored data; what is known of another hub may be five
// minutes old, as its last ping is.
import {
  chooseRecipient,
  whoCould,
  type Candidate,
  type Choice,
  type Need,
  type Obstacle,
} from '../../core/recipient-choice.ts';
import { offeredDomains, PLAIN_NAME } from '../../core/routing.ts';
import { escapeName } from '../../core/text-escape.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AgentRow, PeerRow, Store, TaskRow } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { readCapabilities } from '../admission/asking-agents.ts';
import { noBroadcasts, type AgentRegistry } from '../agents/agent-registry.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import { partyOfAgent, type Parties } from '../tasks/parties.ts';
import { JUDGED_TASKS_MAX, OFFERED_SHOWN_MAX, RECORD_LIFETIME_MS } from './limits.ts';
import { listed } from '../../lib/shortened.ts';

/** What may be sent by what is needed. */
export type SentKind = 'query' | 'delegate' | 'notify';
type Place =
  | { readonly at: 'peer'; readonly peer: PeerRow; readonly agent: string | null }
  | { readonly at: 'local'; readonly agent: string | null };
export type Recipient = Place & { readonly why: string };
interface Found extends Candidate {
  readonly place: Place;
  readonly takesBroadcasts: boolean;
}
interface TrackRecord {
  readonly succeeded: number;
  readonly failed: number;
}

export interface Somebody {
  /** As people name it. */
  readonly name: string;
  readonly place: Recipient;
  readonly isThere: boolean;
}

export interface Picked {
  readonly recipient: Recipient;
  /** Each with the reason against it. */
  readonly others: readonly Recipient[];
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly messenger: PeerMessenger;
  readonly agents: AgentRegistry;
  readonly parties: Pick<Parties, 'agentNameThere'>;
  readonly timeZone: () => string;
}

const NO_RECORD: TrackRecord = { succeeded: 0, failed: 0 };

export class Candidates {
  readonly #deps: Deps;
  #records: { readonly until: number; readonly of: ReadonlyMap<PartyKey, TrackRecord> } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @param asker who never gets its own request */
  choose(need: Need, asker: string | null, kind: SentKind): Picked | undefined {
    const choice = chooseRecipient(this.#all(need, asker, kind), need);
    return choice === undefined ? undefined : picked(choice);
  }

  /** All that offer it, and why not those that cannot be asked now. */
  everybody(need: Need, asker: string | null, kind: SentKind): readonly Somebody[] {
    const choice = chooseRecipient(this.#all(need, asker, kind), need);
    if (choice === undefined) return [];
    return [{ candidate: choice.chosen, why: choice.why }, ...choice.others].map(
      ({ candidate: { name, place, obstacle, takesBroadcasts: takes }, why }) => ({
        name,
        place: { ...place, why: takes ? why : noBroadcasts(name) },
        isThere: takes && obstacle === null,
      }),
    );
  }

  /** Sentences about those that offer it and are not there. */
  whoCould(need: Need, asker: string | null, kind: SentKind): readonly string[] {
    return whoCould(this.#all(need, asker, kind), need);
  }

  /** What may be asked for instead. */
  offered(need: Need, asker: string | null, kind: SentKind): string {
    const words = this.#all(need, asker, kind)
      .filter(({ obstacle }) => obstacle === null)
      .flatMap(({ offers }) => offers.filter((word) => PLAIN_NAME.test(word)));
    const sorted = [...new Set(words)].sort();
    return sorted.length === 0 ? 'nothing' : listed(sorted, OFFERED_SHOWN_MAX);
  }

  #all(need: Need, asker: string | null, kind: SentKind): readonly Found[] {
    const local = this.#deps.agents.active().filter(({ name }) => name !== asker);
    return [
      ...local.map((agent) => this.#local(agent, need)),
      ...this.#deps.store.read.peers().flatMap((peer) => this.#ofPeer(peer, need, kind)),
    ];
  }

  #local(agent: AgentRow, { what }: Need): Found {
    const domains = offeredDomains(agent.domains).map(({ domain }) => domain);
    return {
      name: `${agent.displayName} on this hub`,
      id: agent.name,
      offers: what === 'domain' ? domains : agent.capabilities,
      load: this.#deps.agents.presence.load(agent),
      ...this.#recordOf(partyOfAgent(agent.name)),
      roundTripMs: 0,
      obstacle: null,
      place: { at: 'local', agent: agent.name },
      takesBroadcasts: this.#deps.agents.takesBroadcasts(agent.name),
    };
  }

  #ofPeer(peer: PeerRow, need: Need, kind: SentKind): readonly Found[] {
    const told = peer.trust === 'revoked' ? undefined : readCapabilities(peer);
    if (told === undefined) return [];
    const { messenger, parties } = this.#deps;
    const pulse = messenger.pulse(peer.key);
    const shared = {
      load: pulse.load ?? 'idle',
      ...this.#recordOf(peer.key),
      roundTripMs: pulse.roundTripMs,
      obstacle: this.#obstacle(peer, kind),
    } as const;
    const place = { at: 'peer', peer } as const;
    // Names stand in sentences of ours: one that could be a sentence itself is passed over.
    const named = told.agents.filter(({ name }) => PLAIN_NAME.test(name));
    const agents = named.map((agent): Found => ({
      ...shared,
      // Made where it is shown: that takes a look at every hub for each.
      get name() {
        return `${peer.petname}/${parties.agentNameThere(escapeName(agent.name).name)}`;
      },
      id: `${peer.agentId}/${agent.name}`,
      offers: need.what === 'domain' ? agent.domains : agent.capabilities,
      place: { ...place, agent: agent.name },
      takesBroadcasts: agent.broadcasts,
    }));
    // The areas at the top stand for the hub only where it names no agents.
    if (agents.length > 0 || need.what !== 'domain') return agents;
    const { petname: name, agentId: id } = peer;
    return [
      {
        ...shared,
        name,
        id,
        offers: told.domains,
        place: { ...place, agent: null },
        takesBroadcasts: true,
      },
    ];
  }

  #obstacle(peer: PeerRow, kind: SentKind): Obstacle | null {
    const { messenger } = this.#deps;
    if (peer.trust === 'suspended') return { why: 'suspended' };
    if (!messenger.isOnline(peer.key)) return { why: 'away', since: this.#since(peer.lastSeenAt) };
    const takesTasks = messenger.features(peer.key).includes('delegate');
    return kind === 'delegate' && !takesTasks ? { why: 'takes_no_tasks' } : null;
  }

  #recordOf(party: PartyKey): TrackRecord {
    const now = this.#deps.clock.monotonicMs();
    if (this.#records === undefined || this.#records.until <= now) {
      const tasks = this.#deps.store.read.tasks({ limit: JUDGED_TASKS_MAX });
      this.#records = { until: now + RECORD_LIFETIME_MS, of: recordsIn(tasks) };
    }
    return this.#records.of.get(party) ?? NO_RECORD;
  }

  /** "14:10", with the day where it is another one; by the clock of the household. */
  #since(at: number | null): string | null {
    if (at === null) return null;
    const form = new Intl.DateTimeFormat('sv-SE', {
      dateStyle: 'short',
      timeStyle: 'short',
      timeZone: this.#deps.timeZone(),
    });
    const [day, time] = form.format(at).split(' ');
    const [today] = form.format(this.#deps.clock.wallMs()).split(' ');
    return day === today ? (time ?? null) : `${day} ${time}`;
  }
}

/**
 * How tasks ended, by the hub or the own agent that had them. What was cancelled, or declined by a
 * person or a rule, says nothing about who had it.
 */
function recordsIn(tasks: readonly TaskRow[]): ReadonlyMap<PartyKey, TrackRecord> {
  const records = new Map<PartyKey, TrackRecord>();
  for (const { direction, party, toAgent, state } of tasks) {
    const who = direction === 'outgoing' ? party : toAgent === null ? null : partyOfAgent(toAgent);
    const succeeded = Number(state === 'completed' || state === 'partial');
    const failed = Number(state === 'failed' || state === 'expired');
    if (who === null || succeeded + failed === 0) continue;
    const before = records.get(who) ?? NO_RECORD;
    records.set(who, {
      succeeded: before.succeeded + succeeded,
      failed: before.failed + failed,
    });
  }
  return records;
}

function picked({ chosen, why, others }: Choice<Found>): Picked {
  return {
    recipient: { ...chosen.place, why },
    others: others.map(({ candidate, why: against }) => ({ ...candidate.place, why: against })),
  };
}
