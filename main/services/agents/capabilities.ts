// What this hub says of its agents to others: the `capabilities` and `pong` payloads (PROTOCOL.md,
// Kinds and payloads, route/1). Only what the agents themselves declared; never a risk class, a
// token or a person's name.
import { createHash } from 'node:crypto';
import { offeredDomains } from '../../core/routing.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { AgentRow, Store } from '../../ports/store.ts';
import { CAPABILITIES, CAPABILITIES_TOPIC } from '../../protocol/kinds.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import type { AgentRegistry } from './agent-registry.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly messenger: PeerMessenger;
  readonly agents: AgentRegistry;
  readonly hubName: () => string;
}

const REVISION_HEX_CHARACTERS = 16;
/** Of all agents together; with the rest it is less than an envelope may have. */
const DESCRIBED_MAX_BYTES = 30_000;

export class Capabilities {
  readonly #deps: Deps;
  readonly #startedAtMs: number;
  /** The revision that other hubs were last told of, or can have asked for. */
  #announcedRev: unknown;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#startedAtMs = deps.clock.monotonicMs();
  }

  /**
   * The union of what the agents offer at the top, each agent below, and `rev`, which changes with
   * any of it. Agents that no longer fit into one message are left out.
   */
  payload(): JsonObject {
    const registry = this.#deps.agents;
    const described = (agent: AgentRow): JsonObject => ({
      ...offered(agent),
      ...(registry.takesBroadcasts(agent.name) ? {} : { broadcasts: false }),
    });
    const all = registry.active();
    const agents = fitting(all, described);
    const more = all.length - agents.length;
    const union = (words: (agent: AgentRow) => readonly string[]) =>
      [...new Set(agents.flatMap(words))].sort();
    const models = union((agent) => (agent.model === null ? [] : [agent.model]));
    const content = {
      agent_name: this.#deps.hubName(),
      domains: union((agent) => offeredDomains(agent.domains).map(({ domain }) => domain)),
      channels: union((agent) => agent.channels),
      tools: union((agent) => agent.tools),
      max_concurrent_tasks: agents.reduce((sum, agent) => sum + agent.concurrency, 0),
      ...(models.length === 1 ? { model: models[0] } : {}),
      agents: agents.map(described),
      ...(more === 0 ? {} : { more_agents: more }),
    };
    const rev = createHash('sha256')
      .update(canonicalJson(content))
      .digest('hex')
      .slice(0, REVISION_HEX_CHARACTERS);
    return { ...content, rev };
  }

  /** From now on a change is one against this. */
  start(): void {
    this.#announcedRev = this.payload().rev;
  }

  /** Tells the hubs that are online, if what is offered here is not what it was. */
  announce(): void {
    const { store, messenger, random } = this.#deps;
    const { rev } = this.payload();
    if (rev === this.#announcedRev) return;
    this.#announcedRev = rev;
    const payload = { topic: CAPABILITIES_TOPIC, data: { rev } };
    for (const { key, trust } of store.read.peers()) {
      const isTold = trust === 'paired' && messenger.extensions(key).includes(CAPABILITIES);
      // One that does not hear it asks again by itself.
      if (isTold && messenger.isOnline(key))
        void messenger.send(key, { id: random.uuid(), kind: 'notify', ref: null, payload });
    }
  }

  /**
   * The status of the least busy online agent and the sum of what all are doing; or of one alone.
   */
  pong(agent: string | null = null): JsonObject {
    const { store, clock, agents, hubName } = this.#deps;
    const active = agents.active().filter(({ name }) => agent === null || name === agent);
    const loads = new Set(active.map((agent) => agents.presence.load(agent)));
    const running = active.map(({ name }) =>
      store.read.countDeliveries(name, ['claimed', 'running']),
    );
    return {
      status: (['idle', 'busy', 'overloaded'] as const).find((load) => loads.has(load)) ?? 'idle',
      uptime_secs: Math.floor((clock.monotonicMs() - this.#startedAtMs) / 1_000),
      active_tasks: running.reduce((sum, count) => sum + count, 0),
      agent_name: agent ?? hubName(),
    };
  }
}

function offered(agent: AgentRow): JsonObject {
  const domains = offeredDomains(agent.domains);
  return {
    name: agent.name,
    domains: domains.map(({ domain }) => domain),
    examples: Object.fromEntries(
      domains.flatMap(({ domain, example }) => (example === undefined ? [] : [[domain, example]])),
    ),
    capabilities: agent.capabilities,
    channels: agent.channels,
    tools: agent.tools,
    max_concurrent_tasks: agent.concurrency,
    ...(agent.model === null ? {} : { model: agent.model }),
  };
}

/** What each offers stands in the message twice: at the top as well. */
function fitting(
  agents: readonly AgentRow[],
  described: (agent: AgentRow) => JsonObject,
): readonly AgentRow[] {
  let left = DESCRIBED_MAX_BYTES;
  return agents.filter((agent) => {
    const size = Buffer.byteLength(JSON.stringify(described(agent)));
    if (size > left) return false;
    left -= size;
    return true;
  });
}
