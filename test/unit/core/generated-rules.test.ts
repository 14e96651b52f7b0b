// Which rule decides, for ten thousand generated households, against a second implementation; and
// rules made by hand, as the Rules page makes them, among the others and by themselves: none lets
// in more than was said.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decideByRules,
  isNarrower,
  missOf,
  type Rule,
  type RuledRequest,
} from '../../../main/core/rules.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { draftOf } from '../../../main/services/rules/manual-rules.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { agentRow } from '../../fakes/sample-rows.ts';
import { domains } from './agents.ts';
import {
  AGENTS,
  CLASSES,
  coversScope,
  DAD,
  decideSlowly,
  isProperSubset,
  KINDS,
  LEO,
  PEERS,
  WORLD,
} from './rules-of-the-house.ts';

const orNull = <T>(...values: readonly T[]) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...values));
const anyRequest: fc.Arbitrary<RuledRequest> = fc
  .tuple(
    fc.constantFrom(...WORLD),
    fc.constantFrom(...CLASSES),
    fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  )
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
    domain: part(
      near.domain !== null && areas.includes(near.domain) ? near.domain : 'family',
      2,
      areas,
    ),
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

type Said = OperationParams<'rules.create'>;
const HAND_AREAS = ['family', 'family.chat', 'family.chat.dinner', 'home'];

const mostly = <T>(own: T, ...others: readonly T[]) =>
  fc.oneof(
    { weight: 8 * others.length, arbitrary: fc.constant(own) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );

/**
 * What a person says of a rule, mostly about `near`, and the rule that is made of it; undefined
 * where it is refused.
 */
function byHandNear(
  near: RuledRequest,
): fc.Arbitrary<{ readonly said: Said; readonly rule: Omit<Rule, 'id'> | undefined }> {
  const area = near.domain !== null && HAND_AREAS.includes(near.domain) ? near.domain : 'family';
  return fc
    .record({
      effect: fc.constantFrom<Said['effect'][]>('allow', 'allow', 'allow', 'ask', 'never'),
      peer: mostly(near.peer, null, ...PEERS),
      agent: mostly(near.agent, null, ...AGENTS),
      domain: mostly(area, null, ...HAND_AREAS),
      kind: mostly(null, ...KINDS),
      asking_agent: mostly(null, near.askingAgent, 'claw'),
      topic: fc.constantFrom(near.topic, null, 'dinner'),
      until: fc.constantFrom(undefined, null, 12, 20, 40),
      riskClass: mostly(near.riskClass, ...CLASSES),
      madeAt: fc.integer({ min: 0, max: 10 }),
      trustedSince: mostly(0, 5),
    })
    .map(({ riskClass, madeAt, trustedSince, until, ...rest }) => {
      const said = { ...rest, ...(until === undefined ? {} : { until }) };
      const agent =
        said.agent === null
          ? undefined
          : agentRow({ name: said.agent, riskClass, domains: domains(area) });
      const made = {
        createdAt: madeAt,
        trustedSince: said.peer === null ? null : trustedSince,
        lastUsedAt: null,
        suspended: false,
      };
      try {
        const peer =
          said.peer === null
            ? null
            : said.peer === 'agent:scribe'
              ? 'agent:scribe'
              : said.peer === LEO
                ? LEO
                : DAD;
        const {
          madeOn: _on,
          approvalId: _of,
          ...draft
        } = draftOf(said, { peer, agent, nowMs: madeAt, isForAdults: () => false });
        return { said, rule: { ...draft, ...made } };
      } catch (error) {
        if (error instanceof AppError && error.code === 'bad_request')
          return { said, rule: undefined };
        throw error;
      }
    });
}

const anyRuleNear = (near: RuledRequest): fc.Arbitrary<Omit<Rule, 'id'>> =>
  fc.oneof(
    { weight: 3, arbitrary: ruleNear(near) },
    {
      weight: 1,
      arbitrary: byHandNear(near)
        .map(({ rule }) => rule)
        .filter((rule) => rule !== undefined),
    },
  );

const anyHousehold = anyRequest.chain((asked) =>
  fc
    .tuple(
      fc.array(anyRuleNear(asked), { maxLength: 8 }),
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom(null, 0, 0, 0, 0, 5),
    )
    .map(([drafts, nowMs, trustedSince]) => ({
      rules: drafts.map((draft, index): Rule => ({ ...draft, id: `rule-${index}` })),
      asked,
      nowMs,
      trustedSince,
    })),
);
const anyTwoRules = anyRequest.chain((asked) => fc.tuple(ruleNear(asked), ruleNear(asked)));

describe('against the second implementation', () => {
  test(
    '10,000 generated households are decided the same, and each decision is met',
    { timeout: 120_000 },
    () => {
      const met = new Map<string, number>();
      fc.assert(
        fc.property(anyHousehold, ({ rules, asked, nowMs, trustedSince }) => {
          const { decision, ground } = decideByRules(rules, asked, { nowMs, trustedSince });
          met.set(ground, (met.get(ground) ?? 0) + 1);
          expect(decision).toBe(decideSlowly(rules, asked, nowMs, trustedSince));
        }),
        { numRuns: 10_000 },
      );
      expect([...met.keys()].toSorted()).toEqual([
        'allow',
        'ask',
        'dangerous',
        'default',
        'never',
        'tie',
      ]);
      // The rarest is met some 120 times.
      expect(Math.min(...met.values())).toBeGreaterThan(60);
    },
  );

  test(
    'narrower is the proper part of all requests, for every pair of generated scopes',
    { timeout: 120_000 },
    () => {
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
    },
  );

  test('the order of the rules changes nothing, and a rule that names the decision is one that matches', () => {
    fc.assert(
      fc.property(anyHousehold, ({ rules, asked, nowMs, trustedSince }) => {
        const moment = { nowMs, trustedSince };
        const one = decideByRules(rules, asked, moment);
        const turned = decideByRules(rules.toReversed(), asked, moment);
        expect([turned.decision, turned.ground, turned.rule?.id]).toEqual([
          one.decision,
          one.ground,
          one.rule?.id,
        ]);
        if (one.rule) expect(missOf(one.rule, asked, moment)).toBeNull();
        expect(one.considered).toHaveLength(rules.length);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a rule made by hand', () => {
  test(
    '10,000 of them: what is let in lies in everything that was said, and what was said is all that is let in or turned away',
    { timeout: 120_000 },
    () => {
      const met = { refused: 0, allow: 0, ask: 0, never: 0, dangerous: 0, default: 0 };
      const one = anyRequest.chain((asked) =>
        fc.tuple(fc.constant(asked), byHandNear(asked), fc.integer({ min: 0, max: 45 })),
      );
      fc.assert(
        fc.property(one, ([asked, { said, rule }, nowMs]) => {
          if (rule === undefined) {
            met.refused += 1;
            // Nobody is kept from turning away or being asked, but by an agent of this hub that is
            // to ask in another name.
            expect(said.effect === 'allow' || said.asking_agent !== null).toBe(true);
            return;
          }
          const { decision, ground } = decideByRules([{ ...rule, id: 'by hand' }], asked, {
            nowMs,
            trustedSince: 0,
          });
          if (
            ground === 'tie' ||
            ground === 'tampered' ||
            ground === 'adults' ||
            ground === 'turns'
          )
            throw new Error('one rule alone is no tie, asks no adult, and counts no turns');
          met[ground] += 1;
          expect(decision).toBe(decideSlowly([{ ...rule, id: 'by hand' }], asked, nowMs, 0));
          if (ground === 'default' || ground === 'dangerous') return;
          // Whatever it decides is about what was said, to the letter, and in its time.
          const scope = {
            peer: said.peer,
            agent: said.agent,
            domain: said.domain,
            kind: said.kind,
            topic: said.topic,
          };
          expect(
            coversScope(
              { ...rule, id: 'said', ...scope, askingAgent: said.asking_agent, conversation: null },
              asked,
            ),
          ).toBe(true);
          if (typeof said.until === 'number') expect(nowMs).toBeLessThan(said.until);
          if (said.effect !== 'allow') return;
          expect([said.peer, said.agent, said.domain].includes(null)).toBe(false);
          expect(
            asked.riskClass === 'R0' ||
              asked.riskClass === 'R1' ||
              (asked.riskClass === 'R2' && said.topic !== null),
          ).toBe(true);
          if (said.until === undefined) expect(rule.expiresAt).not.toBeNull();
        }),
        { numRuns: 10_000 },
      );
      expect(Math.min(...Object.values(met))).toBeGreaterThan(200);
    },
  );
});
