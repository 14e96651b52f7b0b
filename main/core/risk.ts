// How much harm a request could do, as the household sees it: the class its owner gave to the agent
// or to one of its domains. Nothing the sender says can lower it.
import {
  RISK_CLASSES,
  type RiskClass,
  type RiskReason,
} from '../../preload/contract/closed-lists.ts';
import { isDomain, longestDomain } from './routing.ts';

export interface Risk {
  readonly riskClass: RiskClass;
  readonly reason: RiskReason;
}

/** The part of an agent that its risk depends on. */
interface ClassifiedAgent {
  readonly state: 'requested' | 'active';
  readonly riskClass: RiskClass;
  /** False while nobody has said anything of it: then it has the class of every new agent. */
  readonly classByOwner: boolean;
  readonly domains: readonly {
    readonly domain: string;
    readonly riskClass: RiskClass | null;
    readonly byOwner: boolean;
  }[];
}

/**
 * The class of a request to `agent`. A domain that is none is unknown: R3. Without a domain nothing
 * says what a request is about: it may be about the most dangerous area of the agent, and it is at
 * least R1 and therefore asked. An agent that its owner has not confirmed is at least R2. Below a
 * domain that the owner spoke of, a narrower one that the owner did not speak of is at least as
 * risky: agents add domains by themselves.
 */
export function riskOf(agent: ClassifiedAgent, domain: string | null): Risk {
  if (domain !== null && !isDomain(domain)) return { riskClass: 'R3', reason: 'unknown' };
  if (agent.state === 'requested')
    return { riskClass: higherRisk(agent.riskClass, 'R2'), reason: 'new_agent' };
  if (domain === null) {
    const classes = [
      agent.riskClass,
      ...agent.domains.map((entry) => entry.riskClass ?? agent.riskClass),
    ];
    return { riskClass: classes.reduce(higherRisk, 'R1'), reason: 'no_domain' };
  }
  const own = classBelow(agent, agent.domains, domain);
  const spokenOf = agent.domains.filter((entry) => entry.byOwner);
  return longestDomain(spokenOf, domain) === undefined
    ? own
    : higherOf(own, classBelow(agent, spokenOf, domain));
}

type Entry = ClassifiedAgent['domains'][number];

/**
 * The class of the longest area that the domain lies in; of one that stands there more than once,
 * the more careful.
 */
function classBelow(agent: ClassifiedAgent, entries: readonly Entry[], domain: string): Risk {
  const nearest = longestDomain(entries, domain);
  const same = entries.filter((entry) => entry.domain === nearest?.domain);
  return same.map((entry) => classFrom(agent, entry)).reduce(higherOf, classFrom(agent, nearest));
}

/** The first where they are alike. */
function higherOf(first: Risk, second: Risk): Risk {
  return higherRisk(first.riskClass, second.riskClass) === first.riskClass ? first : second;
}

/** The reason says who spoke: nobody is told that they chose what the hub chose for them. */
function classFrom(agent: ClassifiedAgent, entry: Entry | undefined): Risk {
  const own = entry?.riskClass ?? null;
  if (own === null)
    return {
      riskClass: agent.riskClass,
      reason: agent.classByOwner ? 'agent_class' : 'default_class',
    };
  return { riskClass: own, reason: entry?.byOwner === true ? 'domain_class' : 'default_class' };
}

/** The more careful of two classes. */
export function higherRisk(first: RiskClass, second: RiskClass): RiskClass {
  return RISK_CLASSES.indexOf(first) >= RISK_CLASSES.indexOf(second) ? first : second;
}
