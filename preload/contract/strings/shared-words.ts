// Words that every screen uses: names of screens, times, states, what went wrong. English.
import { pluralizer } from './plural.ts';

export const locale = 'en-GB';
/** A number with its noun, in the form that the number asks for. */
export const plural = pluralizer(locale);
const ordinal = pluralizer(locale, 'ordinal');

/** "Family chat" for the area "family.chat"; the exact form is one click away. */
export function areaName(domain: string): string {
  const spaced = domain.replaceAll(/[.-]/g, ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Systems by the names people know, keyed by what programs call them. */
const platforms: Readonly<Record<string, string>> = {
  darwin: 'macOS',
  win32: 'Windows',
  linux: 'Linux',
  android: 'Android',
  freebsd: 'FreeBSD',
};

export const common = {
  appName: 'AXON Hub',
  screens: {
    now: 'Now',
    people: 'People & hubs',
    feed: 'Feed',
    conversations: 'Conversations',
    rules: 'Rules',
    agents: 'Agents',
    settings: 'Settings',
  },
  screensLabel: 'Screens',
  more: 'More',
  thisComputer: 'this computer',
  skipToContent: 'Go to the content',
  waitingCount: (count: number) => plural(count, { one: '{n} waiting', other: '{n} waiting' }),
  unreadCount: (count: number) => plural(count, { one: '{n} unread', other: '{n} unread' }),
  status: {
    ready: 'Ready',
    starting: 'Starting',
    locked: 'Locked',
    missing: 'No identity',
    stopping: 'Stopping',
    lost: 'Not live',
    noHubs: 'no other hubs yet',
    online: (online: number, all: number) =>
      `${online} of ${plural(all, { one: '{n} hub', other: '{n} hubs' })} online`,
  },
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'It could not be copied. Select the text and copy it by hand.',
  save: 'Save',
  tryAgain: 'Try again',
  duration: {
    seconds: (count: number) => plural(count, { one: '{n} second', other: '{n} seconds' }),
    minutes: (count: number) => plural(count, { one: '{n} minute', other: '{n} minutes' }),
    hours: (count: number) => plural(count, { one: '{n} hour', other: '{n} hours' }),
    days: (count: number) => plural(count, { one: '{n} day', other: '{n} days' }),
    and: (long: string, short: string) => `${long} ${short}`,
  },
  today: 'Today',
  yesterday: 'Yesterday',
  tomorrow: 'tomorrow',
  dayAt: (day: string, time: string) => `${day} at ${time}`,
  justNow: 'just now',
  ago: (duration: string) => `${duration} ago`,
  milliseconds: (count: number) => `${Math.max(1, Math.round(count))} ms`,
  surfaces: {
    window: 'in the window',
    browser: 'in the browser',
    command_line: 'on the command line',
    clock: 'by the clock',
    rule: 'by a rule',
    peer: 'by the other hub',
    agent: 'by an agent',
    hub: 'by this hub',
  },
  here: 'here',
  /** Who did it, where the owner has no name. */
  you: 'you',
  platforms,
  /** The parts of one name, as "Who, 1st". */
  between: ', ',
  placeInList: (place: number) =>
    ordinal(place, { one: '{n}st', two: '{n}nd', few: '{n}rd', other: '{n}th' }),
  said: {
    hiddenCharacter: (code: string) => `hidden character ${code}`,
    exactly: 'Exactly as it was sent',
  },
  problems: {
    /** The sentence of each code is the hub's own; this is said when a code has no sentence. */
    unknown: 'It did not work, and the hub did not say why.',
    again: (duration: string) => `Try again in ${duration}.`,
  },
  loading: { title: 'Reading this hub’s record…', detail: 'Usually under a second.' },
  unreachable: {
    title: 'The hub does not answer',
    otherTitle: 'The hub cannot show its record',
    detail: 'For now, nothing can be decided on this page.',
  },
  lost: {
    title: (time: string) => `This page lost its hub at ${time}.`,
    detail: 'What you see is from then. Until it is back, nothing can be decided or allowed.',
    retry: (duration: string) => `Trying again in ${duration}.`,
    retryNow: 'Trying again now.',
  },
  /** Spoken by a screen reader when something comes by itself. */
  announced: {
    request: (hub: string) => `A request from ${hub}.`,
    /** Nobody here is waited for. */
    elsewhere: (hub: string) => `A request from ${hub}, about which an adult’s hub decides.`,
    offer: (label: string) => `${label} asks to be added.`,
    several: (count: number) =>
      plural(count, { one: '{n} new request.', other: '{n} new requests.' }),
    waiting: (count: number) =>
      plural(count, { one: '{n} waits for you.', other: '{n} wait for you.' }),
    back: 'The hub is back. This page is live again.',
  },
  /** Two hubs with one key. */
  sameKey: {
    title: (at: string) => `Another hub with the key of this one was met at ${at}.`,
    detail:
      'Other hubs take the two for one. If a copy of this hub’s data folder runs there, stop one of them for good, and remove its data folder. If its computer is to have a hub of its own, start that with a new, empty data folder (--home or AXON_HOME) and pair it. If you know of no copy, somebody else has the key of this hub: remove this hub at every other one, start it with a new, empty data folder, and pair it again.',
  },
  hubState: {
    locked:
      'The keychain of this computer is locked, so this hub cannot show who it is. No other hub can reach it.',
    missing:
      'This hub’s identity cannot be found. It doesn’t make a new one by itself, because other hubs would not know it.',
    starting: 'The hub is starting.',
    stopping: 'The hub is stopping.',
    unlock: 'Unlock',
  },
  keys: {
    title: 'Keys',
    open: 'Keys',
    note: 'Enter never decides anything unless a button has the focus. Single letters can be switched off in Settings.',
    screens: 'Now to Settings',
    screensKeys: (modifier: string) => `${modifier} 1 to 7`,
    move: 'Next, previous',
    search: 'Search what was said',
    open_item: 'Open',
    back: 'Back',
    closeTop: 'Close the top layer',
    allow: 'On a card with focus: allow once',
    decline: 'Decline',
    reason: 'Decline with a reason',
    more: 'More choices',
    answer: 'Answer yourself',
    undo: 'Undo',
    panel: 'This panel',
  },
  login: {
    title: 'Log in to this hub',
    detail: 'Whoever is logged in decides for this hub.',
    passphraseLabel: 'Owner passphrase',
    noPassphrase:
      'No passphrase yet, or forgotten? Go to the computer where AXON Hub runs. Its window, or the page that opens when it starts, lets you in without one.',
    codeLabel: 'Login link or code',
    linkFrom: 'A login link comes from a terminal on the computer where this hub runs:',
    command: 'axon login',
    inClone: 'In the folder of AXON Hub it is',
    commandInClone: 'npx axon login',
    open: 'Log in',
    usePassphrase: 'Use the owner passphrase',
    useCode: 'Use a login link',
    note: 'You stay logged in for 12 hours at most, or until this page has asked its hub nothing for 30 minutes, in this tab only. Check that the address above begins with',
    noCode:
      'That is not a login link or code. It looks like the last part of the link after “#c=”.',
    otherHub: (theirs: string, ours: string) =>
      `That link opens ${theirs}. This page is ${ours}: open the link itself, or get one for this hub.`,
    ended: 'The login of this tab has ended. Log in to see what waits now.',
  },
} as const;
