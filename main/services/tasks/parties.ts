// Names for the other party of a task: the owner's own name for a hub, or this hub's name when one
// of its agents asks. Also names for agents: the name given here, or the handle made readable.
// Nothing here authorises anything.
//
// Agents of this hub that share a name: a handle is never given out twice, and whoever is connected
// under the name of a removed agent gets the next one, such as "chat-2". Which name that was is
// known here, and of a removed agent how people called it and until when.
import * as v from 'valibot';
import { readableHandle } from '../../../preload/contract/agent-name.ts';
import type { DeliveryDto, UiSnapshot } from '../../../preload/contract/dto.ts';
import { removedAgentName } from '../../../preload/contract/strings/records.ts';
import { StoredValue } from '../../lib/stored-value.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PeerRow, Reads, Store, Tables } from '../../ports/store.ts';
import { PERSON_THERE } from '../../protocol/remote-approval.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { agentNameThere } from '../links/peer-names.ts';
import { GENERATIONS_MAX } from './limits.ts';

const GENERATION = v.strictObject({
  handle: v.string(),
  /** The name that it was connected under. */
  asked: v.string(),
  /** Null while it is here. Times are wall clock; null where nobody wrote the time down. */
  removed: v.nullable(v.strictObject({ shown: v.string(), at: v.nullable(v.number()) })),
});
export type AgentGeneration = Readonly<v.InferOutput<typeof GENERATION>>;
const GENERATIONS = new StoredValue<readonly AgentGeneration[]>(
  'agent_generations',
  v.array(GENERATION),
  [],
);

const AGENT_PREFIX = 'agent:';
/**
 * A person of this household who sends something from a page or a terminal; no agent can have this
 * name.
 */
export const OWNER_PARTY: PartyKey = PERSON_THERE;

export function partyOfAgent(name: string | null): PartyKey {
  return name === null ? OWNER_PARTY : `agent:${name}`;
}

/** The agent of this hub; null for a hub and for a person. */
export function agentOfParty(party: PartyKey): string | null {
  return isLocal(party) && party !== OWNER_PARTY ? party.slice(AGENT_PREFIX.length) : null;
}

/** True for an agent (or the owner) of this hub. */
export function isLocal(party: PartyKey): boolean {
  return party.startsWith(AGENT_PREFIX);
}

/** True for this hub itself and for a hub that is paired now. */
export function isTrusted(reads: Reads, party: PartyKey): boolean {
  return isLocal(party) || reads.peer(party)?.trust === 'paired';
}

/** True for a hub that was removed here, and for one whose pairing did not come to be. */
export function isRemoved(reads: Reads, party: PartyKey): boolean {
  const trust = isLocal(party) ? 'paired' : reads.peer(party)?.trust;
  return trust === undefined || trust === 'revoked';
}

export class Parties {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #hubName: () => string;
  readonly #personName: () => string | null;

  constructor(deps: {
    readonly store: Store;
    readonly clock: Pick<Clock, 'wallMs'>;
    readonly hubName: () => string;
    readonly personName: () => string | null;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#hubName = deps.hubName;
    this.#personName = deps.personName;
  }

  /** undefined for this hub's own agents, and for a key that was never paired. */
  peer(party: PartyKey): PeerRow | undefined {
    return isLocal(party) ? undefined : this.#store.read.peer(party);
  }

  nameOf(party: PartyKey): string {
    return this.#nameOf(party, this.peer(party));
  }

  /** Names that people know hubs by: this one and all that are not removed. */
  hubNames(reads: Reads = this.#store.read): readonly string[] {
    const peers = reads.peers().filter(({ trust }) => trust !== 'revoked');
    return [this.#hubName(), ...peers.map(({ petname }) => petname)];
  }

  /** An agent of that party as people read it. @param handle as it is stored, escaped */
  agentName(party: PartyKey, handle: string): string {
    if (!isLocal(party)) return this.agentNameThere(handle);
    const { read } = this.#store;
    return read.agent(handle)?.displayName ?? this.#removedName(handle) ?? readableHandle(handle);
  }

  /** undefined: no agent of this handle is known to have been removed. */
  #removedName(handle: string): string | undefined {
    const removed = generationOf(this.#store.read, handle)?.removed;
    return removed == null
      ? undefined
      : removedAgentName(removed.shown, removed.at, this.#clock.wallMs());
  }

  /** Agents that were removed here, as people read them. */
  removedAgents(): UiSnapshot['removed_agents'] {
    return readGenerations(this.#store.read)
      .filter(({ removed }) => removed !== null)
      .map(({ handle }) => ({ name: handle, display_name: this.agentName(OWNER_PARTY, handle) }));
  }

  /** As agentName, for an agent of any other hub. */
  agentNameThere(handle: string): string {
    return agentNameThere(handle, [...this.hubNames(), ...this.#people()]);
  }

  /** Names that the owner knows people by: whoever is here, and those of the other hubs. */
  #people(): readonly string[] {
    const { read } = this.#store;
    const people = [this.#personName(), ...read.peers().map(({ person }) => person)];
    return people.filter((person) => person !== null);
  }

  /** The person there: as the owner calls them, or of this hub where one asks at a page. */
  personOf(party: PartyKey): string | null {
    return party === OWNER_PARTY ? this.#personName() : (this.peer(party)?.person ?? null);
  }

  agentIdOf(party: PartyKey): string | null {
    return this.peer(party)?.agentId ?? null;
  }

  /** An agent of that party where one is named, for a message of it. */
  named(
    party: PartyKey,
    handle: string | null,
  ): Pick<DeliveryDto['untrusted']['origin'], 'from_agent' | 'from_agent_name'> {
    if (handle === null) return { from_agent: null };
    return { from_agent: handle, from_agent_name: this.agentName(party, handle) };
  }

  trustOf(party: PartyKey): DeliveryDto['trust'] {
    const peer = this.peer(party);
    return {
      peer_id: peer?.agentId ?? null,
      peer_name: this.#nameOf(party, peer),
      paired_at: peer?.pairedAt ?? null,
    };
  }

  #nameOf(party: PartyKey, peer: PeerRow | undefined): string {
    return isLocal(party) ? this.#hubName() : (peer?.petname ?? 'A removed hub');
  }
}

/** The removed agents, and those that are here under another handle than they asked for. */
export function readGenerations(reads: Pick<Reads, 'getMeta'>): readonly AgentGeneration[] {
  return GENERATIONS.read(reads);
}

export function generationOf(
  reads: Pick<Reads, 'getMeta'>,
  handle: string,
): AgentGeneration | undefined {
  return readGenerations(reads).find((one) => one.handle === handle);
}

/** The name that an agent was connected under. */
export function askedNameOf(reads: Pick<Reads, 'getMeta'>, handle: string): string {
  return generationOf(reads, handle)?.asked ?? handle;
}

export function putGeneration(tables: Tables, generation: AgentGeneration): void {
  const others = readGenerations(tables).filter(({ handle }) => handle !== generation.handle);
  GENERATIONS.write(tables, [...others, generation].slice(-GENERATIONS_MAX));
}
