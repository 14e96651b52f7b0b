// Which local agent a request is for (PROTOCOL.md, Delegation states): by name, by the longest matching domain, by capability, else the
// owner's default. Also what a domain is. A match authorises nothing.
import { DOMAIN_NAME } from '../../preload/contract/domain-name.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { DOMAIN_MAX_CHARACTERS, ROUTE_HINTS_MAX } from './limits.ts';

/** The part of an agent that routing looks at. */
export interface RoutableAgent {
  readonly name: string;
  readonly state: 'requested' | 'active';
  readonly domains: readonly { readonly domain: string; readonly isOffered?: boolean }[];
  readonly capabilities: readonly string[];
  readonly isDefault: boolean;
}

export interface RouteRequest {
  readonly routeTo: string | null;
  readonly domain: string | null;
  readonly capability: string | null;
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** True for up to six dot-separated lower-case words, 64 characters in all. Anything else matches nothing. */
export function isDomain(text: string): boolean {
  return text.length <= DOMAIN_MAX_CHARACTERS && DOMAIN_NAME.test(text);
}

/** True when `domain` is `prefix` or lies under it, word by word: "family" matches "family.calendar", never "familyx". */
export function matchesDomain(prefix: string, domain: string): boolean {
  if (!isDomain(prefix) || !isDomain(domain)) return false;
  return domain === prefix || domain.startsWith(`${prefix}.`);
}

/** The longest of an agent's domains that `domain` lies in; undefined when there is none. */
export function longestDomain<Entry extends { readonly domain: string }>(entries: readonly Entry[], domain: string): Entry | undefined {
  return entries
    .filter((entry) => matchesDomain(entry.domain, domain))
    .reduce<Entry | undefined>((best, entry) => (best && best.domain.length >= entry.domain.length ? best : entry), undefined);
}

/** The domains an agent offers, without those its owner only classified. */
export function offeredDomains<Entry extends { readonly isOffered?: boolean }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => entry.isOffered !== false);
}

/** Picks the agent; the error's sentence names what there is. Ties go to the default agent, then by name. */
export function chooseAgent<Agent extends RoutableAgent>(
  agents: readonly Agent[],
  { routeTo, domain, capability }: RouteRequest,
): Result<{ readonly agent: Agent; readonly why: string }, { readonly message: string }> {
  const active = agents.filter((agent) => agent.state === 'active').sort(byPreference);
  if (routeTo !== null) {
    const named = active.find((agent) => agent.name === routeTo);
    return named ? ok({ agent: named, why: 'It was named.' }) : err({ message: noSuchAgent(active, routeTo) });
  }
  const found =
    (domain === null ? undefined : byDomain(active, domain)) ??
    (capability === null ? undefined : byCapability(active, capability)) ??
    byDefault(active);
  return found ? ok(found) : err({ message: nobodyHandles(active, domain) });
}

function byPreference(first: RoutableAgent, second: RoutableAgent): number {
  if (first.isDefault !== second.isDefault) return first.isDefault ? -1 : 1;
  return first.name < second.name ? -1 : 1;
}

function byDomain<Agent extends RoutableAgent>(agents: readonly Agent[], domain: string) {
  let best: { readonly agent: Agent; readonly domain: string } | undefined;
  for (const agent of agents) {
    const match = longestDomain(offeredDomains(agent.domains), domain);
    if (match && (best === undefined || match.domain.length > best.domain.length)) best = { agent, domain: match.domain };
  }
  return best && { agent: best.agent, why: `It handles "${best.domain}".` };
}

function byCapability<Agent extends RoutableAgent>(agents: readonly Agent[], capability: string) {
  let best: { readonly agent: Agent; readonly capability: string } | undefined;
  for (const agent of agents) {
    for (const offered of agent.capabilities) {
      const matches = offered !== '' && (capability === offered || capability.startsWith(`${offered}.`));
      if (matches && (best === undefined || offered.length > best.capability.length)) best = { agent, capability: offered };
    }
  }
  return best && { agent: best.agent, why: `It can "${best.capability}".` };
}

function byDefault<Agent extends RoutableAgent>(agents: readonly Agent[]) {
  const agent = agents.find((candidate) => candidate.isDefault);
  return agent && { agent, why: 'It takes what no other agent handles.' };
}

function noSuchAgent(agents: readonly RoutableAgent[], name: string): string {
  const said = PLAIN_NAME.test(name) ? `There is no agent "${name}" here.` : 'There is no agent of that name here.';
  const names = agents.map((agent) => agent.name);
  return names.length === 0 ? `${said} No agent is connected to this hub yet.` : `${said} This hub has: ${list(names)}.`;
}

function nobodyHandles(agents: readonly RoutableAgent[], domain: string | null): string {
  if (agents.length === 0) return 'No agent is connected to this hub yet. Try again later, or ask another hub.';
  const said =
    domain === null
      ? 'The message names no agent and no domain, and this hub has no default agent.'
      : isDomain(domain)
        ? `Nobody here handles "${domain}".`
        : 'The domain is not one: use lower-case words with dots, such as "family.calendar".';
  const domains = [...new Set(agents.flatMap((agent) => offeredDomains(agent.domains).map((entry) => entry.domain)))].sort();
  return domains.length === 0
    ? `${said} Name one of its agents instead: ${list(agents.map((agent) => agent.name))}.`
    : `${said} This hub handles: ${list(domains)}.`;
}

function list(entries: readonly string[]): string {
  const shown = entries.slice(0, ROUTE_HINTS_MAX).join(', ');
  return entries.length > ROUTE_HINTS_MAX ? `${shown} and more` : shown;
}
