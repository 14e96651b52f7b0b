// That no change to the agents takes requests out of the adults' sight: every write of what an agent is goes through here (when it last called
// does not), is compared with what was there, and what it takes away is remembered, so that it does not come back at a lower class. Never
// decides about a request (PROTOCOL.md, Consent).
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { AreaClasses } from '../../core/area-classes.ts';
import { higherRisk, riskOf } from '../../core/risk.ts';
import { RoutingTable } from '../../core/routing.ts';
import type { AgentRow, Reads, Tables } from '../../ports/store.ts';
import type { AreasInSight } from './agent-profile.ts';
import { AgentsChange } from './agents-change.ts';
import type { ConsentGuard, ConsentSetting } from './consent-guard.ts';
import { classesIn, EVERYTHING, readRemembered, writeRemembered, type Remembered } from './consent-memory.ts';

/** Nobody but the people here decides. */
const NOT_IN_SIGHT: AreasInSight = { floorOf: () => null, isKept: () => false };

export class ConsentAreas {
  readonly #guard: Pick<ConsentGuard, 'setting'>;

  constructor(guard: Pick<ConsentGuard, 'setting'>) {
    this.#guard = guard;
  }

  /**
   * As far as the adults decide about areas now, for one look at many of them. The floor of an area is the highest class of that area, one above
   * it or one inside it, at any agent there is or was, and of who gets what lies in nobody's area; what stays with an agent keeps its class.
   * @param agent whose areas they are; undefined: it is new
   */
  inSight(reads: Reads, agent?: AgentRow): AreasInSight {
    const setting = this.#guard.setting(reads);
    if (setting === null) return NOT_IN_SIGHT;
    const isSeen = seenFrom(setting);
    const agents = reads.agents();
    const remembered = readRemembered(reads);
    const everything = remembered.areas === EVERYTHING ? setting.from : null;
    const had = agents.flatMap((row) => row.domains.map(({ domain }) => [domain, riskOf(row, domain).riskClass] as const));
    const seen = new AreaClasses([...had, ...classesIn(remembered.areas)].filter(([, riskClass]) => isSeen(riskClass)));
    const table = new RoutingTable(agents);
    const rest = highestOf(restOf(agents, table, remembered).filter(isSeen));
    return {
      floorOf: (domain) => highestOf([seen.touching(domain), table.byDomain(domain) ? null : rest, everything]),
      isKept: ({ domain }) => agent !== undefined && isSeen(riskOf(agent, domain).riskClass),
    };
  }

  /**
   * Writes the agents down, inside a commit, where that takes nothing out of the adults' sight; what is taken away is remembered.
   * @param changed rows as they are to be @param removed an agent that goes
   * @throws AppError blocked
   */
  write(tables: Tables, changed: readonly AgentRow[], removed?: AgentRow): void {
    const change = this.#changeOf(tables, changed, removed);
    change?.check();
    if (change !== undefined) writeRemembered(tables, change.remembered());
    for (const row of changed) tables.putAgent(row);
    if (removed !== undefined) tables.deleteAgent(removed.name);
  }

  /** Whether `write` would. @throws AppError blocked */
  check(reads: Reads, changed: readonly AgentRow[], removed?: AgentRow): void {
    this.#changeOf(reads, changed, removed)?.check();
  }

  #changeOf(reads: Reads, changed: readonly AgentRow[], removed: AgentRow | undefined): AgentsChange | undefined {
    const setting = this.#guard.setting(reads);
    if (setting === null) return undefined;
    const isSeen = seenFrom(setting);
    return new AgentsChange({ before: reads.agents(), changed, removed, remembered: readRemembered(reads), isSeen });
  }
}

/** Whether what is of a class is in the adults' sight, looked up once for many. */
function seenFrom({ from }: ConsentSetting): (riskClass: RiskClass) => boolean {
  return (riskClass) => higherRisk(riskClass, from) === riskClass;
}

/** The classes of who gets, or got, what lies in nobody's area. */
function restOf(agents: readonly AgentRow[], table: RoutingTable<AgentRow>, { rest, capabilities }: Remembered): readonly RiskClass[] {
  const words = [null, ...agents.flatMap((agent) => agent.capabilities)];
  const doers = new Set(words.flatMap((capability) => table.withoutDomain(capability)?.agent ?? []));
  const now = [...doers].map((agent) => riskOf(agent, null).riskClass);
  return [...now, ...(rest === null ? [] : [rest]), ...classesIn(capabilities).map(([, riskClass]) => riskClass)];
}

function highestOf(classes: readonly (RiskClass | null | undefined)[]): RiskClass | null {
  return classes.reduce<RiskClass | null>((highest, next) => (next && highest ? higherRisk(highest, next) : (next ?? highest)), null);
}
