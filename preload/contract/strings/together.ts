// The words of a group of small requests, which are answered with one press and decided one by one. English.
import { locale } from './everywhere.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

export const together = {
  doTasks: (count: number, area: string) => `do ${count} tasks in ${area}`,
  answer: (count: number, area: string) => `answer ${count} questions in ${area}`,
  list: (count: number) => `The ${count} requests`,
  place: (place: number, count: number) => `${place} of ${count}`,
  placeSpoken: (hub: string, place: number, count: number) => `Request ${place} of ${count} from ${hub}`,
  each: 'Each is decided for itself, once.',
  firstUntil: (time: string) => `The first until ${time}; each says how long.`,
  notDone: (hub: string) => `They are not done. ${hub} is told of each that nobody answered.`,
  apart: 'Show it alone',
  apartSpoken: (place: number, count: number) => `Show it alone: request ${place} of ${count}, with all choices`,
  allow: (count: number) => `Allow these ${count}`,
  decline: (count: number) => `Decline these ${count}`,
  opensWhenRead: 'Opens when you have read each to its end',
  /** @param left those that were not: another request by now, decided by somebody else, or not taken by the hub */
  told: (decision: 'allow' | 'decline', done: number, left: number) => {
    const did = decision === 'allow' ? 'allowed' : 'declined';
    const all = plural(done, { one: `{n} request ${did}.`, other: `{n} requests ${did}.` });
    if (left === 0) return all;
    return `${all} ${plural(left, { one: `{n} was not ${did} here. Look at it again.`, other: `{n} were not ${did} here. Look at them again.` })}`;
  },
} as const;
