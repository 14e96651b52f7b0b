// The words of answers that people give themselves. English.

import { locale } from './everywhere.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

export const answers = {
  open: 'Answer yourself',
  label: 'Your answer',
  exactly: (hub: string) => `Exactly what ${hub} is told`,
  asYou: (person: string) => `As the answer of ${person}, a person, not of an agent.`,
  asYouNoName: 'As the answer of a person, not of an agent.',
  empty: 'Nothing yet.',
  note: (agent: string) => `Nothing runs: ${agent} does not get it.`,
  left: (count: number) => plural(count, { one: '{n} character left', other: '{n} characters left' }),
  send: 'Send this answer',
  back: 'Back',
  answered: (by: string, where: string) => `Answered by ${by}, ${where}`,
  answeredNoName: (where: string) => `Answered, ${where}`,
  told: (time: string, hub: string) => `${time}. ${hub} got the answer. No agent did anything.`,
} as const;
