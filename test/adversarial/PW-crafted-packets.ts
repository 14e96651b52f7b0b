// Packets no library would send: 1-RTT packets with any frames, sealed with the keys of a real connection (RFC 9000, RFC 9001). The keys come
// out of the client's own key log.
import { createCipheriv, createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity, TestHub } from '../integration/quic-test-hub.ts';
import { honestPapers, LawlessConnection, lawlessConfig, type RawSocket } from './PW-lawless-peer.ts';

/** Far beyond what the library itself has used on the connection. */
const FIRST_PACKET_NUMBER = 1_000_000;
const SHORT_HEADER_WITH_FOUR_BYTE_NUMBER = 0x43;
const TAG_BYTES = 16;

export class CraftingPeer {
  readonly connection: LawlessConnection;
  readonly #socket: RawSocket;
  readonly #hub: TestHub;
  readonly #destination: Buffer;
  readonly #key: Buffer;
  readonly #iv: Buffer;
  readonly #headerKey: Buffer;
  #number = FIRST_PACKET_NUMBER;

  private constructor(connection: LawlessConnection, socket: RawSocket, hub: TestHub, secret: Buffer) {
    this.connection = connection;
    this.#socket = socket;
    this.#hub = hub;
    this.#destination = Buffer.from(connection.native.destinationId());
    this.#key = expandLabel(secret, 'quic key', 16);
    this.#iv = expandLabel(secret, 'quic iv', 12);
    this.#headerKey = expandLabel(secret, 'quic hp', 16);
  }

  /** A connection with its handshake done, whose own library says nothing more. */
  static async open(socket: RawSocket, hub: TestHub, identity: Identity): Promise<CraftingPeer> {
    const folder = mkdtempSync(join(tmpdir(), 'axon-keys-'));
    try {
      const path = join(folder, 'keys');
      const config = lawlessConfig(await honestPapers(identity));
      config.logKeys();
      const connection = new LawlessConnection(socket, hub, config);
      connection.native.setKeylog(path);
      await connection.established();
      await hub.event('connected', (event) => event.connection.keyHex === identity.keyHex);
      connection.stop();
      const secret = /^CLIENT_TRAFFIC_SECRET_0 \w+ (\w{64})$/m.exec(readFileSync(path, 'utf8'))?.[1];
      if (secret === undefined) throw new Error('the key log has no secret for a cipher with SHA-256');
      return new CraftingPeer(connection, socket, hub, Buffer.from(secret, 'hex'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Sends one packet with these frames. */
  async send(...frames: readonly Buffer[]): Promise<void> {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(this.#number);
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#number) >>> 0, 8);
    this.#number += 1;
    const header = Buffer.concat([Buffer.from([SHORT_HEADER_WITH_FOUR_BYTE_NUMBER]), this.#destination, number]);
    const cipher = createCipheriv('aes-128-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(header);
    const sealed = Buffer.concat([cipher.update(Buffer.concat(frames)), cipher.final(), cipher.getAuthTag()]);
    const mask = createCipheriv('aes-128-ecb', this.#headerKey, null).update(sealed.subarray(0, 16));
    header[0] = SHORT_HEADER_WITH_FOUR_BYTE_NUMBER ^ ((mask[0] ?? 0) & 0x1f);
    for (let at = 0; at < 4; at += 1) header[header.length - 4 + at] = (number[at] ?? 0) ^ (mask[1 + at] ?? 0);
    await this.#socket.send(Buffer.concat([header, sealed]), this.#hub);
  }
}

/** A variable-length integer in eight bytes (RFC 9000, Section 16). */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE((3n << 62n) | BigInt(value));
  return bytes;
}

export const FRAME = {
  crypto: (offset: number, data: Buffer) => Buffer.concat([Buffer.from([0x06]), integer(offset), integer(data.length), data]),
  stream: (streamId: number, data: Buffer) => Buffer.concat([Buffer.from([0x0b]), integer(streamId), integer(data.length), data]),
  newConnectionId: (sequence: number, retirePriorTo: number, id: Buffer, token: Buffer) =>
    Buffer.concat([Buffer.from([0x18]), integer(sequence), integer(retirePriorTo), Buffer.from([id.length]), id, token]),
  retireConnectionId: (sequence: number) => Buffer.concat([Buffer.from([0x19]), integer(sequence)]),
  pathChallenge: (data: Buffer) => Buffer.concat([Buffer.from([0x1a]), data]),
  /** One range that ends with `largest`. */
  acknowledge: (largest: number, count: number) =>
    Buffer.concat([Buffer.from([0x02]), integer(largest), integer(0), integer(0), integer(count - 1)]),
};

/** HKDF-Expand-Label of TLS 1.3 with SHA-256, up to 32 bytes. */
function expandLabel(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const information = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(information).digest().subarray(0, length);
}
