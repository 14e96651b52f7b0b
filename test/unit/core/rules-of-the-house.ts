// The rules of the house a second time, by an implementation that knows nothing of the first: it
// does not compare rules field by field, but writes down, for each rule, the set of all requests of
// a little world that it covers, and compares sets. And a rule and a request to begin with.
import type { Rule, RuledRequest } from '../../../main/core/rules.ts';

export const DAD = 'd'.repeat(64);
export const LEO = 'e'.repeat(64);
export const NOW = 1_000_000;
export const MOMENT = { nowMs: NOW, trustedSince: 0 };

export function rule(change: Partial<Rule> = {}): Rule {
  return {
    id: 'rule',
    effect: 'allow',
    reach: 'always',
    peer: DAD,
    agent: 'planner',
    domain: 'family.calendar',
    kind: 'query',
    askingAgent: null,
    topic: null,
    conversation: null,
    riskMax: 'R1',
    createdAt: NOW - 10,
    trustedSince: 0,
    expiresAt: null,
    idleMs: null,
    lastUsedAt: null,
    suspended: false,
    ...change,
  };
}

export function request(change: Partial<RuledRequest> = {}): RuledRequest {
  return {
    peer: DAD,
    agent: 'planner',
    domain: 'family.calendar',
    isAgentsDomain: true,
    agentsAreas: ['family.calendar', 'home.locks'],
    kind: 'query',
    askingAgent: null,
    topic: null,
    conversation: 'c1',
    riskClass: 'R1',
    ...change,
  };
}

export const PEERS = [DAD, LEO, 'agent:scribe'];
export const AGENTS = ['planner', 'lights', 'other'];
const DOMAINS = [
  'family',
  'family.chat',
  'family.chat.dinner',
  'familyx',
  'home',
  null,
  'Family',
  'family..chat',
];
export const KINDS = ['delegate', 'query'] as const;
const ASKERS = ['claw', 'scribe', null];
const TOPICS = ['dinner', 'dinner.guests', 'trip', null];
const CONVERSATIONS = ['c1', 'c2', 'c3'];
export const CLASSES = ['R0', 'R1', 'R2', 'R3'] as const;

/** Every request there can be in this little world, as far as scopes tell them apart. */
export const WORLD: readonly RuledRequest[] = PEERS.flatMap((peer) =>
  AGENTS.flatMap((agent) =>
    DOMAINS.flatMap((domain) =>
      KINDS.flatMap((kind) =>
        ASKERS.flatMap((askingAgent) =>
          TOPICS.flatMap((topic) =>
            CONVERSATIONS.map((conversation) =>
              request({ peer, agent, domain, kind, askingAgent, topic, conversation }),
            ),
          ),
        ),
      ),
    ),
  ),
);

/**
 * "family" covers itself and whatever goes on with a dot; what is no proper area is covered by
 * nothing.
 */
function coversName(of: string | null, name: string | null): boolean {
  if (of === null) return true;
  if (name === null || name !== name.toLowerCase() || name.includes('..')) return false;
  return name.split('.').slice(0, of.split('.').length).join('.') === of;
}

export function coversScope(scope: Rule, asked: RuledRequest): boolean {
  const wanted = [
    [scope.peer, asked.peer],
    [scope.agent, asked.agent],
    [scope.kind, asked.kind],
    [scope.askingAgent, asked.askingAgent ?? ''],
    [scope.conversation, asked.conversation],
  ];
  return (
    wanted.every(([of, is]) => of === null || of === is) &&
    coversName(scope.domain, asked.domain) &&
    coversName(scope.topic, asked.topic)
  );
}

const SETS = new Map<string, Uint8Array>();
function setOf(scope: Rule): Uint8Array {
  const { peer, agent, domain, kind, askingAgent, topic, conversation } = scope;
  const key = JSON.stringify([peer, agent, domain, kind, askingAgent, topic, conversation]);
  const known =
    SETS.get(key) ?? Uint8Array.from(WORLD, (asked) => (coversScope(scope, asked) ? 1 : 0));
  SETS.set(key, known);
  return known;
}
const size = (set: Uint8Array) => set.reduce((sum, one) => sum + one, 0);
const NARROWER = new Map<Uint8Array, Map<Uint8Array, boolean>>();
export function isProperSubset(one: Rule, other: Rule): boolean {
  const [inner, outer] = [setOf(one), setOf(other)];
  const row = NARROWER.get(inner) ?? new Map<Uint8Array, boolean>();
  NARROWER.set(inner, row);
  const known =
    row.get(outer) ??
    (size(inner) < size(outer) && inner.every((is, index) => is === 0 || outer[index] === 1));
  row.set(outer, known);
  return known;
}

/** The rules of the house, word for word, one sentence after the other. */
export function decideSlowly(
  rules: readonly Rule[],
  asked: RuledRequest,
  nowMs: number,
  trustedSince: number | null,
): string {
  const alive = rules.filter((one) => {
    if (one.suspended) return false;
    if (one.expiresAt !== null && one.expiresAt <= nowMs) return false;
    const lastSeen =
      one.lastUsedAt !== null && one.lastUsedAt > one.createdAt ? one.lastUsedAt : one.createdAt;
    return one.idleMs === null || lastSeen + one.idleMs > nowMs;
  });
  const covering = alive.filter((one) => coversScope(one, asked));
  // Any matching "never" wins.
  if (covering.some((one) => one.effect === 'never')) return 'decline';
  // R3 is asked every time.
  if (asked.riskClass === 'R3') return 'ask';
  const allows = covering.filter((one) => {
    if (one.effect !== 'allow') return false;
    // The same peer, agent and domain, named; made since this hub is trusted; not from the future.
    if (one.peer === null || one.agent === null || one.domain === null || !asked.isAgentsDomain)
      return false;
    if (
      trustedSince === null ||
      one.trustedSince !== trustedSince ||
      one.createdAt > nowMs ||
      (one.lastUsedAt !== null && one.lastUsedAt > nowMs)
    )
      return false;
    // Nothing riskier than what it was made for.
    if (Number(asked.riskClass[1]) > Number(one.riskMax?.[1] ?? 0)) return false;
    if (asked.riskClass !== 'R2') return true;
    return (
      (one.reach === 'conversation' && one.conversation !== null) ||
      (one.reach === 'always' && one.topic !== null)
    );
  });
  const asks = covering.filter((one) => one.effect === 'ask');
  // The narrowest of ask and allow wins, and a tie asks.
  if (allows.some((one) => asks.every((other) => isProperSubset(one, other)))) return 'deliver';
  if (asks.length > 0) return 'ask';
  // Defaults: a query is delivered when its class is R0, asked otherwise; a delegation is asked.
  return asked.kind === 'query' && asked.riskClass === 'R0' ? 'deliver' : 'ask';
}
