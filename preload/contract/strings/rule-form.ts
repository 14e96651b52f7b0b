// The words of making a rule by hand: its form, what does not fit, and what it would have done.
// English.
import { locale } from './shared-words.ts';
import { lister, pluralizer } from './plural.ts';

const plural = pluralizer(locale);
const list = lister(locale);

/** What a rule would change of the last requests, counted by what would happen to each instead. */
export interface Changes {
  readonly deliver: number;
  readonly ask: number;
  readonly decline: number;
}

/**
 * "Tried on the last 20 requests, as things are today: 3 would be allowed and 17 would stay as they
 * are."
 */
function tried(requests: number, changes: Changes): string {
  const { deliver, ask, decline } = changes;
  const rest = requests - deliver - ask - decline;
  const parts = [
    deliver === 0
      ? ''
      : plural(deliver, { one: 'one would be allowed', other: '{n} would be allowed' }),
    ask === 0 ? '' : plural(ask, { one: 'one would ask you', other: '{n} would ask you' }),
    decline === 0
      ? ''
      : plural(decline, { one: 'one would be declined', other: '{n} would be declined' }),
    rest === 0 || rest === requests
      ? ''
      : plural(rest, { one: 'one would stay as it is', other: '{n} would stay as they are' }),
  ].filter((part) => part !== '');
  const on = plural(requests, {
    one: 'Tried on the last request',
    other: 'Tried on the last {n} requests',
  });
  return `${on}, as things are today: ${rest === requests ? 'it would change nothing' : list(parts)}.`;
}

export const making = {
  open: 'Make a rule',
  title: 'A new rule',
  detail:
    'It does exactly what its sentence says. You can’t change a rule later. Pause it or remove it, and make a new one.',
  what: 'What happens',
  effects: { allow: 'Allow without asking', ask: 'Always ask me', never: 'Decline' },
  who: 'Who asks',
  anybody: 'any hub',
  agentHere: (agent: string) => `${agent}, on this computer`,
  asker: 'Which agent there',
  anyAsker: 'any agent',
  otherAsker: 'another, by its name…',
  askerName: 'Its name, letter by letter',
  wants: 'Wants',
  kinds: { delegate: 'to give a task', query: 'to ask a question', any: 'either' },
  whom: 'Done by',
  anyAgent: 'any agent here',
  area: 'In',
  anyArea: 'any area',
  noArea: 'no area named',
  otherArea: 'another area…',
  areaName: 'The area',
  areaHint:
    'Small letters, with dots between, such as family.chat. It covers everything below it, too.',
  topic: 'Only about the topic',
  topicHint: 'You can leave it empty. Use small letters, with dots between.',
  ends: 'Ends',
  end: {
    tonight: 'tonight',
    week: 'in a week',
    month: 'in 30 days',
    day: 'on a day…',
    never: 'when I remove it',
  },
  endDay: 'The end of this day',
  choose: 'choose…',
  exactly: 'Exactly what this would do',
  unfinished: 'Fill in the choices and your rule appears here as a sentence.',
  missing: {
    peer: 'Choose who asks. A rule that allows is for one hub, or one agent here.',
    asking_agent: 'Write the name of the agent there.',
    agent: 'Choose which agent does it. A rule that allows is for one agent.',
    domain: 'Choose an area. A rule that allows is for one area, or for requests that name none.',
    until: 'Choose a day within the next year.',
  },
  notAnArea: 'That isn’t an area. Use small letters, with dots between, such as family.chat.',
  notATopic: 'That isn’t a topic. Use small letters, with dots between, such as dinner.guests.',
  make: 'Make this rule',
  cancel: 'Cancel',
  made: 'Rule made.',
  none: 'There are no requests yet to try it on.',
  tried,
  would: { deliver: 'Would be allowed', ask: 'Would ask you', decline: 'Would be declined' },
  instead: { deliver: 'is allowed now', ask: 'asks you now', decline: 'is declined now' },
} as const;
