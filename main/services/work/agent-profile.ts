// What a program says of itself, as this hub may keep and show it: a name that looks like no other agent's, words without hidden characters,
// and areas that are never less careful than the owner was about them. Pure.
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { nameSkeleton } from '../../core/name-skeleton.ts';
import { higherRisk } from '../../core/risk.ts';
import { matchesDomain } from '../../core/routing.ts';
import { escapeName } from '../../core/text-escape.ts';
import type { AgentDomainRow, AgentRow } from '../../ports/store.ts';

/** Classes at which an agent's own class is careful enough for an area it adds by itself. */
const CAREFUL_FROM: RiskClass = 'R2';

/** The name to show for an agent: its own wish where that is plain and looks like nobody else, else the name it is registered under. */
export function displayNameOf(wish: string | undefined, name: string, others: readonly AgentRow[]): string {
  const plain = escapeName(wish ?? name);
  if (plain.hidden) return name;
  const skeleton = nameSkeleton(plain.name);
  const isTaken = others.some(
    (other) => other.name !== name && [other.name, other.displayName].some((taken) => nameSkeleton(taken) === skeleton),
  );
  return isTaken ? name : plain.name;
}

/** What adults who decide here have to do with an agent's areas. */
export interface AreasInSight {
  /** The least class of an area it takes up; null where it is not in their sight. */
  readonly floorOf: (domain: string) => RiskClass | null;
  /** Whether an area that it offers no longer stays with it. */
  readonly isKept: (entry: AgentDomainRow) => boolean;
}

/**
 * The areas an agent offers from now on. What the owner spoke about, and what adults decide about, stays, offered or not. An area that a
 * program adds by itself is at least R2, and never below what the owner said, for any agent, about that area, one above it or one inside it.
 */
export function mergeDomains(
  row: Pick<AgentRow, 'name' | 'riskClass' | 'domains'>,
  domains: readonly string[],
  agents: readonly AgentRow[],
  byAgent: boolean,
  { floorOf, isKept }: AreasInSight,
): readonly AgentDomainRow[] {
  const offered = domains.map((domain): AgentDomainRow => {
    const known = row.domains.find((other) => other.domain === domain);
    if (known) return { ...known, isOffered: true };
    const floor = higherRisk(floorOf(domain) ?? row.riskClass, row.riskClass);
    const least = spokenAbout(domain, [row, ...agents]).reduce(higherRisk, byAgent ? higherRisk(CAREFUL_FROM, floor) : floor);
    return { domain, riskClass: least === row.riskClass ? null : least };
  });
  const kept = row.domains.filter((known) => (known.byOwner === true || isKept(known)) && !domains.includes(known.domain));
  return [...offered, ...kept.map((known) => ({ ...known, isOffered: false }))];
}

/** What the owner said about an area, one above it or one inside it, whichever agent it was said of. */
function spokenAbout(domain: string, agents: readonly Pick<AgentRow, 'domains'>[]): readonly RiskClass[] {
  return agents.flatMap((agent) =>
    agent.domains.flatMap((entry) => {
      const touches = matchesDomain(entry.domain, domain) || matchesDomain(domain, entry.domain);
      return entry.byOwner === true && entry.riskClass !== null && touches ? [entry.riskClass] : [];
    }),
  );
}
