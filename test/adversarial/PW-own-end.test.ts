// A relay that passes a hub's own traffic back to it, and writes another connection id on what it
// can: the keys of first packets are known to whoever sees them (RFC 9001, Section 5.2).
import dgram from 'node:dgram';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { Household, systemDeps } from '../integration/quic-test-hub.ts';
import {
  expandLabel,
  hmac,
  integer,
  NUMBER_BYTES,
  PacketKeys,
  readInteger,
} from './PW-packet-keys.ts';

const SALT = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');
const ID_BYTES = 16;
const SOURCE_START = 1 + 4 + 1 + ID_BYTES + 1;
const LONG = 0x80;
const TYPE = 0x30;
const RETRY = 0x30;
const TRANSPORT_PARAMETER_ERROR = 8;

let household: Household;
let relay: Relay | undefined;
beforeEach(() => {
  household = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await household.stop();
  relay?.close();
});

class Relay {
  rewritten = 0;
  readonly #front = dgram.createSocket('udp4');
  readonly #back = dgram.createSocket('udp4');
  #keys: PacketKeys | undefined;
  readonly #falseId = randomBytes(ID_BYTES);

  async open(port: number): Promise<number> {
    let dialler = 0;
    this.#front.on('message', (datagram, from) => {
      dialler = from.port;
      this.#back.send(datagram, port, '127.0.0.1');
    });
    this.#back.on('message', (datagram) =>
      this.#front.send(this.#changed(datagram), dialler, '127.0.0.1'),
    );
    for (const socket of [this.#front, this.#back])
      await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return this.#front.address().port;
  }

  close(): void {
    this.#front.close();
    this.#back.close();
  }

  #changed(datagram: Buffer): Buffer {
    const first = datagram.readUInt8(0);
    if ((first & LONG) === 0) return datagram;
    const source = datagram.subarray(SOURCE_START, SOURCE_START + ID_BYTES);
    if ((first & TYPE) === RETRY)
      this.#keys = new PacketKeys(expandLabel(hmac(SALT, source), 'server in', 32));
    if ((first & TYPE) !== 0) return datagram;
    const token = readInteger(datagram, SOURCE_START + ID_BYTES);
    const length = readInteger(datagram, token.end + token.value);
    const end = length.end + length.value;
    const payload = this.#keys?.open(datagram.subarray(0, end), length.end);
    if (payload === undefined) return datagram;
    const number = this.rewritten;
    this.rewritten += 1;
    const numberBytes = Buffer.alloc(NUMBER_BYTES);
    numberBytes.writeUInt32BE(number);
    const header = Buffer.concat([
      Buffer.from([0xc0 | (NUMBER_BYTES - 1)]),
      datagram.subarray(1, SOURCE_START),
      this.#falseId,
      Buffer.from([0]),
      integer(NUMBER_BYTES + payload.length + 16),
      numberBytes,
    ]);
    const packet = this.#keys?.seal(header, number, payload) ?? Buffer.alloc(0);
    return Buffer.concat([packet, datagram.subarray(end)]);
  }
}

it('a relay that writes another id on the hub’s own answers makes no other hub of it', async () => {
  const near = await household.hub();
  relay = new Relay();
  const port = await relay.open(near.port);
  const dialled = await near.transport.dial({ ...near.target, port }, AbortSignal.timeout(10_000));
  expect(dialled).toEqual({
    ok: false,
    error: { type: 'refused', reason: `protocol error ${TRANSPORT_PARAMETER_ERROR}` },
  });
  expect(relay.rewritten).toBeGreaterThan(0);
  expect(near.eventsOf('connected')).toEqual([]);
});
