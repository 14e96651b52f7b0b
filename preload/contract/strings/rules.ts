// The words of the household's rules: sentences, never codes. English.
import type { HoldReason } from '../attention.ts';
import type { RequestKind } from '../closed-lists.ts';
import type { RuleEnd, RuleMiss, RuleTestDto } from '../rules.ts';
import { locale } from './shared-words.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);
type Kind = RequestKind | null;

/** "give Claude Code tasks in Family chat", with what is named in bold by whoever draws it. */
function what(kind: Kind, agent: string | null, area: string | null): string {
  const whom = agent ?? 'any agent';
  const where = area === null ? 'in any area' : area === '' ? 'naming no area' : `in ${area}`;
  if (kind === 'delegate') return `give ${whom} tasks ${where}`;
  if (kind === 'query' && area === '') return `ask ${whom} questions naming no area`;
  if (kind === 'query')
    return area === null ? `ask ${whom} about anything` : `ask ${whom} about ${area}`;
  return `ask ${whom} for anything ${where}`;
}

/** Why a person would be asked later. */
const HELD: Readonly<Record<HoldReason, string>> = {
  paused: 'everything is paused',
  quiet_hours: 'it is quiet hours',
  muted: 'that hub is muted',
  person: 'a person put it off',
};

export const rules = {
  title: 'Rules',
  detail: 'A “never” always wins. After that the narrowest rule wins, and a tie asks you.',
  emptyTitle: 'There are no rules yet',
  emptyDetail:
    'Requests wait for a person, except questions in areas that only look. You can make a rule here, or with “More choices” on a request.',
  allowed: 'Allowed without asking',
  never: 'Declined',
  asks: 'Always asks',

  anybody: 'Any hub',
  onThisComputer: (agent: string) => `${agent}, on this computer,`,
  ownerHere: 'A person at this computer',
  on: 'on',
  /** After the hub: only when it names none of its agents. */
  namingNobody: ', naming none of its agents,',
  may: { allow: 'may', never: 'may never', ask: 'is always asked about before it may' },
  what,
  onlyConversation: ', only in the conversation',
  onlyTopic: ', only about the topic',

  until: (time: string) => `Until ${time}.`,
  untilQuiet: (time: string) => `Until ${time}, if it stays quiet.`,
  noEnd: 'No end.',
  madeOnCard: (time: string) => `Made on a card, ${time}.`,
  madeHere: (time: string) => `Made here, ${time}.`,
  used: (uses: number, last: string) =>
    `${plural(uses, { one: 'Used once', other: 'Used {n} times' })}, last ${last}.`,
  declinedTimes: (uses: number, last: string) =>
    `${plural(uses, { one: 'Declined quietly once', other: 'Declined quietly {n} times' })}, last ${last}.`,
  notUsed: 'Not used yet.',
  upTo: {
    R0: 'Covers only looking.',
    R1: 'Doesn’t cover anything that others see or that is hard to undo.',
    R2: 'Doesn’t cover anything dangerous.',
    R3: 'Covers everything.',
  },
  paused: 'Paused',
  gone: 'Removed.',
  pause: 'Pause',
  resume: 'Resume',
  remove: 'Remove',
  endNow: 'End now',
  restore: 'Bring back',
  everythingElse: 'Everything else',
  asksYou: 'is asked about.',
  everythingElseMeta:
    'The default. It can’t be removed. Questions in areas that only look are allowed. Where Settings says that an adult decides, the adult is asked.',
  dangerous: (areas: string, count: number) =>
    `${areas} ${plural(count, { one: 'always asks where it is', other: 'always ask where they are' })} marked dangerous.`,
  dangerousMeta: 'Dangerous areas. No rule can open them.',

  removed: 'Rule removed. You will be asked again.',
  removedNever: 'Rule removed. Such requests are no longer declined.',
  remembered: 'Remembered as a rule.',

  more: 'More choices',
  suggest: (times: number) =>
    plural(times, {
      one: 'You have allowed this once.',
      other: 'You have allowed this {n} times in a row.',
    }),
  suggestOpen: 'Make it a rule…',
  legend: 'How far should this go?',
  choices: {
    conversation: 'For this conversation',
    untilTonight: 'Until tonight',
    untilWeek: 'For a week',
    always: 'For 30 days',
    alwaysTopic: 'For 30 days, about this topic',
    never: 'Never',
  },
  choiceDetail: {
    conversation: 'Until nothing has come for 2 hours',
    untilTime: (time: string) => `Until ${time}`,
    never: 'Declined quietly from now on, and counted',
  },
  notUntil: (area: string) =>
    `You can’t allow this for a set time, because others see what happens in ${area}.`,
  notWithoutArea:
    'You can’t allow more than this: the request names an area that this agent doesn’t have, or none and the agent does what others see.',
  exactlyAllow: 'Exactly what this would allow',
  exactlyNever: 'Exactly what this would decline',
  without: 'without asking you',
  wouldMay: 'may',
  wouldNever: 'may never',
  only: { conversation: ', only inside this conversation' },
  ends: {
    conversation: (time: string) =>
      `It ends when nothing has come for 2 hours, ${time} at the latest.`,
    time: (time: string) => `It ends ${time}.`,
    never: 'It has no end. Whoever asks is told “declined”, and you are not disturbed.',
  },
  elseAsks:
    'Everyone else, every other agent and every other area still asks. You can end it in Rules.',
  everyAgentOfIt: 'It covers every agent of that hub. You can end it in Rules.',
  allowAndRemember: 'Allow and remember',
  declineAndRemember: 'Decline and remember',
  back: 'Back',

  byRules: 'Done by your rules',
  change: 'Change',

  tester: {
    title: 'Would this ask?',
    detail: 'Try it without sending anything.',
    who: 'Who',
    wants: 'Wants',
    kinds: { delegate: 'to give a task', query: 'to ask a question' },
    asker: 'Which agent there',
    noAsker: 'none named',
    whom: 'Done by',
    anyAgent: 'whoever handles it',
    area: 'In',
    noArea: 'no area',
    test: 'Try it',
    /** What would happen now: a pause, quiet hours and mutes come before the rules' yes. */
    verdictOf: ({
      decision,
      ground,
      held,
      stopped,
    }: Pick<RuleTestDto, 'decision' | 'ground' | 'held' | 'stopped'>) => {
      if (stopped) return 'It would be refused: nothing gets in until you resume.';
      if (decision === 'decline') return 'It would be declined.';
      if (ground === 'adults') return 'It would ask an adult’s hub.';
      if (held !== null) return `It would be held: ${HELD[held.why]}.`;
      return decision === 'deliver' ? 'It would be allowed.' : 'It would ask you.';
    },
    ground: {
      never: 'A “never” matches, and a “never” always wins.',
      allow: 'Your narrowest matching rule allows it.',
      ask: 'A rule says to ask you.',
      tie: 'Rules say both, and neither is narrower: a tie asks you.',
      dangerous: 'It is dangerous, so it asks every time. No rule can open it.',
      default: 'No rule matches.',
      tampered:
        'Rules are off, because the audit log of this hub was changed. See Settings, Audit log.',
      turns: 'The two have gone back and forth so often that it asks you.',
      adults: 'An adult decides about this, as Settings says. No rule here can allow it.',
    },
    defaultDeliver: 'It is a question, and the agent only looks there.',
    defaultAsk: 'So it waits for a person.',
    thisMatches: 'This rule matches.',
    thisMisses: (why: string) => `This rule ${why}`,
    miss: {
      suspended: 'is paused.',
      ended: 'is over.',
      not_begun: 'was made, or used, at a later time than the clock shows.',
      other_trust: 'was made before that hub was added again.',
      peer: 'is about another hub.',
      agent: 'is about another agent here.',
      domain: 'is about another area.',
      kind: 'is about the other kind of request.',
      asking_agent: 'is about another agent there.',
      topic: 'covers one topic only.',
      conversation: 'covers one conversation only.',
      no_domain: 'needs an area of that agent.',
      limited: 'gives way to a “never” or “ask” about an area of that agent.',
      class: 'was made for something less risky.',
    } satisfies Record<RuleMiss, string>,
  },

  endedWhy: {
    removed: 'Removed by a person.',
    expired: 'Its time ran out.',
    peer_gone: 'The hub was removed.',
    agent_gone: 'The agent was removed.',
  } satisfies Record<RuleEnd, string>,
} as const;
