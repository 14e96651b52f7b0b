// The words for asking now, later or without a sound: pause, quiet hours, mutes, what is held, and
// somebody who asks too much. English.
import type { HoldReason } from '../attention.ts';
import { locale } from './shared-words.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

export const attention = {
  pause: 'Pause everything',
  pauseAsk: 'Pause everything for how long?',
  pauseDetail:
    'No request is allowed by itself, not even by your rules. Requests are held, and whoever asked is told so. Notices still arrive. Dangerous requests show up at once, without a sound.',
  pauseFor: { hour: '1 hour', tonight: 'Until tonight', open: 'Until I resume' },
  paused: (until: string | null) =>
    until === null
      ? 'Everything is paused until you resume.'
      : `Everything is paused until ${until}.`,
  pausedDetail:
    'Requests are held, and no rule allows any. Notices still arrive. Dangerous requests still show up, without a sound.',
  stop: 'Stop everything',
  stopDetail:
    'What runs here is asked to stop, and what waits is declined. Until you resume, nobody can ask anything of this hub. Notices still arrive.',
  stopped: 'Everything was asked to stop.',
  stoppedDetail:
    'What waited was declined. Until you resume, nobody can ask anything of this hub. Notices still arrive.',
  goOn: 'Resume now',
  quietNow: (name: string, until: string) => `Quiet hours “${name}” until ${until}.`,

  held: (until: string | null) =>
    until === null ? 'Held until you resume' : `Held until ${until}`,
  heldWhy: {
    paused: 'Everything is paused.',
    quiet_hours: 'Quiet hours are on.',
    muted: 'You muted this hub.',
    person: 'You put these off.',
  } satisfies Record<HoldReason, string>,
  heldNote:
    'Nothing here is allowed automatically. Whoever asked is told that it is held. You are not asked about what ends before that.',
  showAll: 'Show them now',
  show: 'Show now',
  showSpoken: (hub: string) => `Show now: the request from ${hub}`,
  later: 'Later',
  laterSpoken: 'Later: ask me again in an hour',
  keepOpen: 'Keep open longer',
  keepOpenSpoken: (until: string) => `Keep open longer: until ${until}`,
  keptOpen: (until: string) => `It now waits until ${until}.`,
  keepableUntil: (deadline: string) =>
    `You can keep it open until ${deadline}. After that, whoever asked stops waiting.`,
  waitsNoLonger: 'Whoever asked won’t wait longer than that.',
  heldEnds: (when: string) => `It ends ${when}.`,
  endsBefore: (when: string) => `It ends before that, ${when}.`,

  flood: (hub: string, count: number) =>
    `${hub} asked ${plural(count, { one: '{n} more time', other: '{n} more times' })}`,
  floodKept: (kept: number) =>
    plural(kept, {
      one: '{n} of its requests waits, hidden until you show it. Everyone else still gets through.',
      other:
        '{n} of its requests wait, hidden until you show them. Everyone else still gets through.',
    }),
  floodNone: 'There were too many, so they were refused. Everyone else still gets through.',
  declinedOften: (hub: string) => `${hub} keeps asking.`,
  showThem: (count: number) => plural(count, { one: 'Show it', other: 'Show the {n}' }),
  muteDay: 'Mute for a day',
  silent: 'It makes no sound for now.',

  mute: 'Mute',
  muteAsk: (hub: string) => `Mute ${hub} for how long?`,
  muteDetail:
    'Its requests are held, and its notices arrive as read. Requests that end before that are not done. It is told that they are held, not that it is muted.',
  muteFor: { hour: 'An hour', day: 'A day', week: 'A week' },
  muted: (hub: string, until: string) => `${hub} is muted until ${until}.`,
  mutedUntil: (until: string) => `Muted until ${until}`,
  unmute: 'Unmute',
  undo: (seconds: number) => `Undo, ${seconds}`,
  undoSpoken: 'Undo',
  notUndone: 'It could not be undone.',

  quiet: {
    title: 'Quiet hours',
    detail:
      'Requests are held and make no sound. Your rules still work. Dangerous requests show up at once, without a sound. Times are by this hub’s clock.',
    zone: (zone: string) => `Its time zone is ${zone}.`,
    none: 'You have none yet.',
    add: 'Add quiet hours',
    change: 'Change',
    remove: 'Remove',
    sentence: (days: string, from: string, to: string) => `${days} ${from} to ${to}`,
    onNow: 'On now.',
    off: 'Switched off.',
    on: 'On',
    name: 'Name',
    nameNew: 'Night',
    from: 'From',
    to: 'To',
    days: 'Days they start on',
    everyDay: 'every day',
    workdays: 'Monday to Friday',
    weekend: 'Saturday and Sunday',
    dayNames: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    dayShort: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
    sameTime: 'The start and the end can’t be the same time.',
    urgent: 'Can interrupt with urgent requests',
    urgentDetail:
      'Even during a pause. You are asked; no request is allowed by itself. A muted hub can’t interrupt.',
    urgentNone: 'Add another hub first.',
  },
} as const;
