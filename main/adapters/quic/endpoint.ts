// A QUIC endpoint: one socket, its connections, and the places among them. It implements the Transport port in whatever process it is
// made in; the hub runs it in a process of its own. It knows keys and bytes, never what a message says.
import { assert } from '../../lib/assert.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import type {
  Admission,
  CloseCode,
  ConnectionInfo,
  DialFailure,
  DialTarget,
  KeyHex,
  ListenOptions,
  Transport,
  TransportEvent,
  TransportFailure,
  TransportStatistics,
} from '../../ports/transport.ts';
import { Acceptor, dialAddress } from './acceptor.ts';
import { mintCredentials } from './certificate.ts';
import type { ConnectionEnd } from './connection-end.ts';
import type { ConnectionHost } from './connection-host.ts';
import { ConnectionIds } from './connection-ids.ts';
import { QuicConnection } from './connection.ts';
import { Counters } from './counters.ts';
import { statisticsOf } from './endpoint-statistics.ts';
import { HalfOpen } from './half-open.ts';
import { CONNECT_LIMIT_MS, DIALS_IN_FLIGHT_MAX, QUARANTINED_RECEIVED_MAX_BYTES, SEND_LIMIT_MS } from './limits.ts';
import { loadBinding, type HostPort, type Quiche, type QuicheConfig } from './native-binding.ts';
import type { Settle, StreamDirection } from './outgoing-messages.ts';
import { readDatagram } from './packet-guard.ts';
import { decidePlace, type PlaceHolder } from './places.ts';
import { createConfig } from './quiche-config.ts';
import { StatelessResets } from './stateless-resets.ts';
import { openSocket, type UdpSocket } from './udp-socket.ts';

/** Twice what a stream's window can hold, so that one read takes all there is. */
const READ_BUFFER_BYTES = 256 * 1024;
const SEND_BUFFER_BYTES = 65_536;

export interface EndpointDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** False while the taker of events is behind; reading pauses until `resumeReading`. */
  readonly canDeliver?: () => boolean;
  /** Told what was thrown while a connection was worked on; that connection is gone. Rethrown unless given. */
  readonly onFault?: (error: unknown) => void;
  /** The first connection's number; counts on from there. */
  readonly firstConnectionId?: number;
}

interface Dial {
  readonly settle: (result: Result<ConnectionInfo, DialFailure>) => void;
}

interface Running {
  readonly socket: UdpSocket;
  readonly binding: Quiche;
  readonly config: QuicheConfig;
  readonly ids: ConnectionIds;
  readonly acceptor: Acceptor;
  readonly host: ConnectionHost;
}

export class Endpoint implements Transport {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #canDeliver: () => boolean;
  readonly #onFault: (error: unknown) => void;
  readonly #counters = new Counters();
  readonly #unfinished = { count: 0 };
  readonly #readBuffer = Buffer.alloc(READ_BUFFER_BYTES);
  readonly #sendBuffer = Buffer.alloc(SEND_BUFFER_BYTES);
  /** Every connection that is still on the wire, by each id it is known under. */
  readonly #routes = new Map<string, QuicConnection>();
  /** Connections with a place, oldest first. */
  readonly #open = new Map<number, QuicConnection>();
  readonly #halfOpen = new HalfOpen<QuicConnection>();
  readonly #dials = new Map<QuicConnection, Dial>();
  /** Bytes that connections of keys that are not paired have brought. */
  readonly #quarantinedBytes = new WeakMap<QuicConnection, number>();
  #paired: ReadonlySet<KeyHex> = new Set();
  #refused: ReadonlySet<KeyHex> = new Set();
  #emit: (event: TransportEvent) => void = () => {};
  #running: Running | null = null;
  #nextConnectionId: number;

  constructor(deps: EndpointDeps) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#canDeliver = deps.canDeliver ?? (() => true);
    this.#onFault = deps.onFault ?? rethrow;
    this.#nextConnectionId = deps.firstConnectionId ?? 1;
  }

  async start(options: ListenOptions, onEvent: (event: TransportEvent) => void): Promise<{ readonly port: number }> {
    if (this.#running) return { port: this.#running.socket.port };
    const binding = loadBinding();
    const config = createConfig(binding, mintCredentials(options.seed.expose()));
    const receive = (datagram: Buffer, host: string, port: number): void => this.#receive(datagram, host, port);
    const socket = await openSocket(options.host, options.port, receive, this.#counters);
    const local = { host: socket.host, port: socket.port };
    const common = { clock: this.#clock, random: this.#random, seed: options.seed.expose() };
    const ids = new ConnectionIds(common);
    const resets = new StatelessResets({ ...common, ids });
    const acceptor = new Acceptor({ ...common, ids, resets, counters: this.#counters, binding, config, local, send: socket.send });
    this.#emit = onEvent;
    this.#running = { socket, binding, config, ids, acceptor, host: this.#createHost(binding, socket, local) };
    return { port: socket.port };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    for (const connection of new Set(this.#routes.values())) {
      connection.close(CLOSE_CODES.shuttingDown, 'shutting down');
      connection.flush();
    }
    this.#running = null;
    for (const connection of new Set(this.#routes.values())) connection.dispose();
    await running.socket.close();
  }

  setAdmission(admission: Admission): void {
    this.#paired = new Set(admission.paired);
    this.#refused = new Set(admission.refused);
    for (const connection of this.#open.values()) {
      if (connection.keyHex === null || !this.#refused.has(connection.keyHex)) continue;
      connection.close(CLOSE_CODES.revoked, 'this key is no longer trusted');
    }
  }

  dial(target: DialTarget, signal: AbortSignal): Promise<Result<ConnectionInfo, DialFailure>> {
    const running = this.#running;
    const refused = (reason: string) => Promise.resolve(err<DialFailure>({ type: 'refused', reason }));
    if (!running) return refused('the transport is not running');
    if (signal.aborted) return Promise.resolve(err({ type: 'aborted' }));
    if (this.#refused.has(target.keyHex)) return refused('this key is no longer trusted');
    if (this.#dials.size >= DIALS_IN_FLIGHT_MAX) {
      this.#counters.add('dials.busy');
      return Promise.resolve(err({ type: 'busy' }));
    }
    const to = dialAddress(target.host, running.socket.family);
    if (!to) return refused(`${target.host} cannot be reached from the address this hub listens on`);
    const id = running.ids.mint();
    let connection: QuicConnection;
    try {
      const peer = { host: to.address, port: target.port };
      connection = new QuicConnection(running.host, {
        connectionId: this.#takeConnectionId(),
        native: running.binding.Connection.connect(target.agentId, id, running.host.local, peer, running.config),
        host: to.full,
        port: target.port,
        expectedKeyHex: target.keyHex,
        routes: [Buffer.from(id).toString('latin1')],
      });
    } catch {
      return refused('the address or the name of the hub cannot be used');
    }
    return this.#await(connection, signal);
  }

  close(connectionId: number, code: CloseCode, reason: string): void {
    this.#open.get(connectionId)?.close(code, reason);
  }

  doubt(connectionId: number): void {
    this.#open.get(connectionId)?.doubt();
  }

  async request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Uint8Array, TransportFailure>> {
    const connection = this.#open.get(connectionId);
    return connection ? connection.outgoing.request(bytes, timeoutMs, signal) : err(NO_CONNECTION);
  }

  async send(connectionId: number, bytes: Uint8Array): Promise<Result<void, TransportFailure>> {
    const connection = this.#open.get(connectionId);
    return connection ? connection.outgoing.send(bytes) : err(NO_CONNECTION);
  }

  /** `request` without a promise; see OutgoingMessages. */
  beginRequest(connectionId: number, bytes: Uint8Array, timeoutMs: number, settle: Settle): () => void {
    return this.#begin('bidirectional', connectionId, bytes, timeoutMs, settle);
  }

  /** `send` without a promise. */
  beginSend(connectionId: number, bytes: Uint8Array, settle: Settle): () => void {
    return this.#begin('unidirectional', connectionId, bytes, SEND_LIMIT_MS, settle);
  }

  respond(connectionId: number, streamId: number, bytes: Uint8Array): void {
    const connection = this.#open.get(connectionId);
    if (connection) connection.incoming.respond(streamId, bytes);
    else this.#counters.add('answers.without-connection');
  }

  reset(connectionId: number, streamId: number, code: CloseCode): void {
    this.#open.get(connectionId)?.incoming.refuse(streamId, code);
  }

  statistics(): Promise<TransportStatistics> {
    const state = {
      counters: this.#counters,
      open: this.#open.values(),
      paired: this.#paired,
      halfOpen: this.#halfOpen.size,
      dials: this.#dials.size,
      unfinishedBytes: this.#unfinished.count,
    };
    return Promise.resolve(statisticsOf(state));
  }

  /** Datagrams moved since the start, both ways. */
  get datagrams(): number {
    return this.#counters.traffic.receivedDatagrams + this.#counters.traffic.sentDatagrams;
  }

  /** Reads on after `canDeliver` was false for a while. */
  resumeReading(): void {
    for (const connection of this.#open.values()) connection.resumeReading();
  }

  /** Total: whatever a datagram does, it ends here. */
  #receive(bytes: Buffer, host: string, port: number): void {
    try {
      this.#route(bytes, host, port);
    } catch {
      this.#counters.add('dropped.failed');
    }
  }

  #route(bytes: Buffer, host: string, port: number): void {
    const running = this.#running;
    if (!running) return;
    const datagram = readDatagram(bytes);
    if (datagram.type === 'drop') return this.#counters.add(`dropped.${datagram.reason}`);
    const known = this.#routes.get(datagram.destination);
    if (known) return this.#isWithinQuarantine(known, bytes.length) ? known.receive(bytes, host, port) : undefined;
    if (datagram.type === 'short' && this.#mayEnd(bytes, host, port)) return;
    const accepted = running.acceptor.consider(datagram, bytes.length, host, port);
    if (!accepted) return;
    const connection = new QuicConnection(running.host, {
      connectionId: this.#takeConnectionId(),
      native: accepted.native,
      host,
      port,
      expectedKeyHex: null,
      routes: [accepted.route],
    });
    const pushedOut = this.#halfOpen.add(connection, accepted.source);
    if (pushedOut) {
      this.#counters.add('half-open.pushed-out');
      pushedOut.dropSilently('too many handshakes at once');
    }
    this.#routes.set(accepted.route, connection);
    connection.receive(bytes, host, port);
  }

  /**
   * Whether a datagram for no known id came from where a peer is: it may be the peer's word that it lost the connection (RFC 9000,
   * Section 10.3.1), whose id is made up.
   */
  #mayEnd(bytes: Buffer, host: string, port: number): boolean {
    let found = false;
    for (const connection of this.#open.values()) {
      if (!connection.peer.is(host, port)) continue;
      found = true;
      // The library works inside the bytes it is given.
      connection.suspect(Buffer.from(bytes));
    }
    return found;
  }

  /** False once a connection has brought more than a hub that is not paired may, or a handshake more than any needs; it is closed then. */
  #isWithinQuarantine(connection: QuicConnection, size: number): boolean {
    if (connection.keyHex !== null && this.#paired.has(connection.keyHex)) return true;
    const received = (this.#quarantinedBytes.get(connection) ?? 0) + size;
    this.#quarantinedBytes.set(connection, received);
    if (received <= QUARANTINED_RECEIVED_MAX_BYTES) return true;
    if (received - size <= QUARANTINED_RECEIVED_MAX_BYTES) {
      this.#counters.add('closed.quarantine-used-up');
      connection.close(CLOSE_CODES.overLimit, 'too much before pairing');
    }
    return false;
  }

  #await(connection: QuicConnection, signal: AbortSignal): Promise<Result<ConnectionInfo, DialFailure>> {
    for (const route of connection.routes) this.#routes.set(route, connection);
    return new Promise((resolve) => {
      const giveUp = (failure: DialFailure): void => {
        this.#settleDial(connection, err(failure));
        // With a word to the other side: some hubs take one handshake at a time.
        connection.close(CLOSE_CODES.done, 'the dial was given up');
      };
      const timer = this.#clock.setTimer(CONNECT_LIMIT_MS, () => giveUp({ type: 'timeout' }));
      const abort = (): void => giveUp({ type: 'aborted' });
      signal.addEventListener('abort', abort, { once: true });
      this.#dials.set(connection, {
        settle: (result) => {
          timer.cancel();
          signal.removeEventListener('abort', abort);
          resolve(result);
        },
      });
      connection.wake();
    });
  }

  #settleDial(connection: QuicConnection, result: Result<ConnectionInfo, DialFailure>): void {
    const dial = this.#dials.get(connection);
    this.#dials.delete(connection);
    dial?.settle(result);
  }

  #established(connection: QuicConnection): void {
    this.#halfOpen.remove(connection);
    const newcomer = placeOf(connection);
    const decision = decidePlace(newcomer, [...this.#open.values()].map(placeOf), this.#paired, this.#refused);
    if (!decision.admitted) {
      this.#counters.add(decision.code === CLOSE_CODES.revoked ? 'refused.key' : 'refused.no-place');
      connection.close(decision.code, decision.reason);
      return;
    }
    // A peer that connects again may have lost what it had, and cannot say so of a connection that it had dialled itself.
    for (const other of this.#open.values()) if (other.keyHex === connection.keyHex) other.doubt();
    if (decision.evicted.length > 0) this.#counters.add('connections.evicted', decision.evicted.length);
    for (const eviction of decision.evicted) this.#open.get(eviction.connectionId)?.close(eviction.code, eviction.reason);
    this.#counters.add(this.#paired.has(newcomer.keyHex) ? 'connections.paired' : 'connections.quarantined');
    this.#open.set(connection.connectionId, connection);
    this.#emit({ type: 'connected', connection: connection.info });
    this.#settleDial(connection, ok(connection.info));
  }

  #ended(connection: QuicConnection, end: ConnectionEnd): void {
    this.#halfOpen.remove(connection);
    const { wrongKeyHex } = connection;
    const failure: DialFailure =
      wrongKeyHex === null ? { type: 'refused', reason: end.reason } : { type: 'wrong-key', keyHex: wrongKeyHex };
    this.#settleDial(connection, err(failure));
    if (!this.#open.delete(connection.connectionId)) return;
    this.#emit({ type: 'disconnected', connection: connection.info, ...end });
  }

  #begin(direction: StreamDirection, connectionId: number, bytes: Uint8Array, timeoutMs: number, settle: Settle): () => void {
    const connection = this.#open.get(connectionId);
    if (connection) return connection.outgoing.begin(direction, bytes, timeoutMs, settle);
    settle(err(NO_CONNECTION));
    return () => {};
  }

  #takeConnectionId(): number {
    return this.#nextConnectionId++;
  }

  #createHost(binding: Quiche, socket: UdpSocket, local: HostPort): ConnectionHost {
    return {
      binding,
      clock: this.#clock,
      counters: this.#counters,
      local,
      unfinished: this.#unfinished,
      readBuffer: this.#readBuffer,
      sendBuffer: this.#sendBuffer,
      sendDatagram: socket.send,
      established: (connection) => this.#established(connection),
      ended: (connection, end) => this.#ended(connection, end),
      gone: (connection) => {
        for (const route of connection.routes) this.#routes.delete(route);
      },
      failed: (error) => {
        this.#counters.add('connections.failed');
        this.#onFault(error);
      },
      emit: (event) => this.#emit(event),
      canDeliver: this.#canDeliver,
      isPaired: (keyHex) => this.#paired.has(keyHex),
    };
  }
}

const NO_CONNECTION: TransportFailure = { type: 'closed', code: null, by: 'local', reason: 'there is no such connection' };

function rethrow(error: unknown): void {
  throw error;
}

function placeOf({ info }: QuicConnection): PlaceHolder {
  assert(info.keyHex !== '', 'a connection with a place has a key');
  return info;
}
