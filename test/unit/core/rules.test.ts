// Which rule decides: worked cases. Generated ones stand in generated-rules.test.ts.
import { describe, expect, test } from 'vitest';
import {
  decideByRules,
  missOf,
  NO_AGENT,
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
