import { describe, expect, test } from 'vitest';
import type { HoldReason } from '../../../preload/contract/attention.ts';
import { isLastWord, lastWord } from '../../../preload/contract/last-word.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { pluralizer } from '../../../preload/contract/strings/plural.ts';
import { areaName } from '../../../preload/contract/strings/shared-words.ts';
import { countdown, dayName, durationWords, when } from '../../../renderer/app/format.ts';
import { hrefOf, readPlace } from '../../../renderer/app/Navigation.svelte.ts';
import { HOSTILE_TEXTS } from '../../fakes/hostile-texts.ts';

const NOW = new Date(2026, 10, 21, 18, 4).getTime();

describe('words and numbers', () => {
  test('a sentence agrees with its number, in languages with more forms than two, too', () => {
    expect([0, 1, 2].map(ENGLISH.now.needYou)).toEqual([
      '0 requests need you',
      '1 request needs you',
      '2 requests need you',
    ]);
    const polish = pluralizer('pl');
    expect(
      [1, 2, 5].map((count) =>
        polish(count, { one: '{n} pies', few: '{n} psy', other: '{n} psów' }),
      ),
    ).toEqual(['1 pies', '2 psy', '5 psów']);
  });

  test('every word of the catalogue says something', () => {
    const empty: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value === 'string' && value.trim() === '') empty.push(path);
      if (typeof value === 'object' && value !== null)
        for (const [key, member] of Object.entries(value)) walk(member, `${path}.${key}`);
    };
    walk(ENGLISH, 'english');
    expect(empty).toEqual([]);
  });

  test('the chart says of what was allowed "by a person", who may be an adult at another hub, and never "by you"', () => {
    const { activity } = ENGLISH;
    expect(activity.allowed).toBe('allowed by a person');
    expect(JSON.stringify(activity)).not.toMatch(/\byou\b/);
  });

  test('"Mute for a day" and what it holds promise nobody that you are asked later', () => {
    const { attention } = ENGLISH;
    for (const text of [attention.muteDetail, attention.heldNote])
      expect(text).not.toContain('asked later');
  });

  test('a pause does not say that nothing gets in: notices still arrive', () => {
    const { attention } = ENGLISH;
    for (const text of [attention.pauseDetail, attention.pausedDetail]) {
      expect(text).not.toContain('Nothing gets in');
      expect(text).toContain('Notices still arrive');
    }
  });

  test('without rules nobody reads that everything asks: areas that only look are named', () => {
    const { rules } = ENGLISH;
    expect(rules.emptyTitle).not.toContain('everything');
    expect(rules.emptyDetail).toContain('except questions in areas that only look');
    expect(rules.everythingElseMeta).toContain('an adult decides');
  });

  test('what a hub sees that is only being added is named', () => {
    const { people, settings } = ENGLISH;
    expect(people.pairing.offered.detail).toContain('sees the name, person and system');
    for (const { detail } of [settings.each.name, settings.each.person])
      expect(detail).toContain('or are adding');
  });

  test('a first request is the first between two agents, and names an area only where it has one', () => {
    const { flags } = ENGLISH.now;
    expect([flags.agent, flags.domain].every((flag) => flag.includes('between'))).toBe(true);
    expect(flags.agent).not.toContain('area');
  });

  test('the passphrase of a child’s hub is not said to be an adult’s alone', () => {
    const { remoteApproval } = ENGLISH;
    for (const text of [remoteApproval.passphraseWhy, remoteApproval.noPassphrase])
      expect(text).not.toContain('adult');
  });

  test('one dangerous area "asks", and two of them "ask"', () => {
    const { rules } = ENGLISH;
    expect([rules.dangerous('Code', 1), rules.dangerous('Code and Doors', 2)]).toEqual([
      'Code always asks where it is marked dangerous.',
      'Code and Doors always ask where they are marked dangerous.',
    ]);
  });

  test('what is held is neither allowed nor asked, and nothing is while everything is stopped', () => {
    const said = (decision: 'deliver' | 'ask' | 'decline', why?: HoldReason, stopped = false) =>
      ENGLISH.rules.tester.verdictOf({
        decision,
        ground: 'default',
        held: why === undefined ? null : { why, until: null },
        stopped,
      });
    const held = 'It would be held: everything is paused.';
    expect([said('deliver', 'paused'), said('ask', 'paused')]).toEqual([held, held]);
    expect(said('ask', 'muted')).toBe('It would be held: that hub is muted.');
    expect(said('ask', 'quiet_hours')).toBe('It would be held: it is quiet hours.');
    expect(said('ask')).toBe('It would ask you.');
    expect(said('decline')).toBe('It would be declined.');
    expect(said('deliver')).toBe('It would be allowed.');
    expect(said('deliver', 'paused', true)).toBe(
      'It would be refused: nothing gets in until you resume.',
    );
  });

  test('a question is not answered where a task is not done, and counts up to nine are words', () => {
    const { together, answers } = ENGLISH.now;
    expect(together.notDone('Mum', 'query')).toMatch(/^None of them is answered\. /);
    expect(together.notDone('Mum', 'delegate')).toMatch(/^None of them is done\. /);
    expect([2, 9, 12].map(answers.choice.verb)).toEqual([
      'choose one of two',
      'choose one of nine',
      'choose one of 12',
    ]);
  });

  test('durations and times are said as people say them', () => {
    expect(
      [40_999, 60_000, 8 * 60_000 + 59_999, 6_960_000, 3 * 86_400_000].map(durationWords),
    ).toEqual(['40 seconds', '1 minute', '8 minutes', '1 hour 56 minutes', '3 days']);
    expect(countdown(252_000)).toBe('4 minutes 12 seconds');
    expect([0, 1, 3, 20].map((days) => dayName(NOW - days * 86_400_000, NOW))).toEqual([
      'Today',
      'Yesterday',
      'Wednesday',
      '1 November',
    ]);
    expect(when(NOW, NOW)).toBe('18:04');
    expect(areaName('family.school-bus')).toBe('Family school bus');
  });
});

describe('the last word', () => {
  test('it is the last word as people mean it: without the full stop and quotes', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['deploy the shop website to production', 'production'],
      ['Deploy to “production”.\n', 'production'],
      ['merge price-list', 'price-list'],
      ['really?!', 'really'],
      ['send 💸', '💸'],
      ['pay 40,50 €', '€'],
    ];
    for (const [text, word] of cases) {
      const last = lastWord(text);
      expect(last?.word).toBe(word);
      expect(text.slice(last?.from, last?.to)).toBe(word);
    }
    expect(lastWord(' \n')).toBeUndefined();
  });

  test('case, composition and the signs around it do not count; half a word and two words do not pass', () => {
    expect(isLastWord('Open the Café.', ' CAFE\u0301 ')).toBe(true);
    expect(isLastWord('to production', 'produc')).toBe(false);
    expect(isLastWord('to production', 'to production')).toBe(false);
    expect(isLastWord('to production', '')).toBe(false);
    expect(isLastWord('to pro[U+200B]duction', 'production')).toBe(true);
    expect(isLastWord('نان بخر برای بچه\u200cها', 'بچهها')).toBe(true);
  });

  test('its place is right in every hostile text', () => {
    for (const text of HOSTILE_TEXTS) {
      const last = lastWord(text);
      expect(last === undefined || text.slice(last.from, last.to) === last.word).toBe(true);
      expect(last === undefined || isLastWord(text, last.word)).toBe(true);
    }
  });
});

describe('places', () => {
  test('a place survives the way through the address, whatever it holds', () => {
    for (const rest of [
      ['hub', 'ed25519.00'],
      ['pair', 'a/b#c?d'],
      ['hub', 'Nana’s flat'],
    ]) {
      expect(readPlace(hrefOf('people', ...rest))).toEqual({ screen: 'people', rest });
    }
    expect(readPlace('#/nowhere/x')).toEqual({ screen: 'now', rest: ['x'] });
    expect(readPlace('#/people/%E0%A4%A')).toEqual({ screen: 'people', rest: [] });
  });
});
