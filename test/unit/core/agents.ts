// Agents for the tests of routing and risk.
import type { AgentRow } from '../../../main/ports/store.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';

export function agent(name: string, change: Partial<AgentRow> = {}): AgentRow {
  return {
    name,
    displayName: name,
    dialect: 'axon',
    state: 'active',
    riskClass: 'R2',
    classByOwner: true,
    domains: [],
    capabilities: [],
    channels: [],
    tools: [],
    topics: [],
    model: null,
    concurrency: 1,
    isDefault: false,
    createdAt: 0,
    lastCallAt: null,
    ...change,
  };
}

export function domains(
  ...entries: readonly (string | readonly [string, RiskClass])[]
): AgentRow['domains'] {
  return entries.map((entry) =>
    typeof entry === 'string'
      ? { domain: entry, riskClass: null, byOwner: false, isOffered: true }
      : { domain: entry[0], riskClass: entry[1], byOwner: true, isOffered: true },
  );
}
