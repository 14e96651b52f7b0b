// The words of the desktop outside its window: tray and notifications. Fixed words, a count, and
// the owner's own name for a hub; never a word that came from somebody else.

const plural = new Intl.PluralRules('en');

export const trayWords = {
  waiting: (count: number): string => {
    if (count === 0) return 'Nothing needs you';
    return plural.select(count) === 'one'
      ? '1 request waits for you'
      : `${count} requests wait for you`;
  },
  stopped: (peerNames: readonly string[]): string =>
    peerNames.length === 1
      ? `Stop: ${peerNames[0]} has a new identity`
      : `Stop: ${peerNames.length} hubs have a new identity`,
  pauseHour: 'Pause for an hour',
  pauseTonight: 'Pause until tonight',
  pauseOpen: 'Pause until I resume',
  stopEverything: 'Stop everything',
  paused: 'Everything is paused',
  everythingStopped: 'Everything is stopped',
  goOn: 'Resume now',
  open: 'Open AXON Hub',
  quit: 'Quit AXON Hub',
} as const;

export function trayTitle(count: number): string {
  return `AXON Hub: ${trayWords.waiting(count)}`;
}

export function stopNotification(peerName: string): {
  readonly title: string;
  readonly body: string;
} {
  return { title: 'AXON Hub', body: trayWords.stopped([peerName]) };
}

export function requestNotification(peerName: string): {
  readonly title: string;
  readonly body: string;
} {
  return { title: 'AXON Hub', body: `New request from ${peerName}` };
}
