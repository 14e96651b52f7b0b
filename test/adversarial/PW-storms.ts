// What strangers send in storms: long headers made of chance, half-right datagrams, handshakes that
// are begun and left, frames without end. Used against the bare transport and against a whole hub.
import { randomBytes } from 'node:crypto';
import { FRAME } from './PW-crafted-packets.ts';
import { until } from '../support/until.ts';
import { binding, lawlessConfig, type Attacked, type RawSocket } from './PW-lawless-peer.ts';

/** Packets given to the kernel before the hub gets its turn. */
export const STORM_BURST = 16;

/** So many datagrams of any size fit the buffer of a socket that nobody reads. */
const COUNTED_BURST = 64;
const COUNTED_WITHIN_MS = 15_000;

/**
 * Sends so many datagrams, each burst once the hub has counted the one before: a buffer on the way
 * that overflows would lose some of them.
 * @param received how many datagrams the hub has counted, of whomever
 */
export async function sendCounted(
  socket: RawSocket,
  hub: Pick<Attacked, 'host' | 'port'>,
  count: number,
  make: (number: number) => Uint8Array,
  received: () => Promise<number>,
): Promise<void> {
  const before = await received();
  for (let sent = 0; sent < count;) {
    const end = Math.min(sent + COUNTED_BURST, count);
    for (; sent < end; sent += 1) await socket.send(make(sent), hub);
    await until(
      `${end} datagrams to be counted`,
      COUNTED_WITHIN_MS,
      async () => (await received()) >= before + end || undefined,
    );
  }
}

/** A long header of QUIC v1 with ids of eight bytes, filled up with chance. */
export function longHeader(type: 'initial' | 'zero-rtt', length: number, version = 1): Buffer {
  const datagram = Buffer.concat([randomBytes(Math.max(length, 24))]);
  datagram[0] = type === 'initial' ? 0xc3 : 0xd3;
  datagram.writeUInt32BE(version, 1);
  datagram[5] = 8;
  datagram[14] = 8;
  datagram[23] = 0;
  return datagram.subarray(0, length);
}

/**
 * A datagram of chance; every second one looks like a long header of our version, with lengths that
 * lie.
 */
export function halfRightDatagram(number: number): Buffer {
  const datagram = randomBytes(1 + (number % 1_400));
  if (number % 2 === 0 && datagram.length > 5) {
    datagram[0] = 0xc0 | (number & 0x3f);
    datagram.writeUInt32BE(1, 1);
  }
  return datagram;
}

/**
 * Sends first Initials, answers each Retry with a second Initial that shows its token, and then
 * says nothing more.
 */
export async function beginHandshakes(
  socket: RawSocket,
  hub: Attacked,
  count: number,
): Promise<void> {
  const out = Buffer.alloc(65_536);
  const config = lawlessConfig(null);
  const to = { host: hub.host, port: hub.port };
  const clients = new Map<string, ReturnType<typeof binding.Connection.connect>>();
  const sendOne = (
    client: ReturnType<typeof binding.Connection.connect>,
  ): Promise<void> | undefined => {
    const part = client.send(out);
    return part ? socket.send(Buffer.from(out.subarray(0, part[0])), to) : undefined;
  };
  socket.onDatagram = (datagram) => {
    const id = datagram.toString('latin1', 6, 22);
    const isRetry = (datagram[0] ?? 0) >> 4 === 0xf;
    const client = clients.get(id);
    if (!isRetry || !client) return;
    clients.delete(id);
    client.recv(datagram, { from: to, to: socket.address });
    void sendOne(client);
  };
  for (let begun = 0; begun < count; begun += 1) {
    const id = randomBytes(16);
    const client = binding.Connection.connect('x', id, socket.address, to, config);
    clients.set(id.toString('latin1'), client);
    await sendOne(client);
  }
}

/** The frames of one packet of each storm, by the packet's number in it. */
export const FRAME_STORMS: Readonly<Record<string, (number: number) => readonly Buffer[]>> = {
  'holes in the TLS stream': (number) => [
    FRAME.crypto(10 + number * 1_100, Buffer.alloc(1_000, 1)),
  ],
  'one byte of the TLS stream at a time, backwards': (number) =>
    Array.from({ length: 40 }, (_, index) =>
      FRAME.crypto(16_000_000 - 2 * (number * 40 + index), Buffer.alloc(1)),
    ),
  'connection ids that retire those before': (number) =>
    Array.from({ length: 20 }, (_, index) => {
      const sequence = 1 + number * 20 + index;
      return FRAME.newConnectionId(sequence, sequence, randomBytes(16), randomBytes(16));
    }),
  'retirements of ids that were never given': (number) =>
    Array.from({ length: 60 }, (_, index) => FRAME.retireConnectionId(number * 60 + index)),
  'path challenges': () => Array.from({ length: 100 }, () => FRAME.pathChallenge(randomBytes(8))),
  'acknowledgements of packets never sent': (number) => [
    FRAME.acknowledge(1_000_000 + number, 1_000),
  ],
};
