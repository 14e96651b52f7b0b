// What agents offer, as a language writes it: those of this hub and of others. Pure.
import { offeredDomains } from '../../core/routing.ts';
import type { Offer } from '../../dialects/dialect.ts';
import type { AgentRow } from '../../ports/store.ts';
import type { PeerAgentPayload } from '../../protocol/payloads.ts';

interface NamedOffer extends Offer {
  readonly name: string;
}

export function offerOf({
  name,
  domains,
  capabilities,
  channels,
  tools,
  concurrency,
  model,
}: AgentRow): NamedOffer {
  const offered = offeredDomains(domains);
  const examples = new Map(
    offered.flatMap(({ domain, example }) => (example === undefined ? [] : [[domain, example]])),
  );
  return {
    name,
    domains: offered.map(({ domain }) => domain),
    capabilities,
    channels,
    tools,
    tasksAtOnce: concurrency,
    model,
    examples,
  };
}

export function offerThere({
  max_concurrent_tasks: tasksAtOnce,
  ...offer
}: PeerAgentPayload): NamedOffer {
  return { ...offer, tasksAtOnce };
}

/** Of several agents, as one. */
export function together(offers: readonly Offer[]): Offer {
  const models = [...new Set(offers.flatMap(({ model }) => model ?? []))];
  const all = (words: (offer: Offer) => readonly string[]) => [...new Set(offers.flatMap(words))];
  return {
    domains: all(({ domains }) => domains),
    capabilities: all(({ capabilities }) => capabilities),
    channels: all(({ channels }) => channels),
    tools: all(({ tools }) => tools),
    tasksAtOnce: offers.some(({ tasksAtOnce }) => tasksAtOnce === null)
      ? null
      : offers.reduce((sum, { tasksAtOnce }) => sum + (tasksAtOnce ?? 0), 0),
    model: models.length === 1 ? (models[0] ?? null) : null,
    examples: new Map(offers.flatMap(({ examples }) => [...examples])),
  };
}
