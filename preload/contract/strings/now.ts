// The words of the approval inbox. The hub says what would happen; it never paraphrases what the
// sender wrote. English.
import type { RequestKind } from '../closed-lists.ts';
import type { ApprovalDto, RiskClass } from '../dto.ts';
import { answers } from './answers.ts';
import { locale } from './shared-words.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

/** A group of small requests, which are answered with one press and decided one by one. */
const together = {
  doTasks: (count: number, area: string) => `do ${count} tasks in ${area}`,
  answer: (count: number, area: string) => `answer ${count} questions in ${area}`,
  list: (count: number) => `The ${count} requests`,
  place: (place: number, count: number) => `${place} of ${count}`,
  placeSpoken: (hub: string, place: number, count: number) =>
    `Request ${place} of ${count} from ${hub}`,
  each: 'One press decides all of them. Each is allowed once.',
  firstUntil: (time: string) => `The first until ${time}. Each one shows its own time.`,
  notDone: (hub: string, kind: RequestKind) =>
    `None of them is ${kind === 'query' ? 'answered' : 'done'}. ${hub} is told that nobody answered.`,
  apart: 'Show it alone',
  apartSpoken: (place: number, count: number) =>
    `Show it alone: request ${place} of ${count}, with all choices`,
  allow: (count: number) => `Allow these ${count}`,
  decline: (count: number) => `Decline these ${count}`,
  opensWhenRead: 'Opens when you have read each one to the end',
  /**
   * @param left those of which that is not sure: another request by now, decided by somebody else,
   * not taken by the hub, or it gave no answer
   */
  told: (decision: 'allow' | 'decline', done: number, left: number) => {
    const did = decision === 'allow' ? 'allowed' : 'declined';
    const all = plural(done, { one: `{n} request ${did}.`, other: `{n} requests ${did}.` });
    if (left === 0) return all;
    return `${all} ${plural(left, { one: `{n} may not have been ${did} here. Look at it again.`, other: `{n} may not have been ${did} here. Look at them again.` })}`;
  },
} as const;

export const now = {
  needYou: (count: number) =>
    plural(count, { one: '{n} request needs you', other: '{n} requests need you' }),
  neededYou: (count: number, time: string) =>
    `${plural(count, { one: '{n} request needed you', other: '{n} requests needed you' })} at ${time}`,
  /** Only an adult's hub can decide. */
  needAdult: (count: number) =>
    plural(count, {
      one: '{n} request waits for an adult',
      other: '{n} requests wait for an adult',
    }),
  /** Those that the popover of the tray has no room for. */
  moreInWindow: (count: number) => `${count} more, in the window`,
  openWindow: 'Open AXON Hub',
  notLive: 'Not live',
  pending: 'Waiting for you',
  onlineNow: (names: string) => `Online: ${names}.`,
  nobodyOnline: 'No other hub is online just now.',
  empty: {
    title: 'Nothing needs you',
    /** Under a line that somebody asks for something else. */
    noRequests: 'No requests',
    detail:
      'What other computers ask for waits here, word for word, until you decide or the time is up.',
    lately: 'Recently decided',
  },
  pairingOffered: (count: number) =>
    plural(count, { one: 'A hub asks to be added.', other: '{n} hubs ask to be added.' }),
  pairingOfferedDetail: 'Go on only if someone in your home has just asked for this.',
  seeWhoAsks: (count: number) => (count === 1 ? 'See who asks' : 'See who they are'),
  seeWhatAsks: 'See which one',
  registrationWaits: 'A program on this computer wants to connect.',

  /** Why it asks although a rule would let it through. */
  backAndForth: (who: string, agent: string, times: number) =>
    `${who} and ${agent} have gone back and forth ${times} times within an hour. Go on?`,
  /** A program of this computer asks for itself. */
  permission: {
    wants: 'wants to',
    wantsFull: (agent: string) => `${agent} wants to`,
    reads: 'read something on this computer',
    does: 'run or change something on this computer',
    runs: (agent: string) => `${agent} itself, not this hub`,
    leaves: 'Only your answer, to its program',
  },
  wants: (agent: string) => `wants ${agent} to`,
  wantsFull: (hub: string, agent: string) => `${hub} wants ${agent} to`,
  doTask: (area: string) => `do a task in ${area}`,
  doTaskAnywhere: 'do a task',
  answer: (area: string) => `answer a question in ${area}`,
  answerAnywhere: 'answer a question',
  withAgent: (person: string) => `${person}, with`,
  withAgentOnly: 'with',
  agentHere: 'an agent on this computer',
  verified: 'verified key',
  wrote: 'wrote',
  asked: 'asked',
  gaveReason: 'gave a reason',
  notChecked: 'not checked',
  exact: (count: number) =>
    plural(count, { one: 'exact, {n} character', other: 'exact, {n} characters' }),
  hiddenShown: (count: number) =>
    plural(count, { one: '{n} hidden one shown', other: '{n} hidden ones shown' }),
  moreBelow: (lines: number) =>
    plural(lines, {
      one: 'More below: {n} line. Scroll to the end.',
      other: 'More below: {n} lines. Scroll to the end.',
    }),
  fullText: (hub: string) => `Full text from ${hub}`,
  flags: {
    urgent: 'marked urgent',
    changed: 'changed while you read',
    hub: 'first request ever',
    agent: 'first between these agents',
    domain: 'first between these agents in this area',
  },
  changedSaid: (hub: string) =>
    `The request from ${hub} changed while it was shown. Nothing was decided.`,
  /** @param what a sentence */
  decidedSaid: (hub: string, what: string) => `The request from ${hub} is settled: ${what}`,
  heldSaid: (hub: string) => `The request from ${hub} waits until later. What you wrote is kept.`,
  changedNote:
    'This request changed while you were reading. Nothing was decided. Please read it again.',

  risk: {
    R0: 'Only looks.',
    R1: 'Small and easy to undo.',
    R2: 'Others will see it.',
    R3: 'Dangerous.',
  } satisfies Record<RiskClass, string>,
  /** Of a task where only looking is expected: no class says what it does. */
  notJustALook: 'A task, not just a look.',
  looksOnly: (what: string) => `You marked ${what} “only looks”, which lets questions through.`,
  riskWhy: {
    domain_class: (_agent: string, area: string) => `You marked ${area} this way.`,
    agent_class: (agent: string) => `You marked ${agent} this way.`,
    default_class: (agent: string, area: string) =>
      `You haven’t set how risky ${agent === area ? agent : area} is, so it counts as “others will see it”.`,
    new_agent: (agent: string) => `${agent} is new here, and you have not said how risky it is.`,
    no_domain: (agent: string) =>
      `The request names no area that ${agent} works in, so ${agent}’s strictest setting applies.`,
    nothing_runs: () => 'Nothing runs on this computer.',
    unknown: () => 'This hub cannot tell what it would touch.',
    own_tool: () => 'This hub does not see what the tool touches.',
  },
  everyTime: 'You are asked every time.',

  facts: {
    runs: 'Runs',
    runsHere: (agent: string) => `${agent}, on this computer`,
    leaves: 'What goes out',
    goesTo: (host: string) => `The request itself leaves to ${host}.`,
    leavesResult: (hub: string) => `The answer, which goes to ${hub}`,
    leavesResultAndWork: (agent: string, hub: string) =>
      `What ${agent} sends out while doing it, and its answer, which goes to ${hub}`,
    leavesWork: (agent: string) => `What ${agent} sends out while doing it. No answer goes back.`,
    leavesNothing: 'Only whether it was done',
    waits: 'Waits',
    until: (time: string) => `until ${time}`,
    timeUp: 'The time is up',
    ifNothing: 'If you do nothing',
  },
  exactIdentifiers: 'Exact identifiers',
  ids: {
    approval: 'Approval',
    revision: (id: string, revision: number) => `${id}, revision ${revision}`,
    digest: 'Digest',
    message: 'Message',
    kind: 'Kind, area',
    key: 'Key',
    conversation: 'Conversation',
    asks: 'Asking agent',
    runs: 'Agent',
    fields: 'Fields',
    deadline: 'Asker waits',
  },

  allowOnce: 'Allow once',
  decline: 'Decline',
  withReason: 'With a reason',
  opensWhenRead: 'Opens when you have read to the end',
  opensWhenWord: 'Opens when the word matches',
  opensSoon: 'The buttons open in a moment.',
  sending: 'Telling the hub…',
  notSent: 'Nothing was decided.',
  notKnown:
    'Whether this was decided is not known. If the card is still here once the hub answers, decide again.',
  typeWord: 'To allow it, type the last word of the text. It is underlined.',
  typeWordNotYet: 'Not the whole word yet.',
  typeWordMatches: 'The word matches.',

  why: {
    legend: 'Say why',
    exactly: (hub: string) => `Exactly what ${hub} is told`,
    told: (reason: string) => `“A person declined this request: ${reason}”`,
    note: 'Nothing runs. It may ask again.',
    decline: 'Decline and say so',
    back: 'Back',
    choices: ['not now', 'ask me in person', 'not with this agent'],
    own: 'In your own words…',
    ownLabel: 'Your words',
  },

  answers,
  together,
  decided: {
    second: 'Someone else decided first. Your choice changed nothing.',
  },

  stopping: {
    title: 'What runs here',
    stop: 'Stop',
    stopSpoken: (hub: string) => `Stop the request from ${hub}`,
    thread: 'Conversation',
    threadSpoken: (hub: string) => `Conversation with ${hub}, at this request`,
  },
  outgoing: {
    title: 'What my agents ask of others',
    more: (count: number) =>
      plural(count, { one: '{n} older one is not shown.', other: '{n} older ones are not shown.' }),
    cancel: 'Cancel',
    cancelSpoken: (hub: string) => `Cancel what was asked of ${hub}`,
  },

  first: {
    title: (hub: string) => `Welcome to ${hub}`,
    detail: 'A few steps, about two minutes. You can stop after any of them.',
    remaining: 'Still to set up',
    name: 'Name this hub',
    nameDone: (hub: string, person: string) =>
      `${hub}, used by ${person}. Hubs you have added, or are adding, see both. Hubs nearby see the hub’s name while “Add a hub” is open here.`,
    nameMissing: (hub: string) =>
      `It is called ${hub}. Say who uses it, so that others know who they are asking.`,
    change: 'Change',
    passphrase: 'Choose the owner passphrase',
    passphraseDone:
      'It is set. You can log in from a browser at any time, and decide at a terminal.',
    passphraseMissing:
      'With it you can log in from a browser at any time, and decide at a terminal.',
    passphraseChoose: 'Choose it',
    passphraseChange: 'Change it',
    agent: 'Connect an agent',
    agentDone: (count: number) =>
      plural(count, { one: '{n} agent is connected.', other: '{n} agents are connected.' }),
    agentMissing: 'Claude Code, OpenClaw, a script: one line connects it, on this computer only.',
    connect: 'Connect',
    hub: 'Add another hub',
    hubDone: (count: number) =>
      plural(count, { one: '{n} hub is added.', other: '{n} hubs are added.' }),
    hubMissing: 'Install AXON Hub on another computer in your home; it shows up here by itself.',
    addHub: 'Add a hub',
    done: 'Done',
    lesson: 'How it works',
    lessons: [
      [
        'A request waits for you',
        'What other computers ask for stays outside, word for word, until you decide or the time is up.',
      ],
      ['You allow it', 'Once. One of your agents then does it, on this computer.'],
      [
        'Or you decline it',
        'The other computer is told, with your reason if you give one. If you do nothing, it isn’t done.',
      ],
    ],
  },
} as const;

/** How risky a request is by the owner's word, which never says what a task does. */
export function riskWordsOf({
  kind,
  risk_class: risk,
}: Pick<ApprovalDto, 'kind' | 'risk_class'>): string {
  return isTaskWhereLooks({ kind, risk_class: risk }) ? now.notJustALook : now.risk[risk];
}

/** A task where only looking is expected. */
export function isTaskWhereLooks({
  kind,
  risk_class: risk,
}: Pick<ApprovalDto, 'kind' | 'risk_class'>): boolean {
  return kind === 'delegate' && risk === 'R0';
}

/** The day at the door. */
export const activity = {
  today: 'Today, hour by hour',
  since: (time: string) => `Since ${time}, hour by hour`,
  allowed: 'allowed by a person',
  unasked: 'allowed by a rule',
  answered: 'answered by a person',
  declined: 'declined',
  expired: 'nobody decided',
  in: 'in',
  out: 'out',
  /** @param since null: this day @returns empty where rules did nothing */
  rulesToday: (
    since: string | null,
    {
      unasked: allowed,
      declinedByRule: declined,
    }: { readonly unasked: number; readonly declinedByRule: number },
  ) => {
    const did = [
      ...(allowed === 0
        ? []
        : [plural(allowed, { one: 'allowed {n} request', other: 'allowed {n} requests' })]),
      ...(declined === 0
        ? []
        : allowed > 0
          ? [`declined ${declined}`]
          : [plural(declined, { one: 'declined {n} request', other: 'declined {n} requests' })]),
    ];
    return did.length === 0
      ? ''
      : `${since === null ? 'Today' : `Since ${since}`} your rules ${did.join(' and ')}.`;
  },
  table: 'As a table',
  hour: 'From',
} as const;
