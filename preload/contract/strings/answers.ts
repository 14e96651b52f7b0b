// The words of answers that people give themselves. English.

import { locale } from './shared-words.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

const COUNTS: readonly string[] = 'zero one two three four five six seven eight nine'.split(' ');

export const answers = {
  open: 'Answer yourself',
  label: 'Your answer',
  exactly: (hub: string) => `Exactly what ${hub} is told`,
  asYou: (person: string) => `As an answer from ${person}, a person, not an agent.`,
  asYouNoName: 'As an answer from a person, not an agent.',
  empty: 'Nothing yet.',
  note: (agent: string) => `Nothing runs. ${agent} doesn’t get it.`,
  left: (count: number) =>
    plural(count, { one: '{n} character left', other: '{n} characters left' }),
  send: 'Send this answer',
  back: 'Back',
  choice: {
    wants: 'wants you to',
    wantsFull: (hub: string) => `${hub} wants you to`,
    verb: (count: number) =>
      plural(count, {
        one: 'choose the one option',
        other: `choose one of ${COUNTS[count] ?? count}`,
      }),
    nothingRuns: 'Nothing runs here.',
    goes: (hub: string) => `Your choice goes to ${hub}, with your name.`,
    none: 'Choose none',
    own: 'Answer in your own words',
    options: (hub: string) => `The options, in the words of ${hub}. Nobody has checked them.`,
    offers: (position: number) => `offers option ${position}`,
    recommends: 'and recommends it (not checked)',
    pro: 'For:',
    con: 'Against:',
    choose: (position: number) => `Choose option ${position}`,
    nobodyRuns: 'No agent gets it.',
  },
} as const;
