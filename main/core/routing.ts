// Which local agent a request is for (PROTOCOL.md, Delegation states): by name, by the longest
// matching domain, by capability, else the owner's default. Also what a domain is. A match
// authorises nothing.
import { DOMAIN_NAME } from '../../preload/contract/formats.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { listed } from '../lib/shortened.ts';
import { DOMAIN_MAX_CHARACTERS, ROUTE_HINTS_MAX } from './limits.ts';

/** The part of an agent that routing looks at. */
interface RoutableAgent {
  readonly name: string;
  readonly state: 'requested' | 'active';
  readonly domains: readonly { readonly domain: string; readonly isOffered: boolean }[];
  readonly capabilities: readonly string[];
  readonly isDefault: boolean;
}

export interface RouteRequest {
  readonly routeTo: string | null;
  readonly domain: string | null;
  readonly capability: string | null;
}

/** A name or word without blanks: no sentence can be made of it. */
export const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * True for up to six dot-separated lower-case words, 64 characters in all. Anything else matches
 * nothing.
 */
export function isDomain(text: string): boolean {
  return text.length <= DOMAIN_MAX_CHARACTERS && DOMAIN_NAME.test(text);
}

/**
 * True when `domain` is `prefix` or lies under it, word by word: "family" matches
 * "family.calendar", never "familyx".
 */
export function matchesDomain(prefix: string, domain: string): boolean {
  // Of a domain every beginning that ends at a dot is one, so that only what fits has to be looked
  // at closely.
  return (domain === prefix || domain.startsWith(`${prefix}.`)) && isDomain(domain);
}

/**
 * A domain and those it lies in, the longest first: "home.doors.front", "home.doors", "home". None
 * for what is no domain.
 */
export function domainsAbove(domain: string): readonly string[] {
  return isDomain(domain) ? beginningsOf(domain) : [];
}

/** The longest of an agent's domains that `domain` lies in; undefined when there is none. */
export function longestDomain<Entry extends { readonly domain: string }>(
  entries: readonly Entry[],
  domain: string,
): Entry | undefined {
  return entries
    .filter((entry) => matchesDomain(entry.domain, domain))
    .reduce<Entry | undefined>(
      (best, entry) => (best && best.domain.length >= entry.domain.length ? best : entry),
      undefined,
    );
}

/** A capability of the agent that lies in none of its areas. */
export function isBareCapability(
  { domains, capabilities }: Pick<RoutableAgent, 'domains' | 'capabilities'>,
  word: string,
): boolean {
  return (
    isDomain(word) && capabilities.includes(word) && longestDomain(domains, word) === undefined
  );
}

/** The domains an agent offers, without those its owner only classified. */
export function offeredDomains<Entry extends { readonly isOffered: boolean }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.filter((entry) => entry.isOffered);
}

interface Choice<Agent> {
  readonly agent: Agent;
  readonly why: string;
}

/**
 * Who gets what, of these agents; made once where many requests are looked at. Ties go to the
 * default agent, then by name.
 */
class RoutingTable<Agent extends RoutableAgent> {
  /** Those that may be given work, the preferred first. */
  readonly #active: readonly Agent[];
  readonly #byDomain = new Map<string, Agent>();
  readonly #byCapability = new Map<string, Agent>();
  readonly #default: Agent | undefined;

  constructor(agents: readonly Agent[]) {
    this.#active = agents.filter((agent) => agent.state === 'active').sort(byPreference);
    for (const agent of this.#active) {
      for (const { domain } of offeredDomains(agent.domains))
        if (!this.#byDomain.has(domain)) this.#byDomain.set(domain, agent);
      for (const word of agent.capabilities)
        if (word !== '' && !this.#byCapability.has(word)) this.#byCapability.set(word, agent);
    }
    this.#default = this.#active.find((agent) => agent.isDefault);
  }

  /** The error's sentence names what there is. */
  choose({
    routeTo,
    domain,
    capability,
  }: RouteRequest): Result<Choice<Agent>, { readonly message: string }> {
    if (routeTo !== null) {
      const named = this.#active.find((agent) => agent.name === routeTo);
      return named
        ? ok({ agent: named, why: 'It was named.' })
        : err({ message: noSuchAgent(this.#active, routeTo) });
    }
    const found =
      (domain === null ? undefined : this.byDomain(domain)) ?? this.withoutDomain(capability);
    return found ? ok(found) : err({ message: nobodyHandles(this.#active, domain) });
  }

  /** Who offers the longest area that the domain lies in. */
  byDomain(domain: string): Choice<Agent> | undefined {
    return firstOf(this.#byDomain, domainsAbove(domain), (found) => `It handles "${found}".`);
  }

  /**
   * Who gets what lies in no area that somebody offers: by the longest capability, else the owner's
   * default.
   */
  withoutDomain(capability: string | null): Choice<Agent> | undefined {
    const able =
      capability === null
        ? undefined
        : firstOf(this.#byCapability, beginningsOf(capability), (found) => `It can "${found}".`);
    return (
      able ??
      (this.#default && { agent: this.#default, why: 'It takes what no other agent handles.' })
    );
  }
}

/** Picks the agent for one request, see RoutingTable. */
export function chooseAgent<Agent extends RoutableAgent>(
  agents: readonly Agent[],
  request: RouteRequest,
): Result<Choice<Agent>, { readonly message: string }> {
  return new RoutingTable(agents).choose(request);
}

/** The text and what it begins with up to a dot, the longest first. */
function beginningsOf(text: string): readonly string[] {
  const beginnings = [text];
  for (let dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1))
    beginnings.push(text.slice(0, dot));
  return beginnings;
}

function firstOf<Agent>(
  table: ReadonlyMap<string, Agent>,
  words: readonly string[],
  why: (word: string) => string,
) {
  for (const word of words) {
    const agent = table.get(word);
    if (agent) return { agent, why: why(word) };
  }
  return undefined;
}

function byPreference(first: RoutableAgent, second: RoutableAgent): number {
  if (first.isDefault !== second.isDefault) return first.isDefault ? -1 : 1;
  return first.name < second.name ? -1 : 1;
}

function noSuchAgent(agents: readonly RoutableAgent[], name: string): string {
  const said = PLAIN_NAME.test(name)
    ? `There is no agent "${name}" here.`
    : 'There is no agent of that name here.';
  const names = agents.map((agent) => agent.name);
  return names.length === 0
    ? `${said} No agent is connected to this hub yet.`
    : `${said} This hub has: ${listed(names, ROUTE_HINTS_MAX)}.`;
}

function nobodyHandles(agents: readonly RoutableAgent[], domain: string | null): string {
  if (agents.length === 0)
    return 'No agent is connected to this hub yet. Try again later, or ask another hub.';
  const said =
    domain === null
      ? 'The message names no agent and no domain, and this hub has no default agent.'
      : isDomain(domain)
        ? `Nobody here handles "${domain}".`
        : 'The domain is not one: use lower-case words with dots, such as "family.calendar".';
  const domains = [
    ...new Set(
      agents.flatMap((agent) => offeredDomains(agent.domains).map((entry) => entry.domain)),
    ),
  ].sort();
  return domains.length === 0
    ? `${said} Name one of its agents instead: ${listed(
        agents.map((agent) => agent.name),
        ROUTE_HINTS_MAX,
      )}.`
    : `${said} This hub handles: ${listed(domains, ROUTE_HINTS_MAX)}.`;
}
