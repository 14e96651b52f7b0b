// Finds the recipient of a message: a hub by id or name, one of its agents, an agent of this hub,
// or any agent that offers what is needed. Picks, and says why; a match authorises nothing
// (PROTOCOL.md, Extensions, route/1).
import { foldName, handleMeant } from '../../../preload/contract/agent-name.ts';
import type { Need } from '../../core/recipient-choice.ts';
import type { Parties } from '../tasks/parties.ts';
import { escapeName } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PeerRow, Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { readCapabilities } from '../admission/asking-agents.ts';
import type { Candidates, Picked, Recipient, SentKind } from './candidates.ts';
import { COULD_SHOWN_MAX } from './limits.ts';

export type To = string | { readonly domain: string } | { readonly capability: string };

interface Deps {
  readonly store: Store;
  readonly candidates: Candidates;
  readonly agents: AgentRegistry;
  readonly hubName: () => string;
  readonly parties: Pick<Parties, 'agentNameThere'>;
  readonly resolvePeer: (to: string) => { readonly peer: PeerRow; readonly agent: string | null };
}

export class Recipients {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws AppError peer_not_found, pairing_required, blocked, unknown_domain */
  resolve(to: To, asker: string | null, kind: SentKind): Recipient {
    if (typeof to !== 'string') return this.pick(needOf(to), asker, kind).recipient;
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

  /**
   * The recipient and why, and the other agents that offer it, each with the reason against it.
   * @throws AppError unknown_domain
   */
  pick(need: Need, asker: string | null, kind: SentKind): Picked {
    const { candidates } = this.#deps;
    const picked = candidates.choose(need, asker, kind);
    if (picked !== undefined) return picked;
    const could = candidates.whoCould(need, asker, kind);
    const nobody = `Nobody who is there just now offers "${escapeName(need.word).name}".`;
    throw new AppError('unknown_domain', [nobody, ...could.slice(0, COULD_SHOWN_MAX)].join(' '), {
      failedBy: 'input',
      hint: `What is offered: ${candidates.offered(need, asker, kind)}.`,
    });
  }
}

/** One that is not known stays as it was named. */
function handleOf(
  named: string | null,
  agents: readonly { readonly name: string; readonly shown: string }[],
): string | null {
  return named === null ? null : (handleMeant(named, agents) ?? named);
}

export function needOf(to: Exclude<To, string>): Need {
  return 'domain' in to
    ? { what: 'domain', word: to.domain }
    : { what: 'capability', word: to.capability };
}
