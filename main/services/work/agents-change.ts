// One change to the agents, before and after: whether it takes a request out of the adults' sight, and what it leaves to nobody. Compares every
// request that makes a difference, whoever it names: an area, a capability, or nothing, in which case the default agent gets it. Pure; never
// decides about a request (PROTOCOL.md, Consent).
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { higherRisk, riskOf } from '../../core/risk.ts';
import { beginningsOf, domainsAbove, RoutingTable } from '../../core/routing.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AgentRow } from '../../ports/store.ts';
import { classesIn, EVERYTHING, withMore, type Classes, type Remembered } from './consent-memory.ts';

/** An area and those it lies in, the longest first; empty: a request about none. */
type Path = readonly string[];
type IsSeen = (riskClass: RiskClass) => boolean;

/** An agent as it was and as it is to be; undefined: there is none. */
interface Change {
  readonly before: AgentRow | undefined;
  readonly after: AgentRow | undefined;
}

interface Given {
  readonly before: readonly AgentRow[];
  readonly changed: readonly AgentRow[];
  readonly removed?: AgentRow | undefined;
  readonly remembered: Remembered;
  /** Whether the adults decide about what is of this class. */
  readonly isSeen: IsSeen;
}

/** Who got and who gets what lies in nobody's area, for a capability; undefined: nobody. */
interface Fallback {
  readonly capability: string | null;
  readonly from: Pick<AgentSight, 'isSeen'> | undefined;
  readonly to: AgentSight | undefined;
}

export class AgentsChange {
  readonly #given: Given;
  readonly #changes: readonly Change[];
  readonly #from: RoutingTable<AgentRow>;
  readonly #to: RoutingTable<AgentRow>;
  readonly #sights = new Map<AgentRow, AgentSight>();
  /** Every area that somebody has or had. Of what lies in one of them and in no longer one, the same holds as of that one. */
  readonly #areas: ReadonlyMap<string, Path>;
  /** The same of capabilities, and null: none is named. */
  readonly #capabilities: ReadonlySet<string | null>;

  constructor(given: Given) {
    const { before, changed, removed, remembered } = given;
    const untouched = before.filter(({ name }) => name !== removed?.name && !changed.some((row) => row.name === name));
    this.#given = given;
    this.#changes = [
      ...changed.map((after) => ({ before: before.find(({ name }) => name === after.name), after })),
      ...(removed === undefined ? [] : [{ before: removed, after: undefined }]),
    ];
    this.#from = new RoutingTable(before);
    this.#to = new RoutingTable([...untouched, ...changed]);
    const rows = [...before, ...changed];
    const areas = [
      ...rows.flatMap(({ domains }) => domains.map(({ domain }) => domain)),
      ...classesIn(remembered.areas).map(([area]) => area),
    ];
    this.#areas = new Map(areas.map((area) => [area, domainsAbove(area)]));
    this.#capabilities = new Set([
      null,
      ...rows.flatMap(({ capabilities }) => capabilities),
      ...classesIn(remembered.capabilities).map(([word]) => word),
    ]);
  }

  /** @throws AppError blocked where something of it would go out of the adults' sight */
  check(): void {
    for (const change of this.#changes) this.#checkClasses(change);
    this.#checkRouting();
  }

  /** What is to be remembered from now on: with what was in sight and is left to nobody by this. */
  remembered(): Remembered {
    const { remembered, isSeen } = this.#given;
    const areas = this.#changes.flatMap(({ before, after }) => {
      const now = after && this.#sightOf(after);
      return (before?.domains ?? []).flatMap(({ domain }): [string, RiskClass][] => {
        const path = domainsAbove(domain);
        return before === undefined || now?.has(path) === true ? [] : [[domain, this.#sightOf(before).classAt(path)]];
      });
    });
    const capabilities: [string, RiskClass][] = [];
    let { rest } = remembered;
    for (const capability of this.#capabilities) {
      const from = this.#from.withoutDomain(capability)?.agent;
      if (from === undefined || this.#to.withoutDomain(capability) !== undefined) continue;
      const given = this.#sightOf(from).classAt([]);
      if (!isSeen(given)) continue;
      if (capability === null) rest = higherRisk(given, rest ?? given);
      else capabilities.push([capability, given]);
    }
    return {
      areas: withMore(
        remembered.areas,
        areas.filter(([, riskClass]) => isSeen(riskClass)),
      ),
      capabilities: withMore(remembered.capabilities, capabilities),
      rest,
    };
  }

  /** No class of the agent itself is lowered, and no area comes to it below what it is at another agent, or was. */
  #checkClasses({ before, after }: Change): void {
    if (after === undefined) return;
    const { isSeen } = this.#given;
    if (!isSeen(after.riskClass) && (before === undefined || isSeen(before.riskClass))) throw lowered();
    const was = before && this.#sightOf(before);
    const now = this.#sightOf(after);
    for (const [area, path] of this.#areas) {
      if (now.isSeen(path)) continue;
      const isLowered = was?.has(path) === true ? was.isSeen(path) : now.has(path) && this.#wasSeen(path);
      if (isLowered) throw lowered(area);
    }
  }

  /** What goes to an agent in the adults' sight, or was taken away there, does not pass to one that does it out of their sight. */
  #checkRouting(): void {
    const fallbacks = this.#fallbacks();
    const moved = fallbacks.filter(({ from, to }) => from !== to);
    for (const fallback of moved) this.#checkPassing(null, [], fallback);
    for (const [area, path] of this.#areas) {
      const from = this.#doerIn(this.#from, area);
      const to = this.#doerIn(this.#to, area);
      if (from && to) this.#checkPassing(area, path, { capability: null, from, to });
      else
        for (const rest of from || to ? fallbacks : moved)
          this.#checkPassing(area, path, { ...rest, from: from ?? rest.from, to: to ?? rest.to });
    }
  }

  #checkPassing(area: string | null, path: Path, { capability, from, to }: Fallback): void {
    if (to === undefined || from === to || to.isSeen(path)) return;
    if (from === undefined ? this.#wasSeen(path) : from.isSeen(path)) throw passedOn(area, capability, to.name);
  }

  /** Each pair once, with one capability that leads to it. */
  #fallbacks(): readonly Fallback[] {
    const found = new Map<Fallback['from'], Map<Fallback['to'], Fallback>>();
    for (const capability of this.#capabilities) {
      const before = this.#from.withoutDomain(capability)?.agent;
      const after = this.#to.withoutDomain(capability)?.agent;
      const from = before ? this.#sightOf(before) : this.#wasGivenUp(capability) ? GIVEN_UP : undefined;
      const to = after && this.#sightOf(after);
      const ofFrom = found.get(from) ?? new Map<Fallback['to'], Fallback>();
      if (!ofFrom.has(to)) found.set(from, ofFrom.set(to, { capability, from, to }));
    }
    return [...found.values()].flatMap((ofFrom) => [...ofFrom.values()]);
  }

  /** Whether requests for this that lie in nobody's area went to an agent in sight before nobody got them. */
  #wasGivenUp(capability: string | null): boolean {
    const { remembered, isSeen } = this.#given;
    const { rest, capabilities } = remembered;
    return (rest !== null && isSeen(rest)) || isSeenIn(capabilities, capability === null ? [] : beginningsOf(capability), isSeen);
  }

  /** Whether this area is or was in sight at some agent. */
  #wasSeen(path: Path): boolean {
    const { before, remembered, isSeen } = this.#given;
    if (isSeenIn(remembered.areas, path, isSeen)) return true;
    return before.map((agent) => this.#sightOf(agent)).some((sight) => sight.has(path) && sight.isSeen(path));
  }

  #doerIn(table: RoutingTable<AgentRow>, area: string): AgentSight | undefined {
    const agent = table.byDomain(area)?.agent;
    return agent && this.#sightOf(agent);
  }

  #sightOf(agent: AgentRow): AgentSight {
    const known = this.#sights.get(agent) ?? new AgentSight(agent, this.#given.isSeen);
    this.#sights.set(agent, known);
    return known;
  }
}

/** How careful one agent is, area by area: worked out once. */
class AgentSight {
  readonly name: string;
  readonly #isSeen: IsSeen;
  readonly #areas: ReadonlyMap<string, RiskClass>;
  readonly #withoutArea: RiskClass;

  constructor(agent: AgentRow, isSeen: IsSeen) {
    this.name = agent.name;
    this.#isSeen = isSeen;
    this.#areas = new Map(agent.domains.map(({ domain }) => [domain, riskOf(agent, domain).riskClass]));
    this.#withoutArea = riskOf(agent, null).riskClass;
  }

  /** Whether the agent has the area, offered or not. */
  has(path: Path): boolean {
    return path.some((area) => this.#areas.has(area));
  }

  /** The class of a request to this agent about this area: one that is none of its own says nothing. */
  classAt(path: Path): RiskClass {
    const nearest = path.find((area) => this.#areas.has(area));
    return (nearest === undefined ? undefined : this.#areas.get(nearest)) ?? this.#withoutArea;
  }

  isSeen(path: Path): boolean {
    return this.#isSeen(this.classAt(path));
  }
}

/** In the place of an agent that got this in the adults' sight and does so no more. */
const GIVEN_UP = { isSeen: () => true } as const;

function isSeenIn(classes: Classes, names: readonly string[], isSeen: IsSeen): boolean {
  if (classes === EVERYTHING) return true;
  return names.some((name) => {
    const riskClass = classes.get(name);
    return riskClass !== undefined && isSeen(riskClass);
  });
}

function lowered(area?: string): AppError {
  const what = area === undefined ? 'of that class' : `about "${area}"`;
  return new AppError('blocked', `An adult’s hub decides about requests ${what} here, so its class is not lowered.`, {
    failedBy: 'input',
    hint: `Change who decides first, ${WHERE}.`,
  });
}

function passedOn(area: string | null, capability: string | null, to: string): AppError {
  const named = capability === null ? 'that name no area' : `for "${escapeText(capability)}"`;
  const what = area === null ? named : `about "${area}"`;
  return new AppError(
    'blocked',
    `An adult’s hub decides about requests ${what} here, so they are not passed on to "${to}", which it does not see.`,
    {
      failedBy: 'input',
      hint: `Raise the class of "${to}" first, or change who decides, ${WHERE}.`,
    },
  );
}

const WHERE = 'in Settings or with "axon consent set"; that needs the owner passphrase';
