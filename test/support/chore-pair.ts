// Two paired chore hubs with a line of bad weather between them, which can be cut.
import { ChoreHub } from './chore-hub.ts';
import { UdpLine } from './udp-line.ts';

/** What the line loses and delays is the same in every run. */
const WEATHER_SEED = 19;

export interface ChorePair {
  readonly asking: ChoreHub;
  readonly asked: ChoreHub;
  readonly line: UdpLine;
}

/**
 * Starts both, and waits until each sees the other.
 * @param ends gets what ends them, to be run in the order of the last first
 * @param weather sets that of the line before the first datagram
 */
export async function openChorePair(
  ends: (() => Promise<void> | void)[],
  weather: (line: UdpLine) => void = () => undefined,
): Promise<ChorePair> {
  const [asking, asked] = [new ChoreHub(), new ChoreHub()];
  ends.push(
    () => asking.remove(),
    () => asked.remove(),
  );
  await asked.prepare([{ identity: asking.identity, name: 'Other' }]);
  await asked.start();
  const line = new UdpLine(asked.peerPort, WEATHER_SEED);
  ends.push(() => line.close());
  weather(line);
  const place = { host: '127.0.0.1', port: await line.open() };
  await asking.prepare([{ identity: asked.identity, name: 'Other', place }]);
  await asking.start();
  await Promise.all([asking.online(), asked.online()]);
  return { asking, asked, line };
}
