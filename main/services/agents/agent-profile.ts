// What a program says of itself, as this hub may keep and show it: a name that looks like no other
// agent's, words without hidden characters, and areas that are never less careful than the owner
// was about them. Pure.
import { readableHandle } from '../../../preload/contract/agent-name.ts';
import { AGENT_AREAS_MAX } from '../../../preload/contract/limits.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { AreaClasses } from '../../core/area-classes.ts';
import { higherRisk } from '../../core/risk.ts';
import { NAME_MAX_GRAPHEMES } from '../../core/limits.ts';
import { escapeGiven, escapeName } from '../../core/text-escape.ts';
import { DIALECTS, dialectNamed } from '../../dialects/index.ts';
import { type AppError, inputError } from '../../lib/app-error.ts';
import type { AgentDomainRow, AgentRow } from '../../ports/store.ts';
import { agentNameBeside, HOUSE_NAMES, looksAlike, uniqueName } from '../links/peer-names.ts';

/** The class that the owner gives an area. */
export type AreaChoice = Pick<AgentDomainRow, 'domain' | 'riskClass'>;

/** An area as an agent offers it, with or without a request that it would take. */
export type OfferedArea =
  string | { readonly domain: string; readonly example?: string | undefined };

/** Classes at which an agent's own class is careful enough for an area it adds by itself. */
const CAREFUL_FROM: RiskClass = 'R2';

/** What an agent speaks that names no dialect. */
const AXON = 'axon';

/** Who else has a name that an agent must not show under. */
export interface Namesakes {
  readonly agents: readonly Pick<AgentRow, 'name' | 'displayName'>[];
  readonly hubs: readonly string[];
}

/**
 * The name of a new agent: its own wish where that is plain and looks like nobody else, else one
 * made of its handle.
 */
export function displayNameOf(wish: string | undefined, name: string, others: Namesakes): string {
  const plain = wish === undefined ? undefined : plainName(wish);
  const taken = takenNames(name, others);
  if (plain !== undefined && !taken.some((other) => looksAlike(other, plain))) return plain;
  return uniqueName(agentNameBeside(readableHandle(name), others.hubs), taken);
}

/** @throws AppError bad_request */
export function knownDialect(name: string = AXON): string {
  if (name === AXON || dialectNamed(name) !== undefined) return name;
  throw inputError('bad_request', `This hub knows no dialect "${escapeGiven(name)}".`, {
    hint: `It knows ${[AXON, ...DIALECTS.map((dialect) => dialect.name)].join(', ')}.`,
  });
}

/** The name that a person gives an agent, as it is kept. @throws AppError bad_request, conflict */
export function givenName(wish: string, name: string, others: Namesakes): string {
  const plain = plainName(wish);
  if (plain === undefined) {
    const sentence = `An agent's name has at most ${NAME_MAX_GRAPHEMES} characters of one alphabet, and no "/" or invisible characters.`;
    throw inputError('bad_request', sentence);
  }
  const twin = takenNames(name, others).find((other) => looksAlike(other, plain));
  if (twin === undefined) return plain;
  throw inputError('conflict', `"${twin}" is taken here, and looks the same or nearly so.`, {
    hint: 'Choose another name.',
  });
}

/**
 * undefined: not fit to be shown, or with the sign that parts a hub from its agent where a
 * recipient is typed.
 */
function plainName(wish: string): string | undefined {
  const { name, hidden } = escapeName(wish);
  return hidden || name.includes('/') ? undefined : name;
}

function takenNames(name: string, { agents, hubs }: Namesakes): readonly string[] {
  return [
    ...agents
      .filter((other) => other.name !== name)
      .flatMap((other) => [other.name, other.displayName]),
    ...hubs,
    ...HOUSE_NAMES,
  ];
}

/**
 * The areas an agent offers from now on. What the owner spoke about stays, offered or not. An area
 * that a program adds by itself is at least R2, and never below what the owner said, for any agent,
 * about that area, one above it or one inside it. An area that is offered again without an example
 * keeps the one it had; an empty example takes it away.
 * @throws AppError conflict where they would be more than are kept, and more than there are
 */
export function mergeDomains(
  row: Pick<AgentRow, 'name' | 'riskClass' | 'domains'>,
  areas: readonly OfferedArea[],
  agents: readonly AgentRow[],
  byAgent: boolean,
): readonly AgentDomainRow[] {
  const had = new Map(row.domains.map((entry) => [entry.domain, entry]));
  const spokenOf = new AreaClasses([row, ...agents].flatMap(ownersWords));
  const wanted = new Map(areas.map((area) => [nameOfArea(area), exampleOf(area)]));
  const offered = [...wanted].map(([domain, wish]): AgentDomainRow => {
    const known = had.get(domain);
    const example = wish ?? known?.example ?? '';
    const said = example === '' ? {} : { example };
    if (known) {
      const { riskClass, byOwner } = known;
      return { domain, riskClass, byOwner, isOffered: true, ...said };
    }
    const careful = byAgent ? higherRisk(CAREFUL_FROM, row.riskClass) : row.riskClass;
    const least = higherRisk(spokenOf.touching(domain) ?? careful, careful);
    return {
      domain,
      riskClass: least === row.riskClass ? null : least,
      byOwner: false,
      isOffered: true,
      ...said,
    };
  });
  const kept = row.domains.filter((known) => !wanted.has(known.domain) && known.byOwner);
  const all = [...offered, ...kept.map((known) => ({ ...known, isOffered: false }))];
  if (all.length > AGENT_AREAS_MAX && all.length > row.domains.length) throw tooMany(row.name);
  return all;
}

export function nameOfArea(area: OfferedArea): string {
  return typeof area === 'string' ? area : area.domain;
}

function exampleOf(area: OfferedArea): string | undefined {
  return typeof area === 'string' ? undefined : area.example;
}

/**
 * The areas with one more by the owner's word. One that was only classified is offered from now on.
 * @throws AppError conflict where it has the area already, or would have more than are kept
 */
export function withArea(
  row: Pick<AgentRow, 'name' | 'displayName' | 'riskClass' | 'domains'>,
  { domain, riskClass }: AreaChoice,
  agents: readonly AgentRow[],
): readonly AgentDomainRow[] {
  const had = row.domains.filter(({ isOffered }) => isOffered).map((entry) => entry.domain);
  if (had.includes(domain))
    throw inputError('conflict', `${row.displayName} has the area "${domain}" already.`, {
      hint: 'Its class is changed under "Agents".',
    });
  return mergeDomains(row, [...had, domain], agents, false).map((entry) =>
    entry.domain === domain
      ? { ...entry, riskClass: riskClass ?? entry.riskClass, byOwner: true }
      : entry,
  );
}

/**
 * The owner's own list of areas, as it is given, but that an area named twice has the more careful
 * class of the two; a class that differs from what was there is the owner's own word.
 */
export function ownersAreas(
  row: Pick<AgentRow, 'domains'>,
  {
    riskClass: agentsOwn,
    domains,
  }: Pick<AgentRow, 'riskClass'> & { readonly domains?: readonly AreaChoice[] | undefined },
): readonly AgentDomainRow[] {
  if (domains === undefined) return row.domains;
  const classes = new Map<string, RiskClass | null>();
  for (const { domain, riskClass } of domains) {
    const before = classes.get(domain) ?? agentsOwn;
    const isMore = higherRisk(before, riskClass ?? agentsOwn) !== before;
    if (isMore || !classes.has(domain)) classes.set(domain, riskClass);
  }
  return [...classes].map(([domain, riskClass]) => {
    const known = row.domains.find((other) => other.domain === domain);
    return known?.riskClass === riskClass
      ? known
      : { ...known, domain, riskClass, byOwner: true, isOffered: known?.isOffered ?? true };
  });
}

/** What the owner said about areas of this agent. */
function ownersWords({
  domains,
}: Pick<AgentRow, 'domains'>): readonly (readonly [string, RiskClass])[] {
  return domains.flatMap(({ domain, riskClass, byOwner }) =>
    byOwner && riskClass !== null ? [[domain, riskClass] as const] : [],
  );
}

export function noSuchArea(
  name: string,
  area: string,
  { length }: readonly AgentDomainRow[],
): AppError {
  return inputError('not_found', `${name} has no area "${area}" here.`, {
    hint: length === 0 ? 'It has none.' : 'Its areas stand in "axon agents list".',
  });
}

function tooMany(name: string): AppError {
  const sentence = `This hub keeps at most ${AGENT_AREAS_MAX} areas of "${name}", and with what people decided about earlier ones these are more.`;
  return inputError('conflict', sentence, {
    hint: 'Offer fewer areas: one stands for all that lie in it, such as "home" for "home.kitchen". Or a person removes some of its areas, under Agents or with "axon agents remove-area".',
  });
}
