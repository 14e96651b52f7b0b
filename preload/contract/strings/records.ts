// The words of the feed and of conversations. English.
import type { SpeakerDto } from '../conversation-dto.ts';
import { locale } from './shared-words.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

let dayAndMonth: Intl.DateTimeFormat | undefined;
let dayOfYear: Intl.DateTimeFormat | undefined;

/**
 * An agent that is not here any more, so that nobody takes it for one that has its name now.
 * @param at null: nobody wrote down when it was removed
 */
export function removedAgentName(name: string, at: number | null, now: number): string {
  if (at === null) return `${name} (removed)`;
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  dayAndMonth ??= new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' });
  dayOfYear ??= new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
  return `${name} (until ${(isThisYear ? dayAndMonth : dayOfYear).format(at)})`;
}

/** What stands where words stood that were removed after their time. */
export const removed = {
  task: 'The words of this request are no longer kept.',
  answer: 'The words of this answer are no longer kept.',
  conversation: 'What was said in this conversation is no longer kept.',
} as const;

export const feed = {
  title: 'Feed',
  summary: (unread: number) =>
    unread === 0
      ? 'All read. Decisions are under Now.'
      : `${plural(unread, { one: '{n} unread', other: '{n} unread' })}. Decisions are under Now.`,
  show: 'Show',
  all: 'All',
  unread: 'Unread',
  high: 'High',
  markAll: 'Mark all read',
  markOne: 'Mark read',
  markUnread: 'Mark unread',
  mute: 'Mute topic',
  muted: 'muted',
  mutedTopics: (count: number) =>
    plural(count, { one: '{n} muted topic', other: '{n} muted topics' }),
  mutedDetail: 'Notices about these count as read when they come.',
  unmute: 'Unmute',
  backlog: (count: number, unread: number) =>
    `${count} more` + (unread === 0 ? '' : `, ${unread} unread`),
  stateHigh: 'High,',
  stateUnread: 'Unread,',
  stateRead: 'Read,',
  highWord: 'high',
  thisHub: 'This hub',
  fromItself: 'from AXON Hub itself',
  leftOut: (count: number) =>
    plural(count, {
      one: '{n} more field is too long to be kept here.',
      other: '{n} more fields are too long to be kept here.',
    }),
  older: 'Show older ones',
  emptyTitle: 'No notices yet',
  emptyDetail:
    'What your family’s agents want you to know lands here. Nothing in the feed ever needs a decision.',
  emptyFilter: 'Nothing of that kind.',
} as const;

export const conversations = {
  title: 'Conversations',
  list: 'All conversations',
  pane: 'Conversation',
  pick: 'Pick a conversation',
  pickDetail: 'Each one shows what was asked, what was decided, by whom, and what came of it.',
  emptyTitle: 'Nothing has been said yet',
  emptyDetail:
    'When an agent asks another one, the whole exchange is kept here, with every decision.',
  older: 'Show older ones',
  archived: 'Quiet for 30 days or more',
  search: {
    label: 'Search what was said',
    submit: 'Search',
    help: 'Filters, such as from:mum, action:question, outcome:declined, by:rule, after:2026-05',
    found: (count: number, more: boolean) => `${count} found${more ? ' so far' : ''}`,
    none: 'Nothing found.',
    noneYet: 'Nothing found yet.',
    older: 'Look further back',
    asked: (from: string, to: string) => `${from} to ${to}`,
    noThread: 'A notice that belongs to no conversation.',
  },
  inspect: {
    open: 'Details',
    message: 'Message',
    answers: 'Answers',
    arrived: 'Arrived',
    sent: 'Sent',
    size: 'Size',
    bytes: (count: number) => plural(count, { one: '{n} byte', other: '{n} bytes' }),
    why: 'Why you were asked',
    rule: 'Rule',
    decided: 'Decided',
    after: (time: string, after: string) => `${time}, after ${after}`,
    given: 'Given to',
    times: (agent: string, count: number) =>
      plural(count, { one: `${agent}, {n} time`, other: `${agent}, {n} times` }),
    ended: 'Ended',
    digest: 'Digest',
    payload: 'Stored as',
    notKept: 'Its words are no longer kept.',
  },
  save: {
    label: 'Save a copy',
    markdown: 'Text',
    csv: 'Spreadsheet',
    jsonl: 'Data',
    reading: 'Reading it…',
    saved: (file: string) => `Saved as ${file}.`,
    stopped: 'Stopped: no file was made.',
  },
  remove: {
    open: 'Remove this conversation',
    ask: 'Remove this conversation?',
    goes: 'Its words go from this page, from search and from the cards.',
    stays: 'Ids, digests and the audit log stay. So do notices in the feed, and earlier backups.',
    there: (hub: string) => `${hub} keeps its own copy.`,
    no: 'Keep it',
    yes: 'Remove for good',
  },
  with: (hub: string) => `${hub} and this computer.`,
  takingPart: (who: readonly string[]) => `Taking part: ${who.join('; ')}.`,
  alike: 'Of the same name:',
  messages: (count: number) => plural(count, { one: '{n} message', other: '{n} messages' }),
  bareRequests: (count: number) =>
    plural(count, {
      one: 'Of {n} older request only what was said is shown.',
      other: 'Of {n} older requests only what was said is shown.',
    }),
  mine: (hub: string) => `to ${hub}`,
  here: (hub: string) => `${hub}, this computer`,
  ownAgents: 'Agents on this computer',
  kinds: {
    query: 'a question',
    delegate: 'a task',
    notify: 'a notice',
    response: 'an answer',
    result: 'the result',
    ack: 'a receipt',
    cancel: 'a cancellation',
    error: 'a failure notice',
    other: 'a message',
  },
  inArea: (area: string) => `in ${area}`,
  from: 'from',
  reason: 'Reason, not checked',
  recommended: 'Recommended, not checked',
  sentKind: (kind: string) => `${kind} went out`,
  wrote: 'wrote',
  forAgent: 'For',
} as const;

/** @param kind a wire kind */
export function kindWords(kind: string): string {
  const kinds: Readonly<Record<string, string>> = conversations.kinds;
  return kinds[kind] ?? conversations.kinds.other;
}

/** null: nobody who is named. */
export function participantWords(of: readonly SpeakerDto[]): string | null {
  return of.length === 0 ? null : conversations.takingPart(of.map(speakerWords));
}

export function speakerWords({ hub_name: hub, agent_name: agent }: SpeakerDto): string {
  return agent === null ? hub : `${agent}, ${hub}`;
}
