// Packets no library would send: 1-RTT packets with any frames, sealed with the keys of a real
// connection (RFC 9000, RFC 9001). The keys come out of the client's own key log.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '../integration/quic-test-hub.ts';
import {
  honestPapers,
  LawlessConnection,
  lawlessConfig,
  type Attacked,
  type RawSocket,
} from './PW-lawless-peer.ts';
import { integer, PacketKeys } from './PW-packet-keys.ts';

/** Far beyond what the library itself has used on the connection. */
const FIRST_PACKET_NUMBER = 1_000_000;
const SHORT_HEADER_WITH_FOUR_BYTE_NUMBER = 0x43;

export class CraftingPeer {
  readonly connection: LawlessConnection;
  readonly #socket: RawSocket;
  readonly #hub: Attacked;
  readonly #destination: Buffer;
  readonly #keys: PacketKeys;
  #number = FIRST_PACKET_NUMBER;

  private constructor(
    connection: LawlessConnection,
    socket: RawSocket,
    hub: Attacked,
    secret: Buffer,
  ) {
    this.connection = connection;
    this.#socket = socket;
    this.#hub = hub;
    this.#destination = Buffer.from(connection.native.destinationId());
    this.#keys = new PacketKeys(secret);
  }

  /**
   * A connection with its handshake done, whose own library says nothing more.
   * @param isIn resolves once the hub, too, takes the handshake for done
   */
  static async open(
    socket: RawSocket,
    hub: Attacked,
    identity: Identity,
    isIn: () => Promise<unknown>,
  ): Promise<CraftingPeer> {
    const folder = mkdtempSync(join(tmpdir(), 'axon-keys-'));
    try {
      const path = join(folder, 'keys');
      const config = lawlessConfig(await honestPapers(identity));
      config.logKeys();
      const connection = new LawlessConnection(socket, hub, config);
      connection.native.setKeylog(path);
      await connection.established();
      await isIn();
      connection.stop();
      const secret = /^CLIENT_TRAFFIC_SECRET_0 \w+ (\w{64})$/m.exec(
        readFileSync(path, 'utf8'),
      )?.[1];
      if (secret === undefined)
        throw new Error('the key log has no secret for a cipher with SHA-256');
      return new CraftingPeer(connection, socket, hub, Buffer.from(secret, 'hex'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Sends one packet with these frames. */
  async send(...frames: readonly Buffer[]): Promise<void> {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(this.#number);
    const header = Buffer.concat([
      Buffer.from([SHORT_HEADER_WITH_FOUR_BYTE_NUMBER]),
      this.#destination,
      number,
    ]);
    const packet = this.#keys.seal(header, this.#number, Buffer.concat(frames));
    this.#number += 1;
    await this.#socket.send(packet, this.#hub);
  }
}

export const FRAME = {
  crypto: (offset: number, data: Buffer) =>
    Buffer.concat([Buffer.from([0x06]), integer(offset), integer(data.length), data]),
  stream: (streamId: number, data: Buffer) =>
    Buffer.concat([Buffer.from([0x0b]), integer(streamId), integer(data.length), data]),
  newConnectionId: (sequence: number, retirePriorTo: number, id: Buffer, token: Buffer) =>
    Buffer.concat([
      Buffer.from([0x18]),
      integer(sequence),
      integer(retirePriorTo),
      Buffer.from([id.length]),
      id,
      token,
    ]),
  retireConnectionId: (sequence: number) => Buffer.concat([Buffer.from([0x19]), integer(sequence)]),
  pathChallenge: (data: Buffer) => Buffer.concat([Buffer.from([0x1a]), data]),
  /** One range that ends with `largest`. */
  acknowledge: (largest: number, count: number) =>
    Buffer.concat([
      Buffer.from([0x02]),
      integer(largest),
      integer(0),
      integer(0),
      integer(count - 1),
    ]),
};
