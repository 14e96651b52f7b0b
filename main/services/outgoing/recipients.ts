// Finds the recipient of a message: a hub by id or name, one of its agents, an agent of this hub,
// or any agent that offers what is needed. Picks, and says why; a match authorises nothing
// (PROTOCOL.md, Extensions, route/1).
import { foldName, handleMeant } from '../../../preload/contract/agent-name.ts';
import type { Need } from '../../core/recipient-choice.ts';
import type { Parties } from '../tasks/parties.ts';
import { escapeGiven, escapeName } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PeerRow, Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { readCapabilities } from '../admission/asking-agents.ts';
import type { Candidates, Picked, Recipient, SentKind, Somebody } from './candidates.ts';
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
    const handles = (): readonly string[] =>
      readCapabilities(peer)?.agents.map(({ name }) => name) ?? [];
    const shown = (name: string): string =>
      this.#deps.parties.agentNameThere(escapeName(name).name);
    return { at: 'peer', peer, agent: handleOf(agent, handles, shown), why: 'It was named.' };
  }

  /**
   * "local", "local/agent" and the same under this hub's own name, unless a paired hub has that
   * name.
   */
  #local(to: string): Recipient | undefined {
    const slash = to.indexOf('/');
    const hub = foldName(slash < 0 ? to : to.slice(0, slash));
    const agent = slash < 0 ? '' : to.slice(slash + 1).trim();
    if (hub !== 'local' && (hub !== foldName(this.#deps.hubName()) || this.#isPetname(hub)))
      return undefined;
    const { agents, store } = this.#deps;
    const active = new Map(agents.active().map((row) => [row.name, row.displayName]));
    const shown = (name: string): string => active.get(name) ?? name;
    const named = agent === '' ? null : agents.handleOf(store.read, agent);
    return {
      at: 'local',
      agent: handleOf(named, () => [...active.keys()], shown),
      why: 'It was named.',
    };
  }

  #isPetname(folded: string): boolean {
    return this.#deps.store.read
      .peers()
      .some((peer) => peer.trust !== 'revoked' && foldName(peer.petname) === folded);
  }

  /** All that offer it; none where nobody can be asked now. */
  everybody(to: Exclude<To, string>, asker: string | null, kind: SentKind): readonly Somebody[] {
    return this.#deps.candidates.everybody(needOf(to), asker, kind);
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
    const nobody = `Nobody online offers "${escapeGiven(need.word)}".`;
    const more = could.length > COULD_SHOWN_MAX ? ['There are more like these.'] : [];
    throw new AppError(
      'unknown_domain',
      [nobody, ...could.slice(0, COULD_SHOWN_MAX), ...more].join(' '),
      {
        failedBy: 'input',
        hint: `What is offered: ${candidates.offered(need, asker, kind)}.`,
      },
    );
  }
}

/**
 * The handle of an agent that was named by it or as people read it; what fits none stays as it was
 * typed. What people read is made only where no handle fits: elsewhere that takes a look at every
 * hub for each.
 */
function handleOf(
  named: string | null,
  handles: () => readonly string[],
  shown: (handle: string) => string,
): string | null {
  if (named === null) return null;
  const known = handles();
  if (known.includes(named)) return named;
  const agents = known.map((name) => ({ name, shown: shown(name) }));
  return handleMeant(named, agents) ?? named;
}

export function needOf(to: Exclude<To, string>): Need {
  return 'domain' in to
    ? { what: 'domain', word: to.domain }
    : { what: 'capability', word: to.capability };
}
