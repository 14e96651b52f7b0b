// A scripted stand-in for the public reference daemon, on real QUIC: four kinds and no hello, every
// request "unhandled" at once and shown to its agents, 8 and 16 streams, IPv4, one handshake at a
// time, and keys it does not know refused after the dialler believes to be connected. It shares no
// code of the endpoint but the native library and the reading of headers.
import dgram from 'node:dgram';
import { randomBytes, randomUUID } from 'node:crypto';
import { mintCredentials } from '../../main/adapters/quic/certificate.ts';
import { judgeHandshake } from '../../main/adapters/quic/handshake-check.ts';
import { CONNECTION_ID_LENGTH_BYTES } from '../../main/adapters/quic/limits.ts';
import {
  loadBinding,
  type QuicheConfig,
  type QuicheConnection,
} from '../../main/adapters/quic/native-binding.ts';
import { readDatagram } from '../../main/adapters/quic/packet-guard.ts';
import { DaemonConnection, type WireMessage } from './reference-connection.ts';

export const STREAMS_MAX = { bidirectional: 8, unidirectional: 16 } as const;
const HOST = '127.0.0.1';
const TURN_MS = 5;
const WAIT_LIMIT_MS = 15_000;
/** TLS alert handshake_failure as a QUIC error. */
const REFUSED = 0x128;
/** A text with more than one byte across this one stops its delivery to agents until a restart. */
const FRAGILE_BYTE = 256;

export interface Shown {
  readonly kind: string;
  readonly id: string;
  readonly ref: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The bytes as they came. */
  readonly raw: string;
}

export class ReferenceDaemon {
  readonly seed: Uint8Array;
  readonly keyHex: string;
  readonly agentId: string;
  /** What its agents were shown, in order. */
  readonly shown: Shown[] = [];
  /** The kinds of everything that came, shown or not. */
  readonly kinds: string[] = [];
  /** Initials that came while a handshake was under way. */
  unanswered = 0;
  refused = 0;
  /** The most streams of the other side that were open at once. */
  readonly mostOpen = { bidirectional: 0, unidirectional: 0 };
  /** Nothing it sends arrives. */
  isMute = false;
  /** Holds answers back, so that streams stay open. */
  holdsAnswers = false;
  /** What its newer releases can do: a handler that answers a request instead of "unhandled". */
  handler: ((request: WireMessage) => Readonly<Record<string, unknown>> | undefined) | undefined;
  port = 0;
  readonly #known = new Set<string>();
  readonly #binding = loadBinding();
  readonly #config: QuicheConfig;
  readonly #socket = dgram.createSocket('udp4');
  readonly #routes = new Map<string, DaemonConnection>();
  readonly #held: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #deliveryStopped = false;
  /** Datagrams that the kernel has not taken yet. */
  #leaving = 0;

  constructor(seed: Uint8Array = new Uint8Array(randomBytes(32))) {
    this.seed = seed;
    const { keyHex, agentId, privateKeyPem, certificatePem } = mintCredentials(seed);
    this.keyHex = keyHex;
    this.agentId = agentId;
    const config = this.#binding.Config.withBoringSslCtx(
      true,
      true,
      undefined,
      [privateKeyPem],
      [certificatePem],
      'ed25519',
    );
    config.setApplicationProtos(['axon/1']);
    config.setMaxIdleTimeout(60_000);
    config.setMaxSendUdpPayloadSize(1_200);
    config.setInitialMaxData(1 << 20);
    config.setInitialMaxStreamDataBidiLocal(1 << 18);
    config.setInitialMaxStreamDataBidiRemote(1 << 18);
    config.setInitialMaxStreamDataUni(1 << 18);
    config.setInitialMaxStreamsBidi(STREAMS_MAX.bidirectional);
    config.setInitialMaxStreamsUni(STREAMS_MAX.unidirectional);
    this.#config = config;
  }

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.bind({ port, address: HOST, exclusive: true }, resolve);
    });
    this.port = this.#socket.address().port;
    this.#socket.on('message', (datagram, from) => this.#take(datagram, from));
    this.#timer = setInterval(() => this.#turn(), TURN_MS);
    return this;
  }

  async stop(): Promise<void> {
    for (const connection of this.#live()) connection.close(false, 0);
    this.#turn();
    await this.until('its last words to leave', () => (this.#leaving === 0 ? true : undefined));
    clearInterval(this.#timer);
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  /** As `axon enroll` does: from now on this key is let in. */
  knows(...keys: readonly string[]): void {
    for (const key of keys) this.#known.add(key);
  }

  get shareToken(): string {
    return `axon://${Buffer.from(this.keyHex, 'hex').toString('base64url')}@${HOST}:${this.port}`;
  }

  get connectionCount(): number {
    return this.#live().filter(({ isOpen }) => isOpen).length;
  }

  get isShakingHands(): boolean {
    return this.#live().some(({ isOpen, direction }) => direction === 'incoming' && !isOpen);
  }

  /** Dials a hub, whose key it knows from then on. */
  async dial(to: {
    readonly key: string;
    readonly agentId: string;
    readonly port: number;
  }): Promise<void> {
    this.knows(to.key);
    const route = randomBytes(CONNECTION_ID_LENGTH_BYTES);
    const local = { host: HOST, port: this.port };
    const native = this.#binding.Connection.connect(
      to.agentId,
      route,
      local,
      { host: HOST, port: to.port },
      this.#config,
    );
    const connection = this.#add(route.toString('latin1'), native, 'outgoing', to.port);
    await this.until('its dial', () => (connection.isOpen ? true : undefined));
  }

  closeAll(): void {
    for (const connection of this.#live()) connection.close(true, 0);
  }

  /** The answer to a request, or undefined for an empty one. */
  request(
    payload: Readonly<Record<string, unknown>>,
    id: string = randomUUID(),
  ): Promise<WireMessage | undefined> {
    return this.ask({ id, kind: 'request', payload });
  }

  async ask(message: unknown): Promise<WireMessage | undefined> {
    const answers = this.#line().ask(message);
    return (await this.until('an answer', () => answers.answer))[0];
  }

  tell(payload: Readonly<Record<string, unknown>>, ref?: string): void {
    this.#line().tell({
      id: randomUUID(),
      kind: 'message',
      ...(ref === undefined ? {} : { ref }),
      payload,
    });
  }

  tellRaw(message: unknown): void {
    this.#line().tell(message);
  }

  /** Answers what was held back. */
  release(): void {
    this.holdsAnswers = false;
    for (const answer of this.#held.splice(0)) answer();
  }

  /** The first thing shown that fits, past or to come. */
  sees(fits: (shown: Shown) => boolean): Promise<Shown> {
    return this.until('something shown to its agents', () => this.shown.find(fits));
  }

  async until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    const startedAt = performance.now();
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (performance.now() - startedAt > WAIT_LIMIT_MS)
        throw new Error(`the daemon waited in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
  }

  #live(): readonly DaemonConnection[] {
    return [...this.#routes.values()].filter((connection) => !connection.isGone);
  }

  #line(): DaemonConnection {
    const line = this.#live().findLast(({ isOpen }) => isOpen);
    if (line === undefined) throw new Error('the daemon is not connected');
    return line;
  }

  #take(datagram: Buffer, from: dgram.RemoteInfo): void {
    const read = readDatagram(datagram);
    if (read.type === 'drop') return;
    const known =
      this.#routes.get(read.destination) ??
      (read.type === 'initial' ? this.#accept(read.destination, from) : undefined);
    known?.receive(datagram, from.port);
  }

  /** One handshake at a time: who comes meanwhile is not answered. */
  #accept(destination: string, from: dgram.RemoteInfo): DaemonConnection | undefined {
    if (this.isShakingHands) {
      this.unanswered += 1;
      return undefined;
    }
    const route = randomBytes(CONNECTION_ID_LENGTH_BYTES);
    const native = this.#binding.Connection.accept(
      route,
      null,
      { host: HOST, port: this.port },
      { host: HOST, port: from.port },
      this.#config,
    );
    const connection = this.#add(route.toString('latin1'), native, 'incoming', from.port);
    this.#routes.set(destination, connection);
    return connection;
  }

  #add(
    route: string,
    native: QuicheConnection,
    direction: 'incoming' | 'outgoing',
    remotePort: number,
  ): DaemonConnection {
    const connection = new DaemonConnection({
      native,
      direction,
      local: { host: HOST, port: this.port },
      remotePort,
      send: (bytes) => this.#send(bytes, remotePort),
      judge: () => {
        const verdict = judgeHandshake(native, null);
        const isKnown = verdict.accepted && this.#known.has(verdict.keyHex);
        if (!isKnown) this.refused += 1;
        return isKnown ? undefined : REFUSED;
      },
      request: (bytes, answer) => this.#request(bytes, answer),
      message: (bytes) => this.#message(bytes),
      opened: (counts) => {
        this.mostOpen.bidirectional = Math.max(this.mostOpen.bidirectional, counts.bidirectional);
        this.mostOpen.unidirectional = Math.max(
          this.mostOpen.unidirectional,
          counts.unidirectional,
        );
      },
    });
    this.#routes.set(route, connection);
    connection.turn();
    return connection;
  }

  #send(bytes: Buffer, remotePort: number): void {
    if (this.isMute) return;
    this.#leaving += 1;
    this.#socket.send(bytes, remotePort, HOST, () => (this.#leaving -= 1));
  }

  #turn(): void {
    for (const connection of this.#live()) connection.turn();
    for (const [route, connection] of this.#routes)
      if (connection.isGone) this.#routes.delete(route);
  }

  #request(bytes: Buffer, answer: (message: WireMessage | undefined) => void): void {
    const message = readMessage(bytes);
    if (message === undefined) return answer(undefined);
    this.kinds.push(message.kind);
    const reply = (kind: string, payload: Readonly<Record<string, unknown>>): void => {
      const say = (): void => answer({ id: randomUUID(), kind, ref: message.id, payload });
      if (this.holdsAnswers) this.#held.push(say);
      else say();
    };
    if (message.kind === 'message') {
      this.#show(message, bytes);
      return answer(undefined);
    }
    if (message.kind !== 'request') {
      return reply('error', {
        code: 'unknown_kind',
        message: 'unknown message kind on bidirectional stream',
        retryable: false,
      });
    }
    this.#show(message, bytes);
    const handled = this.handler?.(message);
    if (handled !== undefined) return reply('response', handled);
    reply('error', {
      code: 'unhandled',
      message: `no application handler registered for request '${message.id}'`,
      retryable: false,
    });
  }

  #message(bytes: Buffer): void {
    const message = readMessage(bytes);
    if (message === undefined) return;
    this.kinds.push(message.kind);
    const isKnown =
      message.kind === 'message' || message.kind === 'error' || message.kind === 'response';
    if (message.kind !== 'request')
      this.#show({ ...message, kind: isKnown ? message.kind : 'unknown' }, bytes);
  }

  #show(message: WireMessage, bytes: Buffer): void {
    if (((bytes[FRAGILE_BYTE] ?? 0) & 0xc0) === 0x80) this.#deliveryStopped = true;
    if (this.#deliveryStopped) return;
    const { id, kind, payload, ref = null } = message;
    this.shown.push({ id, kind, ref, payload, raw: bytes.toString('utf8') });
  }
}

/** As lenient as its own reader: other members are ignored. */
function readMessage(bytes: Buffer): WireMessage | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is WireMessage {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('id' in value) ||
    !('kind' in value) ||
    !('payload' in value)
  )
    return false;
  return (
    typeof value.id === 'string' &&
    typeof value.kind === 'string' &&
    typeof value.payload === 'object' &&
    value.payload !== null
  );
}
