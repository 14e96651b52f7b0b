// Who a message is for: a hub by id or name, one of its agents, an agent of this hub, or whoever
// does what is needed. Picks, and says why; a match authorises nothing (PROTOCOL.md, Extensions,
// route/1).
import { foldName, handleMeant } from '../../../preload/contract/agent-name.ts';
import { longestDomain, offeredDomains } from '../../core/routing.ts';
import type { Parties } from '../tasks/parties.ts';
import { escapeName } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PeerRow, Store } from '../../ports/store.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { readCapabilities } from '../admission/asking-agents.ts';

export type To = string | { readonly domain: string } | { readonly capability: string };
export type Recipient =
  | {
      readonly at: 'peer';
      readonly peer: PeerRow;
      readonly agent: string | null;
      readonly why: string;
    }
  | { readonly at: 'local'; readonly agent: string | null; readonly why: string };

interface Deps {
  readonly store: Store;
  readonly messenger: PeerMessenger;
  readonly agents: AgentRegistry;
  readonly hubName: () => string;
  readonly parties: Pick<Parties, 'agentNameThere'>;
  readonly resolvePeer: (to: string) => { readonly peer: PeerRow; readonly agent: string | null };
}

/** How well somebody fits: exact over prefix, the longer prefix over the shorter. */
interface Fit {
  readonly exact: boolean;
  readonly length: number;
  readonly word: string;
}
interface Candidate {
  readonly recipient: Recipient;
  readonly fit: Fit;
  readonly rank: string;
}
type Need = { readonly what: 'domain' | 'capability'; readonly word: string };

export class Recipients {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws AppError peer_not_found, pairing_required, blocked, unknown_domain */
  resolve(to: To, asker: string | null): Recipient {
    if (typeof to !== 'string')
      return this.#pick(
        'domain' in to
          ? { what: 'domain', word: to.domain }
          : { what: 'capability', word: to.capability },
        asker,
      );
    const local = this.#local(to);
    if (local !== undefined) return local;
    const { peer, agent } = this.#deps.resolvePeer(to);
    const agents =
      readCapabilities(peer)?.agents.map(({ name }) => ({
        name,
        shown: this.#deps.parties.agentNameThere(escapeName(name).name),
      })) ?? [];
    return { at: 'peer', peer, agent: handleOf(agent, agents), why: 'It was named.' };
  }

  /**
   * "local", "local/agent" and the same under this hub's own name, unless a paired hub has that
   * name.
   */
  #local(to: string): Recipient | undefined {
    const slash = to.indexOf('/');
    const hub = foldName(slash < 0 ? to : to.slice(0, slash));
    const agent = slash < 0 ? '' : to.slice(slash + 1).trim();
    const own = foldName(this.#deps.hubName());
    const taken = this.#deps.store.read
      .peers()
      .some((peer) => peer.trust !== 'revoked' && foldName(peer.petname) === hub);
    if (hub !== 'local' && (hub !== own || taken)) return undefined;
    const agents = this.#deps.agents
      .active()
      .map(({ name, displayName }) => ({ name, shown: displayName }));
    return {
      at: 'local',
      agent: handleOf(agent === '' ? null : agent, agents),
      why: 'It was named.',
    };
  }

  #pick(need: Need, asker: string | null): Recipient {
    const candidates = [...this.#localCandidates(need, asker), ...this.#peerCandidates(need)].sort(
      byFit,
    );
    const best = candidates[0];
    if (best) return best.recipient;
    throw new AppError(
      'unknown_domain',
      `Nobody who is there just now offers "${escapeName(need.word).name}".`,
      {
        failedBy: 'input',
        hint: `What is offered: ${this.#offered(need, asker)}.`,
      },
    );
  }

  #localCandidates(need: Need, asker: string | null): readonly Candidate[] {
    return this.#deps.agents.active().flatMap((agent) => {
      if (agent.name === asker) return [];
      const words =
        need.what === 'domain'
          ? offeredDomains(agent.domains).map(({ domain }) => domain)
          : agent.capabilities;
      const fit = bestFit(words, need);
      if (!fit) return [];
      return [
        {
          fit,
          rank: `0 ${agent.name}`,
          recipient: {
            at: 'local',
            agent: agent.name,
            why: `${agent.displayName} on this hub offers "${fit.word}".`,
          },
        },
      ];
    });
  }

  #peerCandidates(need: Need): readonly Candidate[] {
    const { store, messenger } = this.#deps;
    return store.read.peers().flatMap((peer): readonly Candidate[] => {
      const capabilities =
        peer.trust === 'paired' && messenger.isOnline(peer.key)
          ? readCapabilities(peer)
          : undefined;
      if (!capabilities) return [];
      const offers = capabilities.agents.flatMap((agent) => {
        const fit = bestFit(need.what === 'domain' ? agent.domains : agent.capabilities, need);
        return fit ? [{ agent: agent.name, fit }] : [];
      });
      const general = need.what === 'domain' ? bestFit(capabilities.domains, need) : undefined;
      const best = [...offers, ...(general ? [{ agent: null, fit: general }] : [])].sort(
        (first, second) => compareFit(first.fit, second.fit),
      )[0];
      if (!best) return [];
      const why = `${peer.petname} offers "${best.fit.word}".`;
      return [
        {
          fit: best.fit,
          rank: `1 ${peer.agentId}`,
          recipient: { at: 'peer', peer, agent: best.agent, why },
        },
      ];
    });
  }

  #offered(need: Need, asker: string | null): string {
    const words = new Set<string>();
    for (const agent of this.#deps.agents.active()) {
      if (agent.name === asker) continue;
      for (const word of need.what === 'domain'
        ? offeredDomains(agent.domains).map(({ domain }) => domain)
        : agent.capabilities)
        words.add(word);
    }
    for (const peer of this.#deps.store.read.peers()) {
      if (!this.#deps.messenger.isOnline(peer.key)) continue;
      const capabilities = readCapabilities(peer);
      for (const agent of capabilities?.agents ?? [])
        for (const word of need.what === 'domain' ? agent.domains : agent.capabilities)
          words.add(escapeName(word).name);
    }
    return words.size === 0 ? 'nothing' : [...words].sort().slice(0, OFFERED_SHOWN_MAX).join(', ');
  }
}

/** One that is not known stays as it was named. */
function handleOf(
  named: string | null,
  agents: readonly { readonly name: string; readonly shown: string }[],
): string | null {
  return named === null ? null : (handleMeant(named, agents) ?? named);
}

/** Names in a hint; more would only fill the screen. */
const OFFERED_SHOWN_MAX = 20;

function bestFit(words: readonly string[], need: Need): Fit | undefined {
  if (need.what === 'domain') {
    const found = longestDomain(
      words.map((domain) => ({ domain })),
      need.word,
    );
    return (
      found && {
        exact: found.domain === need.word,
        length: found.domain.length,
        word: found.domain,
      }
    );
  }
  const found = words
    .filter((word) => word !== '' && (need.word === word || need.word.startsWith(`${word}.`)))
    .sort((first, second) => second.length - first.length)[0];
  return found === undefined
    ? undefined
    : { exact: found === need.word, length: found.length, word: escapeName(found).name };
}

function compareFit(first: Fit, second: Fit): number {
  return Number(second.exact) - Number(first.exact) || second.length - first.length;
}

function byFit(first: Candidate, second: Candidate): number {
  return compareFit(first.fit, second.fit) || (first.rank < second.rank ? -1 : 1);
}
