// Which rule decides: worked cases. Generated ones stand in generated-rules.test.ts.
import { describe, expect, test } from 'vitest';
import {
  decideByRules,
  missOf,
  NO_AGENT,
  NO_AREA,
  type Rule,
  type RuledRequest,
} from '../../../main/core/rules.ts';
import { LEO, MOMENT, NOW, request, rule } from './rules-of-the-house.ts';

const decisionOf = (rules: readonly Rule[], asked: RuledRequest, moment = MOMENT) => {
  const { decision, ground, rule: decided } = decideByRules(rules, asked, moment);
  return { decision, ground, id: decided?.id ?? null };
};

describe('one allowing rule', () => {
  test('lets in what it was made for, and says so', () => {
    expect(decisionOf([rule()], request())).toEqual({
      decision: 'deliver',
      ground: 'allow',
      id: 'rule',
    });
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
    expect(decisionOf([rule()], request(change))).toEqual({
      decision: 'ask',
      ground: 'default',
      id: null,
    });
    expect(missOf(rule(), request(change), MOMENT)).toBe(miss);
  });

  test('a narrower area is covered, a lower class too', () => {
    expect(
      decisionOf([rule()], request({ domain: 'family.calendar.school', riskClass: 'R0' })),
    ).toMatchObject({ decision: 'deliver' });
  });

  test.each([
    'Family',
    'family.',
    'family..x',
    'famil\u0443',
    'family\u200b',
    'familyx',
    '',
    '*',
    'family.a.b.c.d.e.f',
  ])(
    'DL-10: the area %j never matches a rule for "family", neither to allow nor to refuse',
    (domain) => {
      const both = [
        rule({ domain: 'family' }),
        rule({ id: 'no', effect: 'never', domain: 'family' }),
      ];
      expect(decisionOf(both, request({ domain }))).toMatchObject({
        decision: 'ask',
        ground: 'default',
      });
    },
  );

  test('DL-10: ten thousand letters are no area either', () => {
    const both = [
      rule({ domain: 'family' }),
      rule({ id: 'no', effect: 'never', domain: 'family' }),
    ];
    expect(decisionOf(both, request({ domain: `family.${'f'.repeat(10_000)}` }))).toMatchObject({
      decision: 'ask',
      ground: 'default',
    });
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
    expect(
      missOf({ ...idle, lastUsedAt: NOW + 450 }, request(), { ...MOMENT, nowMs: NOW + 500 }),
    ).toBe('ended');
  });

  test('one made for requests that name no agent covers those alone', () => {
    const nobody = rule({ askingAgent: NO_AGENT });
    expect(missOf(nobody, request(), MOMENT)).toBeNull();
    expect(missOf(nobody, request({ askingAgent: 'claw' }), MOMENT)).toBe('asking_agent');
  });

  test('one made under this pairing holds whatever the clock showed when the hub was added', () => {
    const since = NOW + 5_000_000;
    expect(
      missOf(rule({ trustedSince: since }), request(), { nowMs: NOW, trustedSince: since }),
    ).toBeNull();
  });

  test('a suspended rule, one made under another pairing and one from a later clock say nothing', () => {
    expect(missOf(rule({ suspended: true }), request(), MOMENT)).toBe('suspended');
    expect(missOf(rule(), request(), { nowMs: NOW, trustedSince: NOW - 20 })).toBe('other_trust');
    expect(missOf(rule({ trustedSince: null }), request(), MOMENT)).toBe('other_trust');
    expect(missOf(rule(), request(), { nowMs: NOW, trustedSince: null })).toBe('other_trust');
    expect(missOf(rule({ createdAt: NOW + 1 }), request(), MOMENT)).toBe('not_begun');
    // It was used later than the clock shows, so the clock was set back meanwhile.
    expect(missOf(rule({ createdAt: NOW - 10, lastUsedAt: NOW + 1 }), request(), MOMENT)).toBe(
      'not_begun',
    );
    expect(missOf(rule({ createdAt: NOW - 10, lastUsedAt: NOW }), request(), MOMENT)).toBeNull();
  });

  test('what others see (R2) is covered within one conversation or, for good, one topic; never until a time, never everywhere', () => {
    const seen = request({ riskClass: 'R2', topic: 'dinner' });
    const of = (change: Partial<Rule>) =>
      decisionOf([rule({ riskMax: 'R2', ...change })], seen).decision;
    expect(of({ reach: 'conversation', conversation: 'c1' })).toBe('deliver');
    expect(of({ reach: 'always', topic: 'dinner' })).toBe('deliver');
    expect(of({ reach: 'always' })).toBe('ask');
    expect(of({ reach: 'until', topic: 'dinner', expiresAt: NOW + 1 })).toBe('ask');
    expect(of({ reach: 'conversation' })).toBe('ask');
  });

  test.each(['conversation', 'until', 'always'] as const)(
    'no rule that reaches %s opens a dangerous area',
    (reach) => {
      const open = rule({ reach, riskMax: 'R3', conversation: 'c1', topic: 'dinner' });
      expect(decisionOf([open], request({ riskClass: 'R3', topic: 'dinner' }))).toEqual({
        decision: 'ask',
        ground: 'dangerous',
        id: null,
      });
    },
  );

  test('one that does not name hub, agent and area allows nothing', () => {
    for (const hole of [{ peer: null }, { agent: null }, { domain: null }]) {
      expect(decisionOf([rule(hole)], request())).toMatchObject({
        decision: 'ask',
        ground: 'default',
      });
    }
  });
});

describe('several rules', () => {
  const never = rule({ id: 'never', effect: 'never', agent: null, domain: null, kind: null });
  const askAll = rule({
    id: 'ask',
    effect: 'ask',
    peer: null,
    agent: null,
    domain: null,
    kind: null,
  });

  test('any matching "never" wins, however wide, over the narrowest that allows, for a dangerous request too', () => {
    const narrow = rule({ askingAgent: 'claw', topic: 'dinner', conversation: 'c1' });
    const asked = request({ askingAgent: 'claw', topic: 'dinner' });
    expect(decisionOf([narrow, never], asked)).toEqual({
      decision: 'decline',
      ground: 'never',
      id: 'never',
    });
    expect(decisionOf([narrow, never], { ...asked, riskClass: 'R3' })).toMatchObject({
      decision: 'decline',
    });
  });

  test('the narrowest of ask and allow wins', () => {
    expect(decisionOf([askAll, rule()], request())).toMatchObject({
      decision: 'deliver',
      id: 'rule',
    });
    const askSchool = rule({ id: 'school', effect: 'ask', domain: 'family.calendar.school' });
    expect(
      decisionOf([askAll, rule(), askSchool], request({ domain: 'family.calendar.school' })),
    ).toEqual({
      decision: 'ask',
      ground: 'tie',
      id: 'school',
    });
    expect(decisionOf([askAll, rule(), askSchool], request())).toMatchObject({
      decision: 'deliver',
    });
  });

  test('a tie asks: the same scope, and two scopes of which neither lies in the other', () => {
    expect(decisionOf([rule(), rule({ id: 'same', effect: 'ask' })], request())).toMatchObject({
      decision: 'ask',
      ground: 'tie',
      id: 'same',
    });
    const crossing = rule({
      id: 'crossing',
      effect: 'ask',
      agent: null,
      domain: null,
      kind: null,
      conversation: 'c1',
    });
    expect(decisionOf([rule(), crossing], request())).toMatchObject({
      decision: 'ask',
      ground: 'tie',
      id: 'crossing',
    });
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

describe('a rule for requests that name no area', () => {
  const open = rule({ id: 'open', domain: NO_AREA });
  const asked = request({
    domain: null,
    isAgentsDomain: false,
    agentsCapabilities: ['web'],
  });

  test('lets in what names none, up to R1, whatever class is stored', () => {
    expect(decisionOf([open], asked)).toEqual({
      decision: 'deliver',
      ground: 'allow',
      id: 'open',
    });
    for (const wide of [
      { ...open, riskMax: 'R2' },
      { ...open, riskMax: 'R2', topic: 'dinner' },
      { ...open, riskMax: 'R2', reach: 'conversation', conversation: 'c1' },
    ] as const)
      expect(missOf(wide, { ...asked, topic: 'dinner', riskClass: 'R2' }, MOMENT)).toBe('class');
  });

  test.each(['family.calendar', 'garden', '', 'Family', '*', ' '])(
    'says nothing of a request that names %j, whether the agent has it or not',
    (domain) => {
      for (const isAgentsDomain of [true, false])
        expect(missOf(open, request({ domain, isAgentsDomain }), MOMENT)).toBe('domain');
    },
  );

  test('grows out of no rule for an area, or for any', () => {
    for (const domain of ['family', 'family.calendar', null])
      expect(decisionOf([rule({ domain })], asked)).toMatchObject({ decision: 'ask' });
  });

  test.each<[string, Partial<Rule>]>([
    ['of that very area', { domain: 'home.locks' }],
    ['of a wider one', { domain: 'home' }],
    ['of one inside it', { domain: 'home.locks.front' }],
    ['of any agent here', { domain: 'home.locks', agent: null }],
    ['of any hub', { domain: 'home.locks', peer: null }],
    ['of the other kind', { domain: 'home.locks', kind: 'delegate' }],
    ['of one topic', { domain: 'home.locks', topic: 'doors' }],
    ['of one agent there, which may be who names nobody', { domain: 'home', askingAgent: 'claw' }],
    ['of a capability, which it may need', { domain: 'web' }],
  ])('gives way to "never" and "ask" %s, and then asks', (_which, about) => {
    for (const effect of ['never', 'ask'] as const) {
      const other = rule({ id: 'no', effect, riskMax: null, ...about });
      for (const both of [
        [open, other],
        [other, open],
      ]) {
        expect(decisionOf(both, asked)).toEqual({ decision: 'ask', ground: 'default', id: null });
        expect(
          decideByRules(both, asked, MOMENT).considered.find(({ rule: { id } }) => id === 'open'),
        ).toMatchObject({ miss: 'limited' });
      }
    }
  });

  test.each<[string, Partial<Rule>]>([
    ['about an area that the agent has not', { domain: 'garden' }],
    ['about another hub', { domain: 'home', peer: LEO }],
    ['about another agent here', { domain: 'home', agent: 'lights' }],
    ['that is paused', { domain: 'home', suspended: true }],
    ['that is over', { domain: 'home', expiresAt: NOW }],
  ])('goes on beside a "never" %s', (_which, about) => {
    const other = rule({ id: 'no', effect: 'never', riskMax: null, ...about });
    expect(decisionOf([open, other], asked)).toMatchObject({ decision: 'deliver' });
  });

  test('another agent of that hub is not held back by what was said of one', () => {
    const other = rule({ id: 'no', effect: 'never', domain: 'home', askingAgent: 'claw' });
    const jules = { ...asked, askingAgent: 'jules' };
    expect(decisionOf([open, other], jules)).toMatchObject({ decision: 'deliver' });
    expect(decisionOf([open, other], { ...asked, askingAgent: 'claw' })).toMatchObject({
      decision: 'ask',
    });
  });

  test('loses against the same words with "never", and ties with "ask"', () => {
    const no = rule({ id: 'no', effect: 'never', domain: NO_AREA, riskMax: null });
    const ask = rule({ id: 'ask', effect: 'ask', domain: NO_AREA, riskMax: null });
    expect(decisionOf([open, no], asked)).toMatchObject({ decision: 'decline', id: 'no' });
    expect(decisionOf([open, ask], asked)).toMatchObject({ decision: 'ask', ground: 'tie' });
    expect(decisionOf([no], request())).toMatchObject({ ground: 'default' });
  });
});
