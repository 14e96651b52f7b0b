// That no change to the agents takes requests out of the adults' sight: what they decide about, area by area and over all agents, is compared
// before and after each write of a class or an area. Owns the memory of areas that were taken away meanwhile, in the store's meta, so that
// none comes back at a lower class. Never decides about a request (PROTOCOL.md, Consent).
import * as v from 'valibot';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { higherRisk, riskOf } from '../../core/risk.ts';
import { chooseAgent, longestDomain, matchesDomain, offeredDomains } from '../../core/routing.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AgentDomainRow, AgentRow, Reads, Tables } from '../../ports/store.ts';
import { REMEMBERED_AREAS_META, type ConsentGuard } from './consent-guard.ts';
import { CONSENT_AREAS_MAX } from './limits.ts';

const EVERYTHING = 'everything';
const stored = v.union([v.literal(EVERYTHING), v.record(v.string(), v.picklist(['R0', 'R1', 'R2', 'R3']))]);
/** The highest class of each area that was taken away; `everything` where they are more than are kept, or cannot be read. */
type Remembered = v.InferOutput<typeof stored>;

/** An agent as it was and as it is to be; undefined: there is none. */
interface Change {
  readonly before: AgentRow | undefined;
  readonly after: AgentRow | undefined;
}

export class ConsentAreas {
  readonly #guard: ConsentGuard;

  constructor(guard: ConsentGuard) {
    this.#guard = guard;
  }

  /**
   * The least class of an area that an agent takes up, as far as the adults decide about that area, one above it or one inside it, at any
   * agent there is or was; null: they do not.
   */
  floorOf(reads: Reads, domain: string): RiskClass | null {
    const setting = this.#guard.setting(reads);
    if (setting === null) return null;
    const remembered = rememberedIn(reads);
    if (remembered === EVERYTHING) return setting.from;
    const touches = (other: string): boolean => matchesDomain(other, domain) || matchesDomain(domain, other);
    const classes = [
      ...reads.agents().flatMap((agent) => agent.domains.flatMap((entry) => (touches(entry.domain) ? [classIn(agent, entry.domain)] : []))),
      ...Object.entries(remembered).flatMap(([other, riskClass]) => (touches(other) ? [riskClass] : [])),
    ].filter((riskClass) => this.#guard.covers(reads, riskClass));
    return classes.reduce<RiskClass | null>((highest, next) => (highest === null ? next : higherRisk(highest, next)), null);
  }

  /** Whether an area that its agent offers no longer stays with it, so that it keeps its class. */
  isKept(reads: Reads, agent: AgentRow, { domain }: AgentDomainRow): boolean {
    return this.#guard.covers(reads, classIn(agent, domain));
  }

  /**
   * Writes the agents down, inside a commit, where that takes nothing out of the adults' sight; what is taken away is remembered.
   * @param changed rows as they are to be @param removed an agent that goes
   * @throws AppError blocked
   */
  write(tables: Tables, changed: readonly AgentRow[], removed?: AgentRow): void {
    this.check(tables, changed, removed);
    if (this.#guard.setting(tables) !== null) this.#remember(tables, changesOf(tables.agents(), changed, removed));
    for (const row of changed) tables.putAgent(row);
    if (removed !== undefined) tables.deleteAgent(removed.name);
  }

  /** Whether `write` would. @throws AppError blocked */
  check(reads: Reads, changed: readonly AgentRow[], removed?: AgentRow): void {
    if (this.#guard.setting(reads) === null) return;
    const before = reads.agents();
    const untouched = before.filter(({ name }) => name !== removed?.name && !changed.some((row) => row.name === name));
    const changes = changesOf(before, changed, removed);
    for (const change of changes) this.#checkClasses(reads, change, before);
    this.#checkRouting(reads, changes, before, [...untouched, ...changed]);
  }

  /** No class of the agent itself is lowered, and no area comes to it below what it is at another agent, or was. */
  #checkClasses(reads: Reads, { before, after }: Change, agents: readonly AgentRow[]): void {
    if (after === undefined) return;
    const isSeen = (riskClass: RiskClass): boolean => this.#guard.covers(reads, riskClass);
    if (!isSeen(after.riskClass) && (before === undefined || isSeen(before.riskClass))) throw lowered();
    const remembered = rememberedIn(reads);
    const gone = remembered === EVERYTHING ? [] : Object.entries(remembered).filter(([, riskClass]) => isSeen(riskClass));
    const known = new Set([
      ...[...agents, after].flatMap(({ domains }) => domains.map(({ domain }) => domain)),
      ...gone.map(([area]) => area),
    ]);
    for (const domain of known) {
      if (isSeen(classIn(after, domain))) continue;
      const hadIt = before !== undefined && has(before, domain);
      if (hadIt && isSeen(classIn(before, domain))) throw lowered(domain);
      if (hadIt || !has(after, domain)) continue;
      const wasSeen =
        remembered === EVERYTHING ||
        gone.some(([area]) => matchesDomain(area, domain)) ||
        agents.some((agent) => has(agent, domain) && isSeen(classIn(agent, domain)));
      if (wasSeen) throw lowered(domain);
    }
  }

  /** What one agent does in the adults' sight does not pass to another that has the area, too, and does it out of their sight. */
  #checkRouting(reads: Reads, changes: readonly Change[], before: readonly AgentRow[], after: readonly AgentRow[]): void {
    for (const domain of new Set(changes.flatMap(domainsOf))) {
      const from = doerOf(before, domain);
      const to = doerOf(after, domain);
      if (from === undefined || to === undefined || this.#guard.covers(reads, classIn(to, domain))) continue;
      if (this.#guard.covers(reads, classIn(from, domain))) throw lowered(domain);
    }
  }

  #remember(tables: Tables, changes: readonly Change[]): void {
    const remembered = rememberedIn(tables);
    if (remembered === EVERYTHING) return;
    const next = new Map(Object.entries(remembered));
    for (const { before, after } of changes) {
      for (const { domain } of before?.domains ?? []) {
        if (before === undefined || (after !== undefined && has(after, domain))) continue;
        const riskClass = classIn(before, domain);
        if (this.#guard.covers(tables, riskClass)) next.set(domain, higherRisk(riskClass, next.get(domain) ?? riskClass));
      }
    }
    tables.setMeta(REMEMBERED_AREAS_META, JSON.stringify(next.size > CONSENT_AREAS_MAX ? EVERYTHING : Object.fromEntries(next)));
  }
}

/** Of what cannot be read nothing is forgotten: whoever damaged it gains nothing by that. */
function rememberedIn(reads: Pick<Reads, 'getMeta'>): Remembered {
  const text = reads.getMeta(REMEMBERED_AREAS_META);
  if (text === undefined || text === '') return {};
  try {
    return v.parse(stored, JSON.parse(text));
  } catch {
    return EVERYTHING;
  }
}

function changesOf(agents: readonly AgentRow[], changed: readonly AgentRow[], removed: AgentRow | undefined): readonly Change[] {
  return [
    ...changed.map((after) => ({ before: agents.find(({ name }) => name === after.name), after })),
    ...(removed === undefined ? [] : [{ before: removed, after: undefined }]),
  ];
}

function domainsOf({ before, after }: Change): readonly string[] {
  return [...new Set([...(before?.domains ?? []), ...(after?.domains ?? [])].map(({ domain }) => domain))];
}

function has(agent: AgentRow, domain: string): boolean {
  return longestDomain(agent.domains, domain) !== undefined;
}

/** The class of a request to this agent about this area: one that is none of its own says nothing. */
function classIn(agent: AgentRow, domain: string): RiskClass {
  return riskOf(agent, has(agent, domain) ? domain : null).riskClass;
}

/** Who gets what is asked about an area without naming an agent; undefined where nobody has it. */
function doerOf(agents: readonly AgentRow[], domain: string): AgentRow | undefined {
  const chosen = chooseAgent(agents, { routeTo: null, domain, capability: null });
  if (!chosen.ok) return undefined;
  const { agent } = chosen.value;
  return longestDomain(offeredDomains(agent.domains), domain) === undefined ? undefined : agent;
}

function lowered(domain?: string): AppError {
  const what = domain === undefined ? 'of that class' : `about "${domain}"`;
  return new AppError('blocked', `An adult’s hub decides about requests ${what} here, so its class is not lowered.`, {
    failedBy: 'input',
    hint: 'Change who decides first, in Settings or with "axon consent set"; that needs the owner passphrase.',
  });
}
