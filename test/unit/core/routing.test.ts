// Which agent a request is for, and what a domain is.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseAgent,
  isDomain,
  matchesDomain,
  type RouteRequest,
} from '../../../main/core/routing.ts';
import { agent, domains } from './agents.ts';

const HOSTILE_DOMAINS = [
  'Family',
  'FAMILY',
  'family.',
  '.family',
  'family..x',
  'famil\u0443',
  'family\u200b',
  'family\n',
  ' family',
  'family ',
  'familyx',
  'xfamily',
  'family-x',
  'family/x',
  'family.*',
  'family.-x',
  'family.x-',
  'family_x',
  '*',
  '',
  'family.a.b.c.d.e.f',
  `family.${'x'.repeat(60)}`,
  'family.'.repeat(1500),
  'f'.repeat(10_240),
  'ｆａｍｉｌｙ',
  'family\u0000.x',
];

const nothing: RouteRequest = { routeTo: null, domain: null, capability: null };
const calendar = agent('calendar', { domains: domains('family.calendar') });
const family = agent('family', {
  domains: domains('family', 'logistics'),
  capabilities: ['web_search', 'chat'],
});
const fallback = agent('helper', { isDefault: true });

function chosen(request: Partial<RouteRequest>, agents = [fallback, family, calendar]): string {
  const result = chooseAgent(agents, { ...nothing, ...request });
  return result.ok ? result.value.agent.name : result.error.message;
}

describe('domains', () => {
  it.each(HOSTILE_DOMAINS)('DL-10 (matching): %j matches no rule for family', (domain) => {
    expect(matchesDomain('family', domain)).toBe(false);
    expect(matchesDomain('family.calendar', domain)).toBe(false);
  });

  it.each(HOSTILE_DOMAINS)('DL-10 (routing): %j reaches no agent by its domains', (domain) => {
    const result = chooseAgent([family, calendar], { ...nothing, domain });
    expect(result.ok).toBe(false);
  });

  it('match themselves and what lies under them, word by word', () => {
    expect(matchesDomain('family', 'family')).toBe(true);
    expect(matchesDomain('family', 'family.calendar')).toBe(true);
    expect(matchesDomain('family.calendar', 'family')).toBe(false);
    expect(matchesDomain('family', 'family-two.calendar')).toBe(false);
  });

  it('match by the words they are made of, and by nothing else', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,4}(-[a-z0-9]{1,3})?$/);
    const path = fc.array(word, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(path, path, (prefix, domain) => {
        const expected =
          prefix.length <= domain.length && prefix.every((part, index) => part === domain[index]);
        expect(matchesDomain(prefix.join('.'), domain.join('.'))).toBe(expected);
        expect(matchesDomain(prefix.join('.'), [...prefix, ...domain].slice(0, 6).join('.'))).toBe(
          true,
        );
      }),
    );
  });

  it('are never matched by a rule that is no domain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        if (!isDomain(text)) expect(matchesDomain(text, text)).toBe(false);
      }),
    );
  });

  it('are decided at once, however long the text', () => {
    expect(isDomain(`${'a-'.repeat(500_000)}!`)).toBe(false);
    expect(isDomain('a'.repeat(64))).toBe(true);
    expect(isDomain('a'.repeat(65))).toBe(false);
  });
});

describe('choosing an agent', () => {
  it('takes the one that was named, before all else', () => {
    expect(chosen({ routeTo: 'calendar', domain: 'logistics', capability: 'chat' })).toBe(
      'calendar',
    );
  });

  it('refuses a name that is not there, naming those that are, even when a domain would fit', () => {
    expect(chosen({ routeTo: 'garden', domain: 'family' })).toBe(
      'There is no agent "garden" here. This hub has: helper, calendar, family.',
    );
    expect(chosen({ routeTo: 'x\u202e' })).toMatch(/^There is no agent of that name here\./);
  });

  it('takes the longest matching domain', () => {
    expect(chosen({ domain: 'family.calendar.week' })).toBe('calendar');
    expect(chosen({ domain: 'family.school' })).toBe('family');
  });

  it('takes a capability when no domain matches, and the default when neither does', () => {
    expect(chosen({ domain: 'work', capability: 'web_search' })).toBe('family');
    expect(chosen({ capability: 'chat.send' })).toBe('family');
    expect(chosen({ capability: 'chatter' })).toBe('helper');
    expect(chosen({ domain: 'work' })).toBe('helper');
    expect(chosen({})).toBe('helper');
  });

  it('breaks ties by the default agent, then by name, whatever the order of the list', () => {
    const b = agent('b', { domains: domains('family') });
    const a = agent('a', { domains: domains('family') });
    const preferred = agent('z', { domains: domains('family'), isDefault: true });
    fc.assert(
      fc.property(fc.shuffledSubarray([a, b, preferred], { minLength: 1 }), (agents) => {
        const expected = agents.includes(preferred) ? 'z' : agents.includes(a) ? 'a' : 'b';
        expect(chosen({ domain: 'family.x' }, agents)).toBe(expected);
      }),
    );
  });

  it('never takes an agent that waits to be confirmed', () => {
    const waiting = agent('waiting', {
      state: 'requested',
      domains: domains('family'),
      capabilities: ['chat'],
      isDefault: true,
    });
    const requests: readonly Partial<RouteRequest>[] = [
      { routeTo: 'waiting' },
      { domain: 'family' },
      { capability: 'chat' },
      {},
    ];
    for (const request of requests) {
      expect(chosen(request, [waiting])).toContain('No agent is connected');
    }
  });

  it('without a default names the domains it has, or else the agents', () => {
    expect(chosen({ domain: 'work.calendar' }, [family, calendar])).toBe(
      'Nobody here handles "work.calendar". This hub handles: family, family.calendar, logistics.',
    );
    expect(chosen({}, [agent('bare')])).toBe(
      'The message names no agent and no domain, and this hub has no default agent. Name one of its agents instead: bare.',
    );
    expect(chosen({ domain: 'Family!' }, [family])).toContain('use lower-case words with dots');
    expect(chosen({}, [])).toBe(
      'No agent is connected to this hub yet. Try again later, or ask another hub.',
    );
  });

  it('never repeats a hostile name or domain in its own sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), (text) => {
        expect(chosen({ routeTo: text }, [family])).toMatch(/^[\x20-\x7e]*$/);
        expect(chosen({ domain: text }, [family])).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });

  it('lists at most twenty names', () => {
    const many = Array.from({ length: 30 }, (_, index) => agent(`a${index + 10}`));
    expect(chosen({ routeTo: 'nobody' }, many)).toMatch(/a10, .*a29 and more\.$/);
  });

  it('says why', () => {
    const why = (request: Partial<RouteRequest>) => {
      const result = chooseAgent([fallback, family, calendar], { ...nothing, ...request });
      return result.ok ? result.value.why : '';
    };
    expect(why({ routeTo: 'calendar' })).toBe('It was named.');
    expect(why({ domain: 'family.school' })).toBe('It handles "family".');
    expect(why({ capability: 'chat' })).toBe('It can "chat".');
    expect(why({})).toBe('It takes what no other agent handles.');
  });
});
