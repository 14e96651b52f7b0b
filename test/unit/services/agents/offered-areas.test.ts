// What an agent offers: areas, each with one request that it would take where it gave one.
import { describe, expect, test } from 'vitest';
import { mergeDomains, ownersAreas } from '../../../../main/services/agents/agent-profile.ts';
import type { AgentDomainRow } from '../../../../main/ports/store.ts';

const agent = (...domains: readonly AgentDomainRow[]) =>
  ({ name: 'kitchen', riskClass: 'R2', domains }) as const;
const area = (domain: string, example?: string): AgentDomainRow => ({
  domain,
  riskClass: null,
  byOwner: false,
  isOffered: true,
  ...(example === undefined ? {} : { example }),
});

describe('the example of an area', () => {
  test('is kept when the area is offered again without one, and replaced by a new one', () => {
    const had = agent(area('home', 'Is the oven off?'));
    expect(mergeDomains(had, ['home'], [], true)).toEqual([area('home', 'Is the oven off?')]);
    const next = { domain: 'home', example: 'Is anyone in?' };
    expect(mergeDomains(had, [next], [], true)).toEqual([area('home', 'Is anyone in?')]);
  });

  test('is taken away by an empty one', () => {
    const had = agent(area('home', 'Is the oven off?'));
    const bare = { domain: 'home', example: '' };
    expect(mergeDomains(had, [bare], [], true)).toEqual([area('home')]);
    expect(mergeDomains(agent(), [bare], [], false)).toEqual([area('home')]);
  });

  test('goes with the area', () => {
    const had = agent(area('home', 'Is the oven off?'));
    const without = agent(...mergeDomains(had, ['music'], [], true));
    expect(mergeDomains(without, ['home'], [], true)).toEqual([area('home')]);
  });

  test('stays when the owner rates the area', () => {
    const had = agent(area('home', 'Is the oven off?'));
    const domains = [{ domain: 'home', riskClass: 'R3' }] as const;
    expect(ownersAreas(had, { riskClass: 'R2', domains })).toEqual([
      { ...area('home', 'Is the oven off?'), riskClass: 'R3', byOwner: true },
    ]);
  });
});
