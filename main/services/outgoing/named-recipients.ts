// Whom a message in a dialect is for: it names an agent or a hub as its language does, or only what
// somebody must be able to do.
import { foldName } from '../../../preload/contract/agent-name.ts';
import { DOMAIN_NAME } from '../../../preload/contract/formats.ts';
import { escapeGiven } from '../../core/text-escape.ts';
import { EVERYBODY, type Reading } from '../../dialects/dialect.ts';
import { meantBy } from '../../dialects/members.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Store } from '../../ports/store.ts';
import { readCapabilities } from '../admission/asking-agents.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { SentKind } from './candidates.ts';
import type { Recipients, To } from './recipients.ts';

const NAMES_NOBODY = 'The message names nobody, and nothing that somebody must be able to do.';

interface Deps {
  readonly store: Store;
  readonly agents: AgentRegistry;
  readonly recipients: Recipients;
}

export class NamedRecipients {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * A named agent here or at a hub, a hub, or whoever does what is named.
   * @throws AppError bad_request, conflict
   */
  of(agent: string, { to, capability }: Reading, kind: SentKind): To {
    if (to === null) {
      if (capability !== null) return this.#firstOffered(ways(capability), agent, kind);
      throw new AppError('bad_request', NAMES_NOBODY, { failedBy: 'input' });
    }
    if (to === EVERYBODY || to.includes('/')) return to;
    const hub = this.#deps.store.read.peers().find(({ agentId }) => isHubId(to, agentId));
    if (hub !== undefined) return hub.agentId;
    const [first, ...others] = this.#named(agent, to);
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined)
      throw new AppError('conflict', `More than one agent is called "${escapeGiven(to)}".`, {
        failedBy: 'input',
        hint: 'Write the hub before the name, like Mum/jules.',
      });
    return this.#firstOffered(ways(to).toReversed(), agent, kind);
  }

  /** The first that somebody offers; the first of all, where nobody offers any. */
  #firstOffered(ways: readonly To[], agent: string, kind: SentKind): To {
    const [first = ''] = ways;
    return ways.find((way) => this.#isOffered(way, agent, kind)) ?? first;
  }

  #isOffered(to: To, agent: string, kind: SentKind): boolean {
    try {
      return this.#deps.recipients.resolve(to, agent, kind) !== undefined;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** An agent here goes before a hub, and a hub before what other hubs call their agents. */
  #named(agent: string, to: string): readonly string[] {
    const names = this.#deps.agents.active().map(({ name }) => name);
    const local = meantBy(
      to,
      names.filter((name) => name !== agent),
    );
    if (local.length > 0) return local.map((name) => `local/${name}`);
    const peers = this.#deps.store.read.peers().filter(({ trust }) => trust === 'paired');
    const hub = peers.find(({ petname }) => foldName(petname) === foldName(to));
    if (hub !== undefined) return [hub.agentId];
    return peers.flatMap((peer) => {
      const there = (readCapabilities(peer)?.agents ?? []).map(({ name }) => name);
      return meantBy(to, there).map((name) => `${peer.agentId}/${name}`);
    });
  }
}

/** What a word may name that names no agent: a capability, or an area. */
function ways(word: string): readonly To[] {
  return [{ capability: word }, ...(DOMAIN_NAME.test(word) ? [{ domain: word }] : [])];
}

/** The id of a hub, also as the first draft writes it: without the type of its key. */
export function isHubId(said: string, agentId: string): boolean {
  return said === agentId || `ed25519.${said}` === agentId;
}
