// A QUIC and TLS 1.3 handshake made by hand (RFC 8446, RFC 9001), for clients that no library lets
// one be: without any application protocol, with a certificate that is none. One cipher, one curve,
// one signature; no retransmission, since loopback loses nothing.
import {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import type { TestHub } from '../integration/quic-test-hub.ts';
import type { RawSocket } from './PW-lawless-peer.ts';
import {
  expandLabel,
  hmac,
  integer,
  NUMBER_BYTES,
  PacketKeys,
  readInteger,
} from './PW-packet-keys.ts';

const INITIAL_SALT = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');
const LEVELS = { initial: 0, handshake: 2, retry: 3 } as const;
type Level = 'initial' | 'handshake';
const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const FRAME_TYPES = {
  padding: 0,
  ping: 1,
  acknowledge: 2,
  acknowledgeWithCounts: 3,
  crypto: 6,
  close: 0x1c,
} as const;
const MESSAGES = {
  clientHello: 1,
  serverHello: 2,
  certificate: 11,
  certificateVerify: 15,
  finished: 20,
} as const;
const ED25519 = 0x0807;
const NOTHING = Buffer.alloc(0);
const LIMIT_MS = 10_000;

export interface ClientPapers {
  /** What stands in the Certificate message, whatever it is. */
  readonly certificates: readonly Uint8Array[];
  /** Signs the CertificateVerify; null = none is sent, as by a client without a certificate. */
  readonly key: KeyObject | null;
}

export interface Outcome {
  /**
   * The transport error the hub closed with; null when the whole handshake was sent and not refused
   * meanwhile.
   */
  readonly errorCode: number | null;
  readonly sentAll: boolean;
}

export class CraftedHandshake {
  readonly #socket: RawSocket;
  readonly #hub: TestHub;
  readonly #papers: ClientPapers;
  readonly #source = randomBytes(16);
  readonly #pair = generateKeyPairSync('x25519');
  readonly #hello: Buffer;
  #destination: Buffer;
  #token: Buffer = NOTHING;
  readonly #numbers = { initial: 0, handshake: 0 };
  readonly #keys: {
    [level in Level]?: { readonly ours: PacketKeys; readonly theirs: PacketKeys };
  } = {};
  readonly #streams = { initial: new CryptoStream(), handshake: new CryptoStream() };
  #transcript: Buffer;
  #secrets: { readonly client: Buffer } | undefined;
  #sentAll = false;
  #errorCode: number | null = null;
  #happened: () => void = () => {};

  /**
   * `protocols` null = the extension is left out. `firstIdBytes` = length of the id the client
   * makes up for the hub.
   */
  constructor(
    socket: RawSocket,
    hub: TestHub,
    protocols: readonly string[] | null,
    papers: ClientPapers,
    firstIdBytes = 16,
  ) {
    this.#destination = randomBytes(firstIdBytes);
    this.#socket = socket;
    this.#hub = hub;
    this.#papers = papers;
    this.#hello = message(MESSAGES.clientHello, this.#clientHello(protocols));
    this.#transcript = this.#hello;
    socket.onDatagram = (datagram) => this.#take(datagram);
  }

  /** From the first packet until the hub refuses, or `isTaken` says that it let the client in. */
  async run(isTaken: () => boolean): Promise<Outcome> {
    await this.#sendHello();
    await new Promise<void>((resolve, reject) => {
      const poll = setInterval(() => isTaken() && this.#happened(), 5);
      const limit = setTimeout(
        () => reject(new Error('the hub neither took nor refused the handshake')),
        LIMIT_MS,
      );
      this.#happened = () => {
        if (this.#errorCode === null && !isTaken()) return;
        clearInterval(poll);
        clearTimeout(limit);
        resolve();
      };
    });
    return { errorCode: this.#errorCode, sentAll: this.#sentAll };
  }

  #clientHello(protocols: readonly string[] | null): Buffer {
    const share = this.#pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const parameters = [
      [0x01, integer(30_000)],
      [0x04, integer(1 << 20)],
      [0x06, integer(1 << 16)],
      [0x08, integer(16)],
      [0x0f, this.#source],
    ] as const;
    const extensions = [
      extension(43, Buffer.from([2, 3, 4])),
      extension(10, Buffer.from([0, 2, 0, 0x1d])),
      extension(13, Buffer.from([0, 2, ED25519 >> 8, ED25519 & 0xff])),
      extension(51, sized(2, Buffer.concat([Buffer.from([0, 0x1d]), sized(2, share)]))),
      extension(
        57,
        Buffer.concat(
          parameters.flatMap(([id, value]) => [integer(id), integer(value.length), value]),
        ),
      ),
      ...(protocols
        ? [
            extension(
              16,
              sized(2, Buffer.concat(protocols.map((name) => sized(1, Buffer.from(name))))),
            ),
          ]
        : []),
    ];
    const ciphers = Buffer.from([0x13, 0x01]);
    return Buffer.concat([
      Buffer.from([3, 3]),
      randomBytes(32),
      sized(1, NOTHING),
      sized(2, ciphers),
      Buffer.from([1, 0]),
      sized(2, Buffer.concat(extensions)),
    ]);
  }

  async #sendHello(): Promise<void> {
    const secret = hmac(INITIAL_SALT, this.#destination);
    this.#keys.initial = {
      ours: new PacketKeys(expandLabel(secret, 'client in', 32)),
      theirs: new PacketKeys(expandLabel(secret, 'server in', 32)),
    };
    await this.#send('initial', crypto(0, this.#hello), 1_200);
  }

  /** One packet in a datagram of its own, filled up to `size`. */
  async #send(level: Level, frames: Buffer, size = 0): Promise<void> {
    const keys = this.#keys[level];
    if (!keys) throw new Error(`no keys for ${level} yet`);
    const number = Buffer.alloc(NUMBER_BYTES);
    number.writeUInt32BE(this.#numbers[level]);
    const version = Buffer.from([0, 0, 0, 1]);
    const first = Buffer.from([0xc0 | (LEVELS[level] << 4) | (NUMBER_BYTES - 1)]);
    // Two bytes of length, as every client writes it: the hub takes no longer form.
    const token =
      level === 'initial'
        ? [Buffer.from([0x40 | (this.#token.length >> 8), this.#token.length & 0xff]), this.#token]
        : [];
    const start = Buffer.concat([
      first,
      version,
      sized(1, this.#destination),
      sized(1, this.#source),
      ...token,
    ]);
    const overhead = start.length + 8 + NUMBER_BYTES + 16;
    const payload = Buffer.concat([
      frames,
      Buffer.alloc(Math.max(0, size - overhead - frames.length)),
    ]);
    const header = Buffer.concat([start, integer(NUMBER_BYTES + payload.length + 16), number]);
    const packet = keys.ours.seal(header, this.#numbers[level], payload);
    this.#numbers[level] += 1;
    await this.#socket.send(packet, this.#hub);
  }

  #take(datagram: Buffer): void {
    let rest = datagram;
    while (rest.length > 0 && (rest.readUInt8(0) & 0x80) !== 0) {
      const type = (rest.readUInt8(0) >> 4) & 3;
      const destinationEnd = 6 + rest.readUInt8(5);
      const sourceEnd = destinationEnd + 1 + rest.readUInt8(destinationEnd);
      const source = rest.subarray(destinationEnd + 1, sourceEnd);
      if (type === LEVELS.retry) {
        this.#destination = Buffer.from(source);
        this.#token = Buffer.from(rest.subarray(sourceEnd, -16));
        void this.#sendHello();
        return;
      }
      const level = type === LEVELS.initial ? 'initial' : 'handshake';
      const token =
        level === 'initial' ? readInteger(rest, sourceEnd) : { value: 0, end: sourceEnd };
      const length = readInteger(rest, token.end + token.value);
      const packet = rest.subarray(0, length.end + length.value);
      rest = rest.subarray(packet.length);
      const payload = this.#keys[level]?.theirs.open(packet, length.end);
      if (payload) this.#frames(level, payload);
    }
  }

  #frames(level: Level, payload: Buffer): void {
    let at = 0;
    const next = (): number => {
      const { value, end } = readInteger(payload, at);
      at = end;
      return value;
    };
    while (at < payload.length) {
      const type = next();
      if (type === FRAME_TYPES.padding || type === FRAME_TYPES.ping) continue;
      if (type === FRAME_TYPES.acknowledge || type === FRAME_TYPES.acknowledgeWithCounts) {
        const [, , ranges] = [next(), next(), next(), next()];
        for (let range = 0; range < 2 * (ranges ?? 0); range += 1) next();
        if (type === FRAME_TYPES.acknowledgeWithCounts)
          for (let count = 0; count < 3; count += 1) next();
      } else if (type === FRAME_TYPES.crypto) {
        const [offset, length] = [next(), next()];
        this.#streams[level].put(offset, payload.subarray(at, at + length));
        at += length;
      } else {
        if (type === FRAME_TYPES.close) this.#errorCode ??= next();
        this.#happened();
        return;
      }
    }
    this.#advance(level);
  }

  #advance(level: Level): void {
    for (const whole of this.#streams[level].messages()) {
      this.#transcript = Buffer.concat([this.#transcript, whole]);
      if (whole[0] === MESSAGES.serverHello) this.#agree(whole);
      if (whole[0] === MESSAGES.finished) void this.#finish();
    }
  }

  #agree(serverHello: Buffer): void {
    // The key share is the only extension of this hello with a point in it, and the point ends it.
    const marker = Buffer.from([0, 51, 0, 36, 0, 0x1d, 0, 32]);
    const start = serverHello.indexOf(marker) + marker.length;
    const point = Buffer.concat([X25519_PREFIX, serverHello.subarray(start, start + 32)]);
    const publicKey = createPublicKey({ key: point, format: 'der', type: 'spki' });
    const shared = diffieHellman({ privateKey: this.#pair.privateKey, publicKey });
    const early = hmac(Buffer.alloc(32), Buffer.alloc(32));
    const secret = hmac(expandLabel(early, 'derived', 32, hash(NOTHING)), shared);
    const client = expandLabel(secret, 'c hs traffic', 32, hash(this.#transcript));
    const server = expandLabel(secret, 's hs traffic', 32, hash(this.#transcript));
    this.#secrets = { client };
    this.#keys.handshake = { ours: new PacketKeys(client), theirs: new PacketKeys(server) };
  }

  /**
   * Certificate, CertificateVerify where there is a key for it, and Finished, in packets of a
   * kilobyte.
   */
  async #finish(): Promise<void> {
    const { certificates, key } = this.#papers;
    const entries = certificates.map((certificate) =>
      Buffer.concat([sized(3, certificate), sized(2, NOTHING)]),
    );
    const flight = [
      this.#say(
        MESSAGES.certificate,
        Buffer.concat([sized(1, NOTHING), sized(3, Buffer.concat(entries))]),
      ),
    ];
    if (key) {
      const context = Buffer.from('TLS 1.3, client CertificateVerify\0');
      const signed = sign(
        null,
        Buffer.concat([Buffer.alloc(64, 0x20), context, hash(this.#transcript)]),
        key,
      );
      const scheme = Buffer.from([ED25519 >> 8, ED25519 & 0xff]);
      flight.push(this.#say(MESSAGES.certificateVerify, Buffer.concat([scheme, sized(2, signed)])));
    }
    const finishedKey = expandLabel(this.#secrets?.client ?? NOTHING, 'finished', 32);
    flight.push(this.#say(MESSAGES.finished, hmac(finishedKey, hash(this.#transcript))));
    const bytes = Buffer.concat(flight);
    for (let offset = 0; offset < bytes.length; offset += 1_000) {
      await this.#send('handshake', crypto(offset, bytes.subarray(offset, offset + 1_000)));
    }
    this.#sentAll = true;
  }

  #say(type: number, body: Buffer): Buffer {
    const whole = message(type, body);
    this.#transcript = Buffer.concat([this.#transcript, whole]);
    return whole;
  }
}

/** Puts the pieces of a CRYPTO stream in order and cuts them into TLS messages. */
class CryptoStream {
  readonly #pieces = new Map<number, Buffer>();
  #bytes: Buffer = NOTHING;
  #readTo = 0;

  put(offset: number, data: Buffer): void {
    this.#pieces.set(offset, Buffer.from(data));
    for (
      let piece = this.#pieces.get(this.#bytes.length);
      piece && piece.length > 0;
      piece = this.#pieces.get(this.#bytes.length)
    ) {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
    }
  }

  *messages(): Iterable<Buffer> {
    while (this.#bytes.length >= this.#readTo + 4) {
      const end = this.#readTo + 4 + this.#bytes.readUIntBE(this.#readTo + 1, 3);
      if (this.#bytes.length < end) return;
      const whole = this.#bytes.subarray(this.#readTo, end);
      this.#readTo = end;
      yield whole;
    }
  }
}

function hash(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** The bytes behind their length in `width` bytes. */
function sized(width: 1 | 2 | 3, bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(width);
  length.writeUIntBE(bytes.length, 0, width);
  return Buffer.concat([length, bytes]);
}

function extension(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 0xff]), sized(2, content)]);
}

function message(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), sized(3, body)]);
}

function crypto(offset: number, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([FRAME_TYPES.crypto]),
    integer(offset),
    integer(data.length),
    data,
  ]);
}
