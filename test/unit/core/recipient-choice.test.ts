// Sixty situations in which a request names only what is needed: who is there, who gets it, and the
// sentence that says why. A line reads: the need; the candidates; the choice; the sentence.
import { expect, test } from 'vitest';
import {
  chooseRecipient,
  whoCould,
  type Candidate,
  type Need,
} from '../../../main/core/recipient-choice.ts';

/**
 * "Mum: family.calendar busy 9/10 40ms". After the areas, in any order: how busy it is; how many of
 * its last tasks went well; how far away it is (1ms where nothing stands, "?ms" not measured, "here"
 * within this hub); or why it cannot be had: "off", "off@14:10", "suspended", "no-tasks".
 */
function candidate(line: string): Candidate {
  const [name = '', rest = ''] = line.split(': ');
  const [offers = '', ...words] = rest.split(' ');
  const find = (form: RegExp) => words.map((word) => form.exec(word)).find((found) => found);
  const load = find(/^(busy|overloaded|absent)$/)?.[1] as Candidate['load'] | undefined;
  const [, good = '0', all = '0'] = find(/^(\d+)\/(\d+)$/) ?? [];
  const [, ms = '1'] = find(/^(\d+|\?)ms$/) ?? [];
  const away = find(/^off(?:@(.+))?$/);
  return {
    name,
    id: name,
    offers: offers === '-' ? [] : offers.split(','),
    load: load ?? 'idle',
    succeeded: Number(good),
    failed: Number(all) - Number(good),
    roundTripMs: words.includes('here') ? 0 : ms === '?' ? null : Number(ms),
    obstacle: away
      ? { why: 'away', since: away[1] ?? null }
      : words.includes('suspended')
        ? { why: 'suspended' }
        : words.includes('no-tasks')
          ? { why: 'takes_no_tasks' }
          : null,
  };
}

function decided(need: Need, lines: string): { readonly who: string; readonly why: string } {
  const candidates = lines === '' ? [] : lines.split('; ').map(candidate);
  const choice = chooseRecipient(candidates, need);
  const turned = chooseRecipient([...candidates].reverse(), need);
  // The order in which they are known never decides.
  expect(turned?.why).toBe(choice?.why);
  return choice === undefined
    ? { who: 'nobody', why: whoCould(candidates, need).join(' ') }
    : { who: choice.chosen.name, why: choice.why };
}

const needs = (what: Need['what'], word: string): Need => ({ what, word });
const DOMAINS = [
  // Who offers it at all.
  ['family.calendar', 'Mum: family.calendar', 'Mum', 'Only Mum offers "family.calendar".'],
  ['family.calendar', 'Mum: family', 'Mum', 'Only Mum offers "family".'],
  ['family.calendar.school', 'Mum: family', 'Mum', 'Only Mum offers "family".'],
  [
    'family.calendar',
    'Mum: family.calendar; Leo: work',
    'Mum',
    'Only Mum offers "family.calendar".',
  ],
  ['work', 'Mum: family,work; Leo: family', 'Mum', 'Only Mum offers "work".'],
  ['family', 'Mum: family.calendar', 'nobody', ''],
  ['family.calendar', 'Mum: familyx', 'nobody', ''],
  ['family.calendar', 'Mum: family.cal', 'nobody', ''],
  ['family.calendar', 'Mum: -', 'nobody', ''],
  ['family.calendar', '', 'nobody', ''],
  ['Family', 'Mum: Family', 'nobody', ''],
  ['family.', 'Mum: family', 'nobody', ''],
  // Exact before a prefix, the longer prefix before the shorter, whatever else is so.
  [
    'family.calendar',
    'Leo: family; Mum: family.calendar',
    'Mum',
    'Mum offers "family.calendar"; Leo offers only "family".',
  ],
  [
    'family.calendar',
    'Leo: family; Mum: family.calendar overloaded',
    'Mum',
    'Mum offers "family.calendar"; Leo offers only "family".',
  ],
  [
    'family.calendar',
    'Leo: family 9/9; Mum: family.calendar 0/9',
    'Mum',
    'Mum offers "family.calendar"; Leo offers only "family".',
  ],
  [
    'family.calendar',
    'Leo: family here; Mum: family.calendar 400ms',
    'Mum',
    'Mum offers "family.calendar"; Leo offers only "family".',
  ],
  [
    'family.calendar.school',
    'Leo: family; Mum: family.calendar',
    'Mum',
    'Mum offers "family.calendar"; Leo offers only "family".',
  ],
  ['a.b.c.d', 'Leo: a.b.c; Mum: a.b', 'Leo', 'Leo offers "a.b.c"; Mum offers only "a.b".'],
  ['a.b.c.d', 'Leo: a,a.b.c; Mum: a,a.b', 'Leo', 'Leo offers "a.b.c"; Mum offers only "a.b".'],
  ['family', 'Leo: family; Mum: family.calendar', 'Leo', 'Only Leo offers "family".'],
  [
    'family.calendar',
    'Leo: family.calendar absent here; Mum: family',
    'Leo',
    'Leo offers "family.calendar"; Mum offers only "family".',
  ],
  // How busy.
  [
    'family',
    'Leo: family busy; Mum: family',
    'Mum',
    'Mum offers "family" and is less busy than Leo.',
  ],
  [
    'family',
    'Leo: family overloaded; Mum: family',
    'Mum',
    'Mum offers "family" and is less busy than Leo.',
  ],
  [
    'family',
    'Leo: family overloaded; Mum: family busy',
    'Mum',
    'Mum offers "family" and is less busy than Leo.',
  ],
  [
    'family',
    'Leo: family absent here; Mum: family',
    'Mum',
    'Mum offers "family" and is running, unlike Leo.',
  ],
  [
    'family',
    'Leo: family absent here; Mum: family overloaded',
    'Mum',
    'Mum offers "family" and is running, unlike Leo.',
  ],
  ['family', 'Leo: family absent here', 'Leo', 'Only Leo offers "family".'],
  [
    'family',
    'Leo: family busy 9/9; Mum: family 0/9',
    'Mum',
    'Mum offers "family" and is less busy than Leo.',
  ],
  [
    'family',
    'Leo: family busy here; Mum: family 400ms',
    'Mum',
    'Mum offers "family" and is less busy than Leo.',
  ],
  // How reliable, in three bands.
  [
    'family',
    'Leo: family 5/10; Mum: family 9/10',
    'Mum',
    'Mum offers "family" and fails less often than Leo.',
  ],
  [
    'family',
    'Leo: family 4/10; Mum: family 5/10',
    'Mum',
    'Mum offers "family" and fails less often than Leo.',
  ],
  [
    'family',
    'Leo: family 0/3; Mum: family 10/10',
    'Mum',
    'Mum offers "family" and fails less often than Leo.',
  ],
  [
    'family',
    'Leo: family 8/10; Mum: family',
    'Mum',
    'Mum offers "family" and fails less often than Leo.',
  ],
  [
    'family',
    'Leo: family 0/2; Mum: family 10/10',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  [
    'family',
    'Leo: family 9/10; Mum: family 10/10',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  [
    'family',
    'Leo: family 5/10; Mum: family 8/10',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  [
    'family',
    'Leo: family 1/10; Mum: family 4/10',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  [
    'family',
    'Leo: family 5/10 here; Mum: family 9/10 400ms',
    'Mum',
    'Mum offers "family" and fails less often than Leo.',
  ],
  // How far, in bands that double.
  [
    'family',
    'Leo: family 8ms; Mum: family 3ms',
    'Mum',
    'Mum offers "family" and has a faster connection than Leo.',
  ],
  [
    'family',
    'Leo: family 4ms; Mum: family 3ms',
    'Mum',
    'Mum offers "family" and has a faster connection than Leo.',
  ],
  [
    'family',
    'Leo: family 3ms; Mum: family 2ms',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  [
    'family',
    'Leo: family 127ms; Mum: family 64ms',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  [
    'family',
    'Leo: family 128ms; Mum: family 127ms',
    'Mum',
    'Mum offers "family" and has a faster connection than Leo.',
  ],
  [
    'family',
    'Leo: family 1ms; Mum: family here',
    'Mum',
    'Mum offers "family" and has a faster connection than Leo.',
  ],
  [
    'family',
    'Leo: family ?ms; Mum: family 900ms',
    'Mum',
    'Mum offers "family" and has a faster connection than Leo.',
  ],
  [
    'family',
    'Leo: family ?ms; Mum: family ?ms',
    'Leo',
    'Leo and Mum offer "family" equally well, so the order of their ids decided.',
  ],
  // Three of them: the sentence compares the first two.
  [
    'family',
    'Ana: family overloaded; Leo: family busy; Mum: family',
    'Mum',
    'Mum offers "family" and is less busy than Leo.',
  ],
  [
    'family.chat',
    'Ana: family; Leo: family.chat busy; Mum: family.chat',
    'Mum',
    'Mum offers "family.chat" and is less busy than Leo.',
  ],
  // Those who are not there.
  ['family', 'Leo: family; Mum: family off@14:10', 'Leo', 'Just now, only Leo offers "family".'],
  [
    'family.chat',
    'Leo: family; Mum: family.chat off',
    'Leo',
    'Just now, only Leo offers "family".',
  ],
  [
    'family',
    'Leo: family suspended; Mum: family overloaded',
    'Mum',
    'Just now, only Mum offers "family".',
  ],
  ['family', 'Mum: family off@14:10', 'nobody', 'Mum offers it, but has been away since 14:10.'],
  ['family', 'Mum: family off', 'nobody', 'Mum offers it, but is away.'],
  ['family', 'Mum: family suspended', 'nobody', 'Mum offers it, but is suspended.'],
  ['family', 'Mum: family no-tasks', 'nobody', 'Mum offers it, but takes no tasks.'],
  [
    'family',
    'Leo: family off; Mum: family suspended',
    'nobody',
    'Leo offers it, but is away. Mum offers it, but is suspended.',
  ],
] as const;
const CAPABILITIES = [
  ['web_search', 'Leo: web_search; Mum: chat', 'Leo', 'Only Leo offers "web_search".'],
  [
    'web.search',
    'Leo: web; Mum: web.search',
    'Mum',
    'Mum offers "web.search"; Leo offers only "web".',
  ],
  ['web_search', 'Leo: web; Mum: web_sea', 'nobody', ''],
  ['Report Writing', 'Leo: -; Mum: chat', 'nobody', ''],
] as const;

test.each(DOMAINS)('%s, with %s: %s', (word, lines, who, why) => {
  expect(decided(needs('domain', word), lines)).toEqual({ who, why });
});

test.each(CAPABILITIES)('able to %s, with %s: %s', (word, lines, who, why) => {
  expect(decided(needs('capability', word), lines)).toEqual({ who, why });
});

test('these are sixty', () => {
  expect(DOMAINS.length + CAPABILITIES.length).toBe(60);
});

test('everybody else is named in order, each with the reason against it', () => {
  const lines =
    'Mum: family.chat; Ana: family.chat busy; Leo: family; Tom: family.chat 1/9; Eva: family.chat 9ms; Uma: family.chat off@14:10; Zoe: family.chat; Al: family.chat absent';
  const { others = [] } =
    chooseRecipient(lines.split('; ').map(candidate), needs('domain', 'family.chat')) ?? {};
  expect(others.map(({ candidate: { name }, why }) => `${name}: ${why}`)).toEqual([
    'Zoe: It is equally good; its id comes later.',
    'Eva: Its connection is slower.',
    'Tom: It fails more often.',
    'Ana: It is busier.',
    'Al: It is not running.',
    'Leo: It offers only "family".',
    'Uma: It has been away since 14:10.',
  ]);
});

test('a capability of another hub is shown without its hidden characters', () => {
  const hostile = { ...candidate('Mum: x'), offers: ['see\u202e\u001b[2J'] };
  const { why } = chooseRecipient([hostile], needs('capability', 'see\u202e\u001b[2J')) ?? {};
  expect(why).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
