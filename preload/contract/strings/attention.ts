// The words for asking now, later or without a sound: pause, quiet hours, mutes, what is held, and somebody who asks too much. English.
import type { HoldReason } from '../attention.ts';
import { locale } from './everywhere.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

export const attention = {
  pause: 'Pause everything',
  pauseAsk: 'Pause everything for how long?',
  pauseDetail:
    'Nothing is let in meanwhile, not even by your rules. What other hubs ask for is held; they are told so. Only what is dangerous is shown at once, without a sound.',
  pauseFor: { hour: '1 hour', tonight: 'Until tonight', open: 'Until I go on' },
  pauseNot: 'Do not pause',
  paused: (until: string | null) => (until === null ? 'Everything is paused until you go on.' : `Everything is paused until ${until}.`),
  pausedDetail: 'What other hubs ask for is held. Nothing is let in. What is dangerous is shown, without a sound.',
  goOn: 'Go on now',
  quietNow: (name: string, until: string) => `Quiet hours “${name}” until ${until}.`,

  held: (until: string | null) => (until === null ? 'Held until you go on' : `Held until ${until}`),
  heldWhy: {
    paused: 'Everything is paused.',
    quiet_hours: 'It is a quiet hour.',
    muted: 'You muted who asks.',
    person: 'You put these off.',
  } satisfies Record<HoldReason, string>,
  heldNote: 'Nothing here is allowed by itself; each asker is told that you are asked later.',
  showAll: 'Show them now',
  show: 'Show now',
  showSpoken: (hub: string) => `Show now: the request from ${hub}`,
  later: 'Later',
  laterSpoken: 'Later: ask me again in an hour',
  keepOpen: 'Keep open longer',
  keepOpenSpoken: (until: string) => `Keep open longer: until ${until}`,
  keptOpen: (until: string) => `It waits until ${until} now.`,
  keepableUntil: (deadline: string) => `It can be kept open until ${deadline}; then whoever asked waits no longer.`,
  waitsNoLonger: 'That is as long as whoever asked waits for it.',
  heldEnds: (when: string) => `It ends ${when}.`,
  endsBefore: (when: string) => `It ends before that, ${when}.`,

  flood: (hub: string, count: number) => `${hub} asked ${plural(count, { one: '{n} more time', other: '{n} more times' })}`,
  floodKept: (kept: number) =>
    plural(kept, {
      one: '{n} of its requests waits behind this line. Everyone else still gets through.',
      other: '{n} of its requests wait behind this line. Everyone else still gets through.',
    }),
  floodNone: 'These were refused as too many. Everyone else still gets through.',
  declinedOften: (hub: string) => `${hub} asks again and again.`,
  showThem: (count: number) => plural(count, { one: 'Show it', other: 'Show the {n}' }),
  muteDay: 'Mute for a day',
  silent: 'It makes no sound meanwhile.',

  mute: 'Mute',
  muteAsk: (hub: string) => `Mute ${hub} for how long?`,
  muteDetail: 'What it asks for is held, and its notices are kept as read. It is told that you are asked later, not that it is muted.',
  muteFor: { hour: 'An hour', day: 'A day', week: 'A week' },
  muteNot: 'Do not mute',
  muted: (hub: string, until: string) => `${hub} is muted until ${until}.`,
  mutedUntil: (until: string) => `Muted until ${until}`,
  unmute: 'Unmute',
  undo: (seconds: number) => `Undo, ${seconds}`,
  undoSpoken: 'Undo',
  notUndone: 'It could not be undone.',

  quiet: {
    title: 'Quiet hours',
    detail:
      'Requests are held and make no sound; your rules go on. What is dangerous is shown at once, without a sound. By the clock of this hub.',
    zone: (zone: string) => `Its time zone is ${zone}.`,
    none: 'There are none yet.',
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
    days: 'Days on which they begin',
    everyDay: 'every day',
    workdays: 'Monday to Friday',
    weekend: 'Saturday and Sunday',
    dayNames: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    dayShort: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
    sameTime: 'They end at another time than they begin.',
    urgent: 'May disturb with what it marks urgent',
    urgentDetail: 'Also during a pause. It is asked, never let in. A muted hub disturbs nobody.',
    urgentNone: 'Add another hub first.',
  },
} as const;
