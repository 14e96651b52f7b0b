// What agents offer, as a dialect tells it to whoever asks: those of this hub, and those of another
// one as it told them. Pure.
import type { Offer } from '../../dialects/dialect.ts';
import { offeredDomains } from '../../core/routing.ts';
import type { AgentRow } from '../../ports/store.ts';

export interface NamedOffer extends Offer {
  readonly name: string;
}

export function offerOf({ name, domains, capabilities, channels, tools }: AgentRow): NamedOffer {
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
    examples,
  };
}

/** Of several agents, as one. */
export function together(offers: readonly Offer[]): Offer {
  const all = (words: (offer: Offer) => readonly string[]) => [...new Set(offers.flatMap(words))];
  return {
    domains: all(({ domains }) => domains),
    capabilities: all(({ capabilities }) => capabilities),
    channels: all(({ channels }) => channels),
    tools: all(({ tools }) => tools),
    examples: new Map(offers.flatMap(({ examples }) => [...examples])),
  };
}
