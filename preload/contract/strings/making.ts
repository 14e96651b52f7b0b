// The words of making a rule by hand: its form, what does not fit, and what it would have done. English.
import { locale } from './everywhere.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);
const list = new Intl.ListFormat(locale, { type: 'conjunction' });

/** What a rule would change of the last requests, counted by what would happen to each instead. */
export interface Changes {
  readonly deliver: number;
  readonly ask: number;
  readonly decline: number;
}

/** "Tried on the last 20 requests, as things are today: 3 would be let in and 17 would stay as they are." */
function tried(requests: number, changes: Changes): string {
  const { deliver, ask, decline } = changes;
  const rest = requests - deliver - ask - decline;
  const parts = [
    deliver === 0 ? '' : plural(deliver, { one: 'one would be let in', other: '{n} would be let in' }),
    ask === 0 ? '' : plural(ask, { one: 'one would ask you', other: '{n} would ask you' }),
    decline === 0 ? '' : plural(decline, { one: 'one would be turned away', other: '{n} would be turned away' }),
    rest === 0 || rest === requests ? '' : plural(rest, { one: 'one would stay as it is', other: '{n} would stay as they are' }),
  ].filter((part) => part !== '');
  const on = plural(requests, { one: 'Tried on the last request', other: 'Tried on the last {n} requests' });
  return `${on}, as things are today: ${rest === requests ? 'it would change nothing' : list.format(parts)}.`;
}

export const making = {
  open: 'Make a rule',
  title: 'A new rule',
  detail: 'It does exactly what its sentence says. A rule is not changed later: pause or remove it, and make another.',
  what: 'What happens',
  effects: { allow: 'Let in without asking', ask: 'Always ask me', never: 'Turn away' },
  who: 'Who asks',
  anybody: 'any hub',
  agentHere: (agent: string) => `${agent}, on this computer`,
  asker: 'Which agent there',
  anyAsker: 'any, or none named',
  otherAsker: 'another, by its name…',
  askerName: 'Its name, letter by letter',
  wants: 'Wants',
  kinds: { delegate: 'to give a task', query: 'to ask a question', any: 'either' },
  whom: 'Done by',
  anyAgent: 'any agent here',
  area: 'In',
  anyArea: 'any area',
  otherArea: 'another area…',
  areaName: 'The area',
  areaHint: 'Small letters, with dots between, such as family.chat. All below it counts, too.',
  topic: 'Only about the topic',
  topicHint: 'May be left empty. Small letters, with dots between.',
  ends: 'Ends',
  end: { tonight: 'tonight', week: 'in a week', month: 'in 30 days', day: 'on a day…', never: 'when I remove it' },
  endDay: 'The end of this day',
  choose: 'choose…',
  exactly: 'Exactly what this would do',
  unfinished: 'Once nothing is missing and all of it fits, the rule stands here in a sentence.',
  missing: {
    peer: 'Say who asks: a rule that lets in is for one hub, or one agent here.',
    asking_agent: 'Write the name of the agent there.',
    agent: 'Say which agent does it: a rule that lets in is for one.',
    domain: 'Say in which area: a rule that lets in is for one.',
    until: 'Choose a day to come, within a year.',
  },
  notAnArea: 'That is no area: small letters, with dots between, such as family.chat.',
  notATopic: 'That is no topic: small letters, with dots between, such as dinner.guests.',
  make: 'Make this rule',
  cancel: 'Cancel',
  made: 'The rule is made.',
  none: 'No request came yet to try it on.',
  tried,
  would: { deliver: 'Would be let in', ask: 'Would ask you', decline: 'Would be turned away' },
  instead: { deliver: 'is let in now', ask: 'asks you now', decline: 'is turned away now' },
} as const;
