// The card of each agent, and the list of the cards. What another hub says of itself stands in its
// own fields, and in no sentence of this one.
import type { AgentDto, PeerDto } from '../../../preload/contract/dto.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { pathOf, type Address } from './addresses.ts';

export const CARD_PATH = '/.well-known/agent-card.json';
export const A2A_VERSION = '1.0';

interface Skill {
  readonly domain: string;
  readonly example: string | undefined;
}

export interface Shown {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly Skill[];
}

export interface Listed {
  readonly name: string;
  readonly address: Address;
}

export function cardOf(
  shown: Shown,
  address: Address,
  origin: string,
  version: string,
): JsonObject {
  const url = `${origin}${pathOf(address)}`;
  const TEXT = 'text/plain';
  const DATA = 'application/json';
  return {
    name: shown.name,
    description: shown.description,
    version,
    supportedInterfaces: (['JSONRPC', 'HTTP+JSON'] as const).map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion: A2A_VERSION,
    })),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: {
      agentToken: {
        httpAuthSecurityScheme: {
          scheme: 'Bearer',
          description: 'The token of an agent of this hub.',
        },
      },
    },
    securityRequirements: [{ schemes: { agentToken: { list: [] } } }],
    defaultInputModes: [TEXT, DATA],
    defaultOutputModes: [TEXT, DATA],
    skills: shown.skills.map(({ domain, example }) => ({
      id: domain,
      name: domain,
      description: `Put {"domain": "${domain}"} into the metadata of the message.`,
      tags: domain.split('.'),
      ...(example === undefined ? {} : { examples: [example] }),
    })),
  };
}

export function shownHere({ display_name: name, domains }: AgentDto, hub: string): Shown {
  return {
    name,
    description: `An agent of ${hub}. A person there may have to allow a task first.`,
    skills: domains
      .filter(({ offered }) => offered !== false)
      .map(({ domain, example }) => ({ domain, example })),
  };
}

/** undefined: that hub has no such agent, as far as it told. */
export function shownThere(peer: PeerDto, agent: string | null): Shown | undefined {
  const told = peer.capabilities?.untrusted;
  const description =
    'Reached by way of another hub. A person there may have to allow a task first.';
  if (agent === null) {
    const skills = (told?.domains ?? []).map((domain) => ({ domain, example: undefined }));
    return { name: peer.name, description, skills };
  }
  const found = told?.agents.find(({ name }) => name === agent);
  if (found === undefined) return undefined;
  const exampleFor = (area: string): string | undefined =>
    found.examples.find(({ domain }) => domain === area)?.example;
  return {
    name: found.display_name,
    description,
    skills: found.domains.map((domain) => ({ domain, example: exampleFor(domain) })),
  };
}

/** Who can be asked, but for the asker. */
export function listedFrom(
  agents: readonly AgentDto[],
  peers: readonly PeerDto[],
  asker: string,
): readonly Listed[] {
  const here = agents
    .filter(({ name }) => name !== asker)
    .map(({ name, display_name: shown }): Listed => ({
      name: shown,
      address: { at: 'here', agent: name },
    }));
  const there = peers.flatMap(({ id, name, capabilities }): readonly Listed[] => [
    { name, address: { at: 'peer', hub: id, agent: null } },
    ...(capabilities?.untrusted.agents ?? []).map((agent) => ({
      name: `${name}/${agent.display_name}`,
      address: { at: 'peer', hub: id, agent: agent.name } as const,
    })),
  ]);
  return [...here, ...there];
}
