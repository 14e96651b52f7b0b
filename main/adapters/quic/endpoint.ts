// A QUIC endpoint: one socket, its connections, and the places among them. The hub runs it in a
// process of its own. It knows keys and bytes, never what a message says.
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
import { Acceptor } from './acceptor.ts';
import { forSocket, splitZone } from './addresses.ts';
import { mintCredentials } from './certificate.ts';
import type { ConnectionEnd } from './connection-host.ts';
import { ConnectionIds } from './connection-ids.ts';
import { QuicConnection, type ConnectionHost } from './connection.ts';
import { Counters } from './counters.ts';
import { DatagramRouter } from './datagram-router.ts';
import { HalfOpen } from './half-open.ts';
import { CONNECT_LIMIT_MS, DIALS_IN_FLIGHT_MAX } from './limits.ts';
import { loadBinding, type HostPort, type Quiche, type QuicheConfig } from './native-binding.ts';
import type { Settle, StreamDirection } from './outgoing-messages.ts';
import type { Datagram } from './packet-guard.ts';
import { changed, decidePlace, NO_STANDING, type PlaceHolder, type Standing } from './places.ts';
import { createConfig } from './quiche-config.ts';
import { openSocket, type UdpSocket } from './udp-socket.ts';

/** Twice what a stream's window can hold, so that one read takes all there is. */
const READ_BUFFER_BYTES = 256 * 1024;
const SEND_BUFFER_BYTES = 65_536;

interface EndpointDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** False while the taker of events is behind; reading pauses until `resumeReading`. */
  readonly canDeliver?: () => boolean;
  /**
   * Told what was thrown while a connection was worked on; that connection is gone. Rethrown unless
   * given.
   */
  readonly onFault?: (error: unknown) => void;
  /** The first connection's number; counts on from there. */
  readonly firstConnectionId?: number;
}

interface Running {
  readonly socket: UdpSocket;
  readonly binding: Quiche;
  readonly config: QuicheConfig;
  readonly acceptor: Acceptor;
  readonly host: ConnectionHost;
}

export class Endpoint implements Omit<Transport, 'request' | 'send'> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #ids: ConnectionIds;
  readonly #canDeliver: () => boolean;
  readonly #onFault: (error: unknown) => void;
  readonly #counters = new Counters();
  readonly #unfinished = { count: 0 };
  readonly #readBuffer = Buffer.alloc(READ_BUFFER_BYTES);
  readonly #sendBuffer = Buffer.alloc(SEND_BUFFER_BYTES);
  readonly #router: DatagramRouter;
  /** Connections with a place, oldest first. */
  readonly #open = new Map<number, QuicConnection>();
  readonly #halfOpen = new HalfOpen<QuicConnection>();
  /** Dials in flight, and how each is settled. */
  readonly #dials = new Map<
    QuicConnection,
    (result: Result<ConnectionInfo, DialFailure>) => void
  >();
  #standing: Standing = NO_STANDING;
  #emit: (event: TransportEvent) => void = () => {};
  #running: Running | null = null;
  #nextConnectionId: number;

  constructor(deps: EndpointDeps) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#ids = new ConnectionIds(deps.random);
    this.#canDeliver = deps.canDeliver ?? (() => true);
    this.#onFault = deps.onFault ?? rethrow;
    this.#nextConnectionId = deps.firstConnectionId ?? 1;
    this.#router = new DatagramRouter({
      counters: this.#counters,
      isPaired: (keyHex) => this.#standing.paired.has(keyHex),
      begin: (datagram, size, host, port) => this.#accept(datagram, size, host, port),
    });
  }

  async start(
    options: ListenOptions,
    onEvent: (event: TransportEvent) => void,
  ): Promise<{ readonly port: number }> {
    if (this.#running) return { port: this.#running.socket.port };
    const binding = loadBinding();
    const config = createConfig(binding, mintCredentials(options.seed.expose()));
    const receive = (datagram: Buffer, host: string, port: number): void =>
      this.#router.receive(datagram, host, port);
    const socket = await openSocket(options.host, options.port, receive, this.#counters);
    const local = { host: socket.host, port: socket.port };
    const common = {
      clock: this.#clock,
      random: this.#random,
      ids: this.#ids,
      counters: this.#counters,
    };
    const acceptor = new Acceptor({ ...common, binding, config, local, send: socket.send });
    this.#emit = onEvent;
    this.#running = {
      socket,
      binding,
      config,
      acceptor,
      host: this.#createHost(binding, socket, local),
    };
    return { port: socket.port };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    for (const connection of this.#router.connections()) {
      connection.close(CLOSE_CODES.shuttingDown, 'shutting down');
      connection.flush();
    }
    this.#running = null;
    for (const connection of this.#router.connections()) connection.dispose();
    await running.socket.close();
  }

  setAdmission(admission: Admission): void {
    this.#standing = changed(this.#standing, admission);
    for (const connection of this.#open.values()) {
      if (connection.keyHex === null || !this.#standing.refused.has(connection.keyHex)) continue;
      connection.close(CLOSE_CODES.revoked, 'this key is no longer trusted');
    }
  }

  keepPlaces(keys: readonly KeyHex[]): void {
    this.#standing = changed(this.#standing, { pairing: keys });
  }

  dial(target: DialTarget, signal: AbortSignal): Promise<Result<ConnectionInfo, DialFailure>> {
    const running = this.#running;
    const refused = (reason: string) =>
      Promise.resolve(err<DialFailure>({ type: 'refused', reason }));
    if (!running) return refused('the transport is not running');
    if (signal.aborted) return Promise.resolve(err({ type: 'aborted' }));
    if (this.#standing.refused.has(target.keyHex)) return refused('this key is no longer trusted');
    if (this.#dials.size >= DIALS_IN_FLIGHT_MAX) {
      this.#counters.add('dials.busy');
      return Promise.resolve(err({ type: 'busy' }));
    }
    const to = forSocket(target.host, running.socket.family);
    if (to === undefined)
      return refused(`${target.host} cannot be reached from the address this hub listens on`);
    const id = this.#ids.mint();
    let connection: QuicConnection;
    try {
      // The native library knows no zones.
      const peer = { host: splitZone(to).address, port: target.port };
      connection = new QuicConnection(running.host, {
        connectionId: this.#takeConnectionId(),
        native: running.binding.Connection.connect(
          target.agentId,
          id,
          running.host.local,
          peer,
          running.config,
        ),
        host: to,
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

  checkAlive(connectionId: number): void {
    this.#open.get(connectionId)?.checkAlive();
  }

  /** Sends a request or a one-way message; see OutgoingMessages. */
  begin(
    direction: StreamDirection,
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    settle: Settle,
  ): () => void {
    const connection = this.#open.get(connectionId);
    if (connection) return connection.outgoing.begin(direction, bytes, timeoutMs, settle);
    settle(err(NO_CONNECTION));
    return () => {};
  }

  respond(connectionId: number, streamId: number, bytes: Uint8Array): void {
    const connection = this.#open.get(connectionId);
    if (connection) connection.incoming.respond(streamId, bytes);
    else this.#counters.add('answers.without-connection');
  }

  reset(connectionId: number, streamId: number, code: CloseCode): void {
    this.#open.get(connectionId)?.incoming.refuse(streamId, code);
  }

  /** Its counters, and the levels that are measured when somebody asks. */
  statistics(): Promise<TransportStatistics> {
    const roundTripMs: Record<number, number> = {};
    let [paired, pathMtuBytes] = [0, Infinity];
    for (const connection of this.#open.values()) {
      roundTripMs[connection.connectionId] = connection.peer.roundTripMs;
      pathMtuBytes = Math.min(pathMtuBytes, connection.peer.pathMtuBytes);
      if (connection.keyHex !== null && this.#standing.paired.has(connection.keyHex)) paired += 1;
    }
    const connections = this.#open.size;
    const counters = {
      ...this.#counters.snapshot(),
      'half-open.now': this.#halfOpen.size,
      'dials.now': this.#dials.size,
      'connections-paired.now': paired,
      'connections-quarantined.now': connections - paired,
      'unfinished-bytes.now': this.#unfinished.count,
      // Of all open connections the smallest; none = nothing is known.
      ...(pathMtuBytes === Infinity ? {} : { 'path-mtu-bytes.now': pathMtuBytes }),
    };
    return Promise.resolve({
      connections,
      roundTripMs,
      counters,
      restarts: 0,
      processMemoryBytes: null,
    });
  }

  /** Datagrams moved since the start, both ways. */
  get datagrams(): number {
    return this.#counters.traffic.receivedDatagrams + this.#counters.traffic.sentDatagrams;
  }

  /** Reads on after `canDeliver` was false for a while. */
  resumeReading(): void {
    for (const connection of this.#open.values()) connection.resumeReading();
  }

  /** A handshake for a datagram that shows a valid Retry token. */
  #accept(
    datagram: Datagram,
    size: number,
    host: string,
    port: number,
  ): QuicConnection | undefined {
    const running = this.#running;
    const accepted = running?.acceptor.consider(datagram, size, host, port);
    if (!running || !accepted) return undefined;
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
    this.#router.add(connection);
    return connection;
  }

  #await(
    connection: QuicConnection,
    signal: AbortSignal,
  ): Promise<Result<ConnectionInfo, DialFailure>> {
    this.#router.add(connection);
    return new Promise((resolve) => {
      const giveUp = (failure: DialFailure): void => {
        this.#settleDial(connection, err(failure));
        // With a word to the other side: some hubs take one handshake at a time.
        connection.close(CLOSE_CODES.done, 'the dial was given up');
      };
      const timer = this.#clock.setTimer(CONNECT_LIMIT_MS, () => giveUp({ type: 'timeout' }));
      const abort = (): void => giveUp({ type: 'aborted' });
      signal.addEventListener('abort', abort, { once: true });
      this.#dials.set(connection, (result) => {
        timer.cancel();
        signal.removeEventListener('abort', abort);
        resolve(result);
      });
      connection.wake();
    });
  }

  #settleDial(connection: QuicConnection, result: Result<ConnectionInfo, DialFailure>): void {
    const settle = this.#dials.get(connection);
    this.#dials.delete(connection);
    settle?.(result);
  }

  #established(connection: QuicConnection): void {
    this.#halfOpen.remove(connection);
    const newcomer = placeOf(connection);
    const decision = decidePlace(
      newcomer,
      [...this.#open.values()].map(placeOf),
      this.#standing,
      this.#clock.monotonicMs(),
    );
    if (!decision.admitted) {
      this.#counters.add(
        decision.code === CLOSE_CODES.revoked ? 'refused.key' : 'refused.no-place',
      );
      connection.close(decision.code, decision.reason);
      return;
    }
    // A peer that connects again may have lost what it had, and cannot say so of a connection that
    // it had dialled itself.
    for (const other of this.#open.values())
      if (other.keyHex === connection.keyHex) other.checkAlive();
    if (decision.evicted.length > 0)
      this.#counters.add('connections.evicted', decision.evicted.length);
    for (const eviction of decision.evicted)
      this.#open.get(eviction.connectionId)?.close(eviction.code, eviction.reason);
    this.#counters.add(
      this.#standing.paired.has(newcomer.keyHex) ? 'connections.paired' : 'connections.quarantined',
    );
    this.#open.set(connection.connectionId, connection);
    this.#emit({ type: 'connected', connection: connection.info });
    this.#settleDial(connection, ok(connection.info));
  }

  #ended(connection: QuicConnection, end: ConnectionEnd): void {
    this.#halfOpen.remove(connection);
    const { wrongKeyHex } = connection;
    const failure: DialFailure =
      wrongKeyHex === null
        ? { type: 'refused', reason: end.reason }
        : { type: 'wrong-key', keyHex: wrongKeyHex };
    this.#settleDial(connection, err(failure));
    if (!this.#open.delete(connection.connectionId)) return;
    this.#emit({ type: 'disconnected', connection: connection.info, ...end });
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
      moved: (connection) => this.#emit({ type: 'path-changed', connection: connection.info }),
      gone: (connection) => this.#router.remove(connection),
      failed: (error) => {
        this.#counters.add('connections.failed');
        this.#onFault(error);
      },
      emit: (event) => this.#emit(event),
      canDeliver: this.#canDeliver,
      isPaired: (keyHex) => this.#standing.paired.has(keyHex),
      isOwnId: (id) => this.#ids.isOurs(id),
    };
  }
}

const NO_CONNECTION: TransportFailure = {
  type: 'closed',
  code: null,
  by: 'local',
  reason: 'there is no such connection',
};

function rethrow(error: unknown): void {
  throw error;
}

function placeOf({ info, startedAtMs }: QuicConnection): PlaceHolder {
  assert(info.keyHex !== '', 'a connection with a place has a key');
  return { ...info, sinceMs: startedAtMs };
}
