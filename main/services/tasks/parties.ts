// Names for the other party of a task: the owner's own name for a hub, or this hub's name when one
// of its agents asks. Also names for agents: the name given here, or the handle made readable.
// Reads only; nothing here authorises anything.
import { readableHandle } from '../../../preload/contract/agent-name.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { PeerRow, Reads, Store } from '../../ports/store.ts';
import { PERSON_THERE } from '../../protocol/remote-approval.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { agentNameThere } from '../links/peer-names.ts';

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
  readonly #hubName: () => string;
  readonly #personName: () => string | null;

  constructor(deps: {
    readonly store: Store;
    readonly hubName: () => string;
    readonly personName: () => string | null;
  }) {
    this.#store = deps.store;
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
    if (isLocal(party))
      return this.#store.read.agent(handle)?.displayName ?? readableHandle(handle);
    return this.agentNameThere(handle);
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
