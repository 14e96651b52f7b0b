// The words of the desktop outside its pages: tray, notifications and boxes. Fixed words, counts,
// and the owner's own names for hubs; never a word that came from somebody else.
import type { HubState } from './dto.ts';
import type { StoryKind } from './story.ts';

const KINDS: Readonly<Record<StoryKind, string>> = {
  question: 'a question',
  task: 'a task',
  choice: 'a choice',
  decision: 'a decision',
  permission: 'a permission',
};

export const trayWords = {
  waiting: (count: number): string => {
    if (count === 0) return 'Nothing needs you';
    return count === 1 ? '1 request waits for you' : `${count} requests wait for you`;
  },
  request: (peerName: string, kind: StoryKind): string => `${peerName}: ${KINDS[kind]}`,
  moreWaiting: (count: number): string => `${count} more`,
  stopped: (peerNames: readonly string[]): string =>
    peerNames.length === 1
      ? `Stop: ${peerNames[0]} has a new identity`
      : `Stop: ${peerNames.length} hubs have a new identity`,
  copied: 'Another hub runs with the key of this one',
  state: {
    running: null,
    identity_locked: 'The key of this hub is locked',
    identity_missing: 'The key of this hub is missing',
    starting: 'The hub is starting',
    stopping: 'The hub is stopping',
  } satisfies Record<HubState, string | null>,
  online: (online: number, all: number): string =>
    all === 0 ? 'No other hub was added yet' : `Online: ${online} of ${all} hubs`,
  hub: (name: string, online: boolean): string => `${name}: ${online ? 'online' : 'offline'}`,
  pauseHour: 'Pause for an hour',
  pauseTonight: 'Pause until tonight',
  pauseOpen: 'Pause until I resume',
  stopEverything: 'Stop everything',
  paused: 'Everything is paused',
  everythingStopped: 'Everything was asked to stop',
  goOn: 'Resume now',
  open: 'Open AXON Hub',
  settings: 'Settings',
  update: (version: string): string => `Install version ${version} and start again`,
  quit: 'Quit AXON Hub (other hubs will see it as offline)',
} as const;

export function trayTitle(count: number): string {
  return `AXON Hub: ${trayWords.waiting(count)}`;
}

interface NotificationWords {
  readonly title: string;
  readonly body: string;
}

/** @param peerName null: a name may be read by somebody else, as on a locked screen */
export function stopNotification(peerName: string | null): NotificationWords {
  return {
    title: 'AXON Hub',
    body: peerName === null ? 'Stop: a hub has a new identity' : trayWords.stopped([peerName]),
  };
}

/** @param peerName null: a name may be read by somebody else, as on a locked screen */
export function requestNotification(peerName: string | null): NotificationWords {
  return {
    title: 'AXON Hub',
    body: peerName === null ? 'New request' : `New request from ${peerName}`,
  };
}

/** In place of one notification each. Without a number, which would be another one soon. */
export const waitingNotification: NotificationWords = {
  title: 'AXON Hub',
  body: 'Something waits for your decision',
};

/** What the first close of the window says. @param hasTray this desktop shows icons of programs */
export function closedWords(hasTray: boolean): {
  readonly message: string;
  readonly detail: string;
} {
  return {
    message: 'AXON Hub keeps running',
    detail: hasTray
      ? 'Its window is closed, and its icon stays in the tray. To see the window again, press the icon or start AXON Hub once more. To end AXON Hub, choose Quit in the menu of the icon.'
      : 'This desktop may show no icon for it, so its window is minimised. To see it again, start AXON Hub once more. To end AXON Hub, choose Quit in the menu of the window.',
  };
}

/** An update that was chosen was not installed. */
export const notUpdatedWords =
  'The update could not be installed. AXON Hub starts again as it was.';
