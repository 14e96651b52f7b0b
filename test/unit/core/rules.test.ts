// Which rule decides: worked cases, and ten thousand generated households against a second implementation that knows nothing of the first.
// The second one does not compare rules field by field: it writes down, for each rule, the set of all requests it covers, and compares sets.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideByRules, isNarrower, missOf, NO_AGENT, type Rule, type RuledRequest } from '../../../main/core/rules.ts';

const DAD = 'd'.repeat(64);
const LEO = 'e'.repeat(64);
const NOW = 1_000_000;
const MOMENT = { nowMs: NOW, trustedSince: 0 };

function rule(change: Partial<Rule> = {}): Rule {
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

function request(change: Partial<RuledRequest> = {}): RuledRequest {
  return {
    peer: DAD,
    agent: 'planner',
    domain: 'family.calendar',
    isAgentsDomain: true,
    kind: 'query',
    askingAgent: null,
    topic: null,
    conversation: 'c1',
    riskClass: 'R1',
    ...change,
  };
}

const decisionOf = (rules: readonly Rule[], asked: RuledRequest, moment = MOMENT) => {
  const { decision, ground, rule: decided } = decideByRules(rules, asked, moment);
  return { decision, ground, id: decided?.id ?? null };
};

describe('one allowing rule', () => {
  test('lets in what it was made for, and says so', () => {
    expect(decisionOf([rule()], request())).toEqual({ decision: 'deliver', ground: 'allow', id: 'rule' });
  });

  test.each<[string, Partial<RuledRequest>, string]>([
    ['another hub', { peer: LEO }, 'peer'],
    ['another agent', { agent: 'lights' }, 'agent'],
    ['another area', { domain: 'family.chat' }, 'domain'],
    ['a wider area', { domain: 'family' }, 'domain'],
    ['no area', { domain: null }, 'domain'],
    ['a task instead of a question', { kind: 'delegate' }, 'kind'],
    ['a riskier class', { riskClass: 'R2' }, 'class'],
    ["an area that is none of the agent's", { isAgentsDomain: false }, 'no_domain'],
  ])('%s is asked', (_what, change, miss) => {
    expect(decisionOf([rule()], request(change))).toEqual({ decision: 'ask', ground: 'default', id: null });
    expect(missOf(rule(), request(change), MOMENT)).toBe(miss);
  });

  test('a narrower area is covered, a lower class too', () => {
    expect(decisionOf([rule()], request({ domain: 'family.calendar.school', riskClass: 'R0' }))).toMatchObject({ decision: 'deliver' });
  });

  test.each(['Family', 'family.', 'family..x', 'famil\u0443', 'family\u200b', 'familyx', '', '*', 'family.a.b.c.d.e.f'])(
    'DL-10: the area %j never matches a rule for "family", neither to allow nor to refuse',
    (domain) => {
      const both = [rule({ domain: 'family' }), rule({ id: 'no', effect: 'never', domain: 'family' })];
      expect(decisionOf(both, request({ domain }))).toMatchObject({ decision: 'ask', ground: 'default' });
    },
  );

  test('DL-10: ten thousand letters are no area either', () => {
    const both = [rule({ domain: 'family' }), rule({ id: 'no', effect: 'never', domain: 'family' })];
    expect(decisionOf(both, request({ domain: `family.${'f'.repeat(10_000)}` }))).toMatchObject({ decision: 'ask', ground: 'default' });
  });

  test('one that names another asking agent, topic or conversation says nothing', () => {
    for (const [change, miss] of [
      [{ askingAgent: 'claw' }, 'asking_agent'],
      [{ topic: 'dinner' }, 'topic'],
      [{ conversation: 'c2' }, 'conversation'],
    ] as const) {
      expect(missOf(rule(change), request(), MOMENT)).toBe(miss);
    }
  });

  test('ends at its time, not a moment later, and idle when nothing came', () => {
    const until = rule({ expiresAt: NOW + 5 });
    expect(missOf(until, request(), { ...MOMENT, nowMs: NOW + 4 })).toBeNull();
    expect(missOf(until, request(), { ...MOMENT, nowMs: NOW + 5 })).toBe('ended');
    const idle = rule({ idleMs: 100, expiresAt: NOW + 500, createdAt: NOW - 100 });
    expect(missOf(idle, request(), MOMENT)).toBe('ended');
    expect(missOf({ ...idle, lastUsedAt: NOW - 1 }, request(), MOMENT)).toBeNull();
    expect(missOf({ ...idle, lastUsedAt: NOW + 450 }, request(), { ...MOMENT, nowMs: NOW + 500 })).toBe('ended');
  });

  test('one made for requests that name no agent covers those alone', () => {
    const nobody = rule({ askingAgent: NO_AGENT });
    expect(missOf(nobody, request(), MOMENT)).toBeNull();
    expect(missOf(nobody, request({ askingAgent: 'claw' }), MOMENT)).toBe('asking_agent');
  });

  test('one made under this pairing holds whatever the clock showed when the hub was added', () => {
    const since = NOW + 5_000_000;
    expect(missOf(rule({ trustedSince: since }), request(), { nowMs: NOW, trustedSince: since })).toBeNull();
  });

  test('a suspended rule, one made under another pairing and one from a later clock say nothing', () => {
    expect(missOf(rule({ suspended: true }), request(), MOMENT)).toBe('suspended');
    expect(missOf(rule(), request(), { nowMs: NOW, trustedSince: NOW - 20 })).toBe('other_trust');
    expect(missOf(rule({ trustedSince: null }), request(), MOMENT)).toBe('other_trust');
    expect(missOf(rule(), request(), { nowMs: NOW, trustedSince: null })).toBe('other_trust');
    expect(missOf(rule({ createdAt: NOW + 1 }), request(), MOMENT)).toBe('not_begun');
    // It was used later than the clock shows, so the clock was set back meanwhile.
    expect(missOf(rule({ createdAt: NOW - 10, lastUsedAt: NOW + 1 }), request(), MOMENT)).toBe('not_begun');
    expect(missOf(rule({ createdAt: NOW - 10, lastUsedAt: NOW }), request(), MOMENT)).toBeNull();
  });

  test('what others see (R2) is covered within one conversation or, for good, one topic; never until a time, never everywhere', () => {
    const seen = request({ riskClass: 'R2', topic: 'dinner' });
    const of = (change: Partial<Rule>) => decisionOf([rule({ riskMax: 'R2', ...change })], seen).decision;
    expect(of({ reach: 'conversation', conversation: 'c1' })).toBe('deliver');
    expect(of({ reach: 'always', topic: 'dinner' })).toBe('deliver');
    expect(of({ reach: 'always' })).toBe('ask');
    expect(of({ reach: 'until', topic: 'dinner', expiresAt: NOW + 1 })).toBe('ask');
    expect(of({ reach: 'conversation' })).toBe('ask');
  });

  test.each(['conversation', 'until', 'always'] as const)('no rule that reaches %s opens a dangerous area', (reach) => {
    const open = rule({ reach, riskMax: 'R3', conversation: 'c1', topic: 'dinner' });
    expect(decisionOf([open], request({ riskClass: 'R3', topic: 'dinner' }))).toEqual({ decision: 'ask', ground: 'dangerous', id: null });
  });

  test('one that does not name hub, agent and area allows nothing', () => {
    for (const hole of [{ peer: null }, { agent: null }, { domain: null }]) {
      expect(decisionOf([rule(hole)], request())).toMatchObject({ decision: 'ask', ground: 'default' });
    }
  });
});

describe('several rules', () => {
  const never = rule({ id: 'never', effect: 'never', agent: null, domain: null, kind: null });
  const askAll = rule({ id: 'ask', effect: 'ask', peer: null, agent: null, domain: null, kind: null });

  test('any matching "never" wins, however wide, over the narrowest that allows, for a dangerous request too', () => {
    const narrow = rule({ askingAgent: 'claw', topic: 'dinner', conversation: 'c1' });
    const asked = request({ askingAgent: 'claw', topic: 'dinner' });
    expect(decisionOf([narrow, never], asked)).toEqual({ decision: 'decline', ground: 'never', id: 'never' });
    expect(decisionOf([narrow, never], { ...asked, riskClass: 'R3' })).toMatchObject({ decision: 'decline' });
  });

  test('the narrowest of ask and allow wins', () => {
    expect(decisionOf([askAll, rule()], request())).toMatchObject({ decision: 'deliver', id: 'rule' });
    const askSchool = rule({ id: 'school', effect: 'ask', domain: 'family.calendar.school' });
    expect(decisionOf([askAll, rule(), askSchool], request({ domain: 'family.calendar.school' }))).toEqual({
      decision: 'ask',
      ground: 'tie',
      id: 'school',
    });
    expect(decisionOf([askAll, rule(), askSchool], request())).toMatchObject({ decision: 'deliver' });
  });

  test('a tie asks: the same scope, and two scopes of which neither lies in the other', () => {
    expect(decisionOf([rule(), rule({ id: 'same', effect: 'ask' })], request())).toMatchObject({
      decision: 'ask',
      ground: 'tie',
      id: 'same',
    });
    const crossing = rule({ id: 'crossing', effect: 'ask', agent: null, domain: null, kind: null, conversation: 'c1' });
    expect(decisionOf([rule(), crossing], request())).toMatchObject({ decision: 'ask', ground: 'tie', id: 'crossing' });
  });

  test('a question that only looks passes by default, and is asked where a rule says so', () => {
    const looks = request({ riskClass: 'R0' });
    expect(decisionOf([], looks)).toEqual({ decision: 'deliver', ground: 'default', id: null });
    expect(decisionOf([askAll], looks)).toEqual({ decision: 'ask', ground: 'ask', id: 'ask' });
  });

  test('every rule that was looked at is named with the reason why it says nothing', () => {
    const other = rule({ id: 'other', peer: LEO });
    const { considered } = decideByRules([other, rule()], request(), MOMENT);
    expect(considered.map(({ rule: { id }, miss }) => [id, miss])).toEqual([
      ['other', 'peer'],
      ['rule', null],
    ]);
  });
});

// ---- The second implementation -------------------------------------------------------------------------------------------------

const PEERS = [DAD, LEO, 'agent:scribe'];
const AGENTS = ['planner', 'lights', 'other'];
const DOMAINS = ['family', 'family.chat', 'family.chat.dinner', 'familyx', 'home', null, 'Family', 'family..chat'];
const KINDS = ['delegate', 'query'] as const;
const ASKERS = ['claw', 'scribe', null];
const TOPICS = ['dinner', 'dinner.guests', 'trip', null];
const CONVERSATIONS = ['c1', 'c2', 'c3'];
const CLASSES = ['R0', 'R1', 'R2', 'R3'] as const;

/** Every request there can be in this little world, as far as scopes tell them apart. */
const WORLD: readonly RuledRequest[] = PEERS.flatMap((peer) =>
  AGENTS.flatMap((agent) =>
    DOMAINS.flatMap((domain) =>
      KINDS.flatMap((kind) =>
        ASKERS.flatMap((askingAgent) =>
          TOPICS.flatMap((topic) =>
            CONVERSATIONS.map((conversation) => request({ peer, agent, domain, kind, askingAgent, topic, conversation })),
          ),
        ),
      ),
    ),
  ),
);

/** "family" covers itself and whatever goes on with a dot; what is no proper area is covered by nothing. */
function coversName(of: string | null, name: string | null): boolean {
  if (of === null) return true;
  if (name === null || name !== name.toLowerCase() || name.includes('..')) return false;
  return name.split('.').slice(0, of.split('.').length).join('.') === of;
}

function coversScope(scope: Rule, asked: RuledRequest): boolean {
  const wanted = [
    [scope.peer, asked.peer],
    [scope.agent, asked.agent],
    [scope.kind, asked.kind],
    [scope.askingAgent, asked.askingAgent ?? ''],
    [scope.conversation, asked.conversation],
  ];
  return (
    wanted.every(([of, is]) => of === null || of === is) && coversName(scope.domain, asked.domain) && coversName(scope.topic, asked.topic)
  );
}

const SETS = new Map<string, Uint8Array>();
function setOf(scope: Rule): Uint8Array {
  const { peer, agent, domain, kind, askingAgent, topic, conversation } = scope;
  const key = JSON.stringify([peer, agent, domain, kind, askingAgent, topic, conversation]);
  const known = SETS.get(key) ?? Uint8Array.from(WORLD, (asked) => (coversScope(scope, asked) ? 1 : 0));
  SETS.set(key, known);
  return known;
}
const size = (set: Uint8Array) => set.reduce((sum, one) => sum + one, 0);
const NARROWER = new Map<Uint8Array, Map<Uint8Array, boolean>>();
function isProperSubset(one: Rule, other: Rule): boolean {
  const [inner, outer] = [setOf(one), setOf(other)];
  const row = NARROWER.get(inner) ?? new Map<Uint8Array, boolean>();
  NARROWER.set(inner, row);
  const known = row.get(outer) ?? (size(inner) < size(outer) && inner.every((is, index) => is === 0 || outer[index] === 1));
  row.set(outer, known);
  return known;
}

/** The rules of the house, word for word, one sentence after the other. */
function decideSlowly(rules: readonly Rule[], asked: RuledRequest, nowMs: number, trustedSince: number | null): string {
  const alive = rules.filter((one) => {
    if (one.suspended) return false;
    if (one.expiresAt !== null && one.expiresAt <= nowMs) return false;
    const lastSeen = one.lastUsedAt !== null && one.lastUsedAt > one.createdAt ? one.lastUsedAt : one.createdAt;
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
    if (one.peer === null || one.agent === null || one.domain === null || !asked.isAgentsDomain) return false;
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
    return (one.reach === 'conversation' && one.conversation !== null) || (one.reach === 'always' && one.topic !== null);
  });
  const asks = covering.filter((one) => one.effect === 'ask');
  // The narrowest of ask and allow wins, and a tie asks.
  if (allows.some((one) => asks.every((other) => isProperSubset(one, other)))) return 'deliver';
  if (asks.length > 0) return 'ask';
  // Defaults: a query is delivered when its class is R0, asked otherwise; a delegation is asked.
  return asked.kind === 'query' && asked.riskClass === 'R0' ? 'deliver' : 'ask';
}

const orNull = <T>(...values: readonly T[]) => fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...values));
const anyRequest: fc.Arbitrary<RuledRequest> = fc
  .tuple(fc.constantFrom(...WORLD), fc.constantFrom(...CLASSES), fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)))
  .map(([asked, riskClass, isAgentsDomain]) => ({ ...asked, riskClass, isAgentsDomain }));

/** A rule of which each part is mostly what `near` is, sometimes left open, sometimes another. */
function ruleNear(near: RuledRequest): fc.Arbitrary<Omit<Rule, 'id'>> {
  const part = <T>(own: T | null, open: number, others: readonly T[]) =>
    fc.oneof(
      { weight: own === null ? 0 : 8, arbitrary: fc.constant(own) },
      { weight: open, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
  const areas = ['family', 'family.chat', 'family.chat.dinner', 'home'];
  return fc.record({
    effect: fc.constantFrom('ask', 'ask', 'allow', 'allow', 'allow', 'allow', 'allow', 'never'),
    reach: fc.constantFrom('conversation', 'until', 'always'),
    peer: part(near.peer, 1, PEERS),
    agent: part(near.agent, 1, AGENTS),
    domain: part(near.domain !== null && areas.includes(near.domain) ? near.domain : 'family', 2, areas),
    kind: part<'delegate' | 'query'>(near.kind, 6, KINDS),
    askingAgent: part(near.askingAgent, 20, ['claw', 'scribe', '']),
    topic: part(near.topic, 20, ['dinner', 'dinner.guests']),
    conversation: part(near.conversation, 20, ['c1', 'c2']),
    riskMax: fc.oneof({ weight: 3, arbitrary: fc.constant(near.riskClass) }, orNull(...CLASSES)),
    createdAt: fc.integer({ min: 0, max: 12 }),
    trustedSince: fc.constantFrom<(number | null)[]>(0, 0, 0, 0, 0, 0, 0, 0, 5, null),
    expiresAt: orNull(5, 10, 15, 50),
    idleMs: orNull(3, 8, 60, 60, 60),
    lastUsedAt: orNull(1, 2, 2, 3, 4, 9, 16),
    suspended: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  });
}

const anyHousehold = anyRequest.chain((asked) =>
  fc
    .tuple(fc.array(ruleNear(asked), { maxLength: 8 }), fc.integer({ min: 0, max: 30 }), fc.constantFrom(null, 0, 0, 0, 0, 5))
    .map(([drafts, nowMs, trustedSince]) => ({
      rules: drafts.map((draft, index): Rule => ({ ...draft, id: `rule-${index}` })),
      asked,
      nowMs,
      trustedSince,
    })),
);
const anyTwoRules = anyRequest.chain((asked) => fc.tuple(ruleNear(asked), ruleNear(asked)));

describe('against the second implementation', () => {
  test('10,000 generated households are decided the same, and each decision is met', { timeout: 120_000 }, () => {
    const met = new Map<string, number>();
    fc.assert(
      fc.property(anyHousehold, ({ rules, asked, nowMs, trustedSince }) => {
        const { decision, ground } = decideByRules(rules, asked, { nowMs, trustedSince });
        met.set(ground, (met.get(ground) ?? 0) + 1);
        expect(decision).toBe(decideSlowly(rules, asked, nowMs, trustedSince));
      }),
      { numRuns: 10_000 },
    );
    expect([...met.keys()].toSorted()).toEqual(['allow', 'ask', 'dangerous', 'default', 'never', 'tie']);
    // The rarest is met some 120 times.
    expect(Math.min(...met.values())).toBeGreaterThan(60);
  });

  test('narrower is the proper part of all requests, for every pair of generated scopes', () => {
    fc.assert(
      fc.property(anyTwoRules, ([one, other]) => {
        const [first, second] = [
          { ...one, id: '1' },
          { ...other, id: '2' },
        ];
        expect(isNarrower(first, second)).toBe(isProperSubset(first, second));
      }),
      { numRuns: 5_000 },
    );
  });

  test('the order of the rules changes nothing, and a rule that names the decision is one that matches', () => {
    fc.assert(
      fc.property(anyHousehold, ({ rules, asked, nowMs, trustedSince }) => {
        const moment = { nowMs, trustedSince };
        const one = decideByRules(rules, asked, moment);
        const turned = decideByRules(rules.toReversed(), asked, moment);
        expect([turned.decision, turned.ground, turned.rule?.id]).toEqual([one.decision, one.ground, one.rule?.id]);
        if (one.rule) expect(missOf(one.rule, asked, moment)).toBeNull();
        expect(one.considered).toHaveLength(rules.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
