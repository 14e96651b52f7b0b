// The household's class of a request, and what follows from it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { decide } from '../../../main/core/rules.ts';
import { riskOf } from '../../../main/core/risk.ts';
import { agent, domains } from './agents.ts';

const CLASSES: readonly RiskClass[] = ['R0', 'R1', 'R2', 'R3'];
const riskClass = fc.constantFrom(...CLASSES);

describe('risk', () => {
  it('is the class of the longest matching domain, else of the agent', () => {
    const home = agent('home', {
      riskClass: 'R2',
      domains: domains(['family', 'R1'], ['family.calendar', 'R0'], 'logistics', [
        'home.locks',
        'R3',
      ]),
    });
    expect(riskOf(home, 'family.calendar.week')).toEqual({
      riskClass: 'R0',
      reason: 'domain_class',
    });
    expect(riskOf(home, 'family.school')).toEqual({ riskClass: 'R1', reason: 'domain_class' });
    expect(riskOf(home, 'home.locks.front')).toEqual({ riskClass: 'R3', reason: 'domain_class' });
    expect(riskOf(home, 'logistics.travel')).toEqual({ riskClass: 'R2', reason: 'agent_class' });
    expect(riskOf(home, 'work')).toEqual({ riskClass: 'R2', reason: 'agent_class' });
  });

  it('is nobody’s word where the owner has not spoken of the agent, or of an area it added itself', () => {
    const fresh = agent('new', {
      classByOwner: false,
      domains: [
        ...domains(['family', 'R1'], 'lists'),
        { domain: 'pay', riskClass: 'R3', byOwner: false, isOffered: true },
      ],
    });
    expect(riskOf(fresh, 'lists.food')).toEqual({ riskClass: 'R2', reason: 'default_class' });
    expect(riskOf(fresh, 'pay.rent')).toEqual({ riskClass: 'R3', reason: 'default_class' });
    expect(riskOf(fresh, 'family')).toEqual({ riskClass: 'R1', reason: 'domain_class' });
  });

  it('DL-10 (risk): a domain that is none is unknown and R3, whatever the agent', () => {
    for (const domain of [
      'Family',
      'family.',
      'family..x',
      'famil\u0443',
      'family\u200b',
      '',
      'x'.repeat(10_240),
    ]) {
      for (const own of CLASSES) {
        const lenient = agent('a', { riskClass: own, domains: domains(['family', 'R0']) });
        expect(riskOf(lenient, domain)).toEqual({ riskClass: 'R3', reason: 'unknown' });
        expect(decide({ kind: 'query', riskClass: riskOf(lenient, domain).riskClass })).toBe('ask');
      }
    }
  });

  it('DL-10 (risk): without a domain it is asked, even of an agent that only looks', () => {
    const looks = agent('a', { riskClass: 'R0', domains: domains(['family', 'R0']) });
    expect(riskOf(looks, null)).toEqual({ riskClass: 'R1', reason: 'no_domain' });
    expect(riskOf(agent('a', { riskClass: 'R3' }), null)).toEqual({
      riskClass: 'R3',
      reason: 'no_domain',
    });
    // Whoever leaves the area out gains nothing by it.
    const opens = agent('a', { riskClass: 'R1', domains: domains('music', ['home.doors', 'R3']) });
    expect(riskOf(opens, null)).toEqual({ riskClass: 'R3', reason: 'no_domain' });
    expect(decide({ kind: 'query', riskClass: riskOf(looks, null).riskClass })).toBe('ask');
  });

  it('is the more careful of two where one area stands there twice, in either order', () => {
    for (const twice of [
      domains(['home', 'R3'], ['home', 'R0']),
      domains(['home', 'R0'], ['home', 'R3']),
    ]) {
      expect(riskOf(agent('a', { riskClass: 'R0', domains: twice }), 'home.doors').riskClass).toBe(
        'R3',
      );
    }
  });

  it('is at least R2 for an agent nobody has confirmed', () => {
    fc.assert(
      fc.property(riskClass, (own) => {
        const risk = riskOf(
          agent('a', { state: 'requested', riskClass: own, domains: domains(['family', 'R0']) }),
          'family',
        );
        expect(risk).toEqual({ riskClass: own === 'R3' ? 'R3' : 'R2', reason: 'new_agent' });
      }),
    );
  });
});

describe('policy', () => {
  it('delivers a query that can only look, and asks for everything else', () => {
    for (const own of CLASSES) {
      expect(decide({ kind: 'delegate', riskClass: own })).toBe('ask');
      expect(decide({ kind: 'query', riskClass: own })).toBe(own === 'R0' ? 'deliver' : 'ask');
    }
  });
});
