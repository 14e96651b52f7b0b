// A peer that keeps no rules: the native library driven by hand, with whatever certificate,
// protocol, session and stream bytes a test wants, and raw datagrams beside it. Loopback only.
import 'reflect-metadata';
import dgram from 'node:dgram';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import {
  loadBinding,
  type QuicheConfig,
  type QuicheConnection,
} from '../../main/adapters/quic/native-binding.ts';
import { mintCredentials } from '../../main/adapters/quic/certificate.ts';
import type { Identity } from '../integration/quic-test-hub.ts';

export const binding = loadBinding();

const LIMIT_MS = 12_000;

/** Where an attack goes: a bare transport or a whole hub. */
export interface Attacked {
  readonly host: string;
  readonly port: number;
  readonly identity: Pick<Identity, 'agentId'>;
}

/** A UDP socket that keeps count of what it sent and got. */
export class RawSocket {
  readonly #socket = dgram.createSocket('udp4');
  sentBytes = 0;
  receivedBytes = 0;
  receivedDatagrams = 0;
  onDatagram: (datagram: Buffer) => void = () => {};
  onDatagramFrom: (datagram: Buffer, from: { host: string; port: number }) => void = () => {};

  async bind(host: string): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.bind({ port: 0, address: host, exclusive: true }, resolve);
    });
    this.#socket.on('message', (datagram, { address, port }) => {
      this.receivedBytes += datagram.length;
      this.receivedDatagrams += 1;
      this.onDatagram(datagram);
      this.onDatagramFrom(datagram, { host: address, port });
    });
    return this;
  }

  get address(): { host: string; port: number } {
    const { address, port } = this.#socket.address();
    return { host: address, port };
  }

  /** Resolves once the kernel has the datagram. */
  send(datagram: Uint8Array, to: { host: string; port: number }): Promise<void> {
    this.sentBytes += datagram.length;
    return new Promise((resolve, reject) => {
      this.#socket.send(datagram, to.port, to.host, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }
}

export interface Papers {
  readonly keys: readonly Uint8Array[];
  readonly certificates: readonly Uint8Array[];
  readonly signatureAlgorithms: string;
}

/** The papers an honest hub would show. */
export async function honestPapers(identity: Identity): Promise<Papers> {
  const { privateKeyPem, certificatePem } = mintCredentials(identity.seed);
  return { keys: [privateKeyPem], certificates: [certificatePem], signatureAlgorithms: 'ed25519' };
}

type KeyKind = 'ed25519' | 'rsa' | 'p256';
const ALGORITHMS = {
  ed25519: { name: 'Ed25519' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  p256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
} as const;
const SIGNATURES = {
  ed25519: 'ed25519',
  rsa: 'rsa_pss_rsae_sha256:ed25519',
  p256: 'ecdsa_secp256r1_sha256:ed25519',
} as const;

/** Papers of another kind: other keys, foreign signatures, padding. */
export async function forgedPapers(
  kind: KeyKind,
  options: { signedByAnother?: boolean; paddingBytes?: number } = {},
): Promise<Papers> {
  const make = async (): Promise<CryptoKeyPair> => {
    const pair = await webcrypto.subtle.generateKey(ALGORITHMS[kind], true, ['sign', 'verify']);
    if (!('privateKey' in pair)) throw new Error('a key pair was asked for');
    return pair as CryptoKeyPair;
  };
  const subject = await make();
  const signer = options.signedByAnother ? await make() : subject;
  const padding = options.paddingBytes
    ? [new x509.Extension('1.2.3.4', false, new Uint8Array(options.paddingBytes))]
    : [];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject: 'CN=forged',
    issuer: 'CN=forged',
    publicKey: subject.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm: ALGORITHMS[kind],
    extensions: padding,
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', subject.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({
    format: 'pem',
    type: 'pkcs8',
  });
  return {
    keys: [Buffer.from(key)],
    certificates: [Buffer.from(certificate.toString('pem'))],
    signatureAlgorithms: SIGNATURES[kind],
  };
}

export function lawlessConfig(
  papers: Papers | null,
  protocols: readonly string[] = ['axon/1'],
): QuicheConfig {
  const config = papers
    ? binding.Config.withBoringSslCtx(
        true,
        true,
        undefined,
        [...papers.keys],
        [...papers.certificates],
        papers.signatureAlgorithms,
      )
    : binding.Config.withBoringSslCtx(true, true, undefined, undefined, undefined, 'ed25519');
  if (protocols.length > 0) config.setApplicationProtos([...protocols]);
  config.setMaxIdleTimeout(60_000);
  config.setMaxSendUdpPayloadSize(1_200);
  config.setInitialMaxData(1 << 24);
  config.setInitialMaxStreamDataBidiLocal(1 << 20);
  config.setInitialMaxStreamDataBidiRemote(1 << 20);
  config.setInitialMaxStreamDataUni(1 << 20);
  config.setInitialMaxStreamsBidi(1_000);
  config.setInitialMaxStreamsUni(1_000);
  return config;
}

/** One connection out of a raw socket, flushed on every datagram and every few milliseconds. */
export class LawlessConnection {
  readonly native: QuicheConnection;
  readonly #socket: RawSocket;
  readonly #hub: { host: string; port: number };
  readonly #out = Buffer.alloc(65_536);
  readonly #in = Buffer.alloc(1 << 20);
  readonly #timer: NodeJS.Timeout;
  /** Complete answers by stream. */
  readonly answers = new Map<number, Buffer>();
  readonly resets = new Map<number, number>();
  /** Which streams it reads at all. */
  reads: (streamId: number) => boolean = () => true;
  readonly #parts = new Map<number, Buffer[]>();

  constructor(socket: RawSocket, hub: Attacked, config: QuicheConfig, session?: Uint8Array) {
    this.#socket = socket;
    this.#hub = { host: hub.host, port: hub.port };
    this.native = binding.Connection.connect(
      hub.identity.agentId,
      randomBytes(16),
      socket.address,
      this.#hub,
      config,
    );
    if (session) this.native.setSession(session);
    socket.onDatagram = (datagram) => this.#take(datagram);
    this.#timer = setInterval(() => this.flush(), 5);
    this.flush();
  }

  flush(): void {
    if (this.native.timeout() === 0) this.native.onTimeout();
    for (;;) {
      const part = this.native.send(this.#out);
      if (part === null) return;
      this.#socket
        .send(Buffer.from(this.#out.subarray(0, part[0])), this.#hub)
        .catch(() => this.stop());
    }
  }

  /**
   * Writes as much as the connection takes, again and again, until it is all there or the stream is
   * stopped.
   */
  async write(streamId: number, bytes: Uint8Array, end: boolean): Promise<'written' | 'stopped'> {
    let offset = 0;
    return this.until('the bytes to be taken', () => {
      try {
        const taken = this.native.streamSend(streamId, bytes.subarray(offset), end);
        // A stream that was stopped and forgotten takes nothing any more; its capacity tells.
        if (taken === null) this.native.streamCapacity(streamId);
        else offset += taken;
        this.flush();
        return taken !== null && offset === bytes.length ? 'written' : undefined;
      } catch (error) {
        return String(error).includes('StreamLimit') ? undefined : 'stopped';
      }
    });
  }

  async established(): Promise<void> {
    await this.until('the handshake', () => (this.native.isEstablished() ? true : undefined));
  }

  async closed(): Promise<{ isApp: boolean; errorCode: number }> {
    return this.until(
      'the close',
      () => this.native.peerError() ?? this.native.localError() ?? undefined,
    );
  }

  async until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    const startedAt = performance.now();
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (performance.now() - startedAt > LIMIT_MS) throw new Error(`waited in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#socket.onDatagram = () => {};
  }

  #take(datagram: Buffer): void {
    try {
      this.native.recv(datagram, { from: this.#hub, to: this.#socket.address });
    } catch {
      // Its own close follows with the flush.
    }
    for (const streamId of this.native.readable()) if (this.reads(streamId)) this.#read(streamId);
    this.flush();
  }

  #read(streamId: number): void {
    for (;;) {
      let part: [number, boolean] | null;
      try {
        part = this.native.streamRecv(streamId, this.#in);
      } catch (error) {
        this.resets.set(streamId, Number(/\((\d+)\)/.exec(String(error))?.[1] ?? -1));
        return;
      }
      if (part === null) return;
      const parts = this.#parts.get(streamId) ?? [];
      parts.push(Buffer.from(this.#in.subarray(0, part[0])));
      this.#parts.set(streamId, parts);
      if (part[1]) this.answers.set(streamId, Buffer.concat(parts));
      if (part[1]) return;
    }
  }
}
