// Which connection a datagram is for: by the connection id it carries, else, for what may be a peer's reset, by the address it came from.
// Both are one look into a table, whatever the number of connections, and what an address makes this hub examine is counted. It decides
// neither who may connect nor who keeps a place.
import type { Clock } from '../../ports/clock.ts';
import { CLOSE_CODES, type KeyHex } from '../../ports/transport.ts';
import type { QuicConnection } from './connection.ts';
import type { Counters } from './counters.ts';
import { HANDSHAKE_RECEIVED_MAX_BYTES, QUARANTINED_RECEIVED_MAX_BYTES, SUSPECTS_BURST, SUSPECTS_PER_SECOND } from './limits.ts';
import { readDatagram, type Datagram } from './packet-guard.ts';
import { addressKey } from './peer-address.ts';
import { SourceBudget } from './source-budget.ts';

export interface DatagramRouterDeps {
  readonly clock: Clock;
  readonly counters: Counters;
  readonly isPaired: (keyHex: KeyHex) => boolean;
  /** Whether the connection id is one that an earlier process of this hub gave. */
  readonly isOfEarlierProcess: (id: string) => boolean;
  /** A connection for a datagram that is for none; undefined when it is no reason to make one. */
  readonly begin: (datagram: Datagram, size: number, host: string, port: number) => QuicConnection | undefined;
}

export class DatagramRouter {
  readonly #deps: DatagramRouterDeps;
  /** Every connection that is still on the wire, by each id it is known under. */
  readonly #byId = new Map<string, QuicConnection>();
  /** Connections with a place, by where their peer is now. */
  readonly #byAddress = new Map<string, Set<QuicConnection>>();
  readonly #filedUnder = new Map<QuicConnection, string>();
  readonly #suspects = new SourceBudget({ perSecond: SUSPECTS_PER_SECOND, burst: SUSPECTS_BURST });
  /** Bytes that connections of keys that are not paired have brought. */
  readonly #quarantinedBytes = new WeakMap<QuicConnection, number>();

  constructor(deps: DatagramRouterDeps) {
    this.#deps = deps;
  }

  /** Every connection that is still on the wire. */
  connections(): ReadonlySet<QuicConnection> {
    return new Set(this.#byId.values());
  }

  add(connection: QuicConnection): void {
    for (const id of connection.routes) this.#byId.set(id, connection);
  }

  /** Nothing of the connection is left on the wire. */
  remove(connection: QuicConnection): void {
    for (const id of connection.routes) this.#byId.delete(id);
    this.dislodge(connection);
  }

  /** The connection has a place and its peer is where it says; to be told again when the peer moves. */
  lodge(connection: QuicConnection): void {
    this.dislodge(connection);
    const { key } = connection.peer;
    const there = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, there.add(connection));
    this.#filedUnder.set(connection, key);
  }

  /** It has no place any more. */
  dislodge(connection: QuicConnection): void {
    const key = this.#filedUnder.get(connection);
    if (key === undefined) return;
    this.#filedUnder.delete(connection);
    const there = this.#byAddress.get(key);
    there?.delete(connection);
    if (there?.size === 0) this.#byAddress.delete(key);
  }

  /** Total: whatever a datagram does, it ends here. */
  receive(bytes: Buffer, host: string, port: number): void {
    try {
      this.#route(bytes, host, port);
    } catch {
      this.#deps.counters.add('dropped.failed');
    }
  }

  #route(bytes: Buffer, host: string, port: number): void {
    const datagram = readDatagram(bytes);
    if (datagram.type === 'drop') return this.#deps.counters.add(`dropped.${datagram.reason}`);
    const known = this.#byId.get(datagram.destination);
    if (known) return this.#isWithinQuarantine(known, bytes.length) ? known.receive(bytes, host, port) : undefined;
    if (datagram.type === 'short' && this.#mayEnd(bytes, datagram.destination, host, port)) return;
    this.#deps.begin(datagram, bytes.length, host, port)?.receive(bytes, host, port);
  }

  /**
   * Whether a datagram for no known id came from where a peer is: it may be the peer's word that it lost the connection (RFC 9000,
   * Section 10.3.1), whose id is made up. An id that an earlier process gave is none: its peer knows nothing of the end yet. Beyond what
   * an address may have examined a datagram is dropped: the doubt that the ones before have raised finds the loss out by itself.
   */
  #mayEnd(bytes: Buffer, id: string, host: string, port: number): boolean {
    const key = addressKey(host, port);
    const there = this.#byAddress.get(key);
    if (there === undefined || this.#deps.isOfEarlierProcess(id)) return false;
    const { clock, counters } = this.#deps;
    if (!this.#suspects.take(key, clock.monotonicMs())) counters.add('dropped.over-budget');
    else {
      counters.add('resets.examined');
      // The library works inside the bytes it is given.
      for (const connection of there) connection.suspect(Buffer.from(bytes));
    }
    return true;
  }

  /** False once a connection has brought more than a hub that is not paired may, or a handshake more than any needs; it is closed then. */
  #isWithinQuarantine(connection: QuicConnection, size: number): boolean {
    if (connection.keyHex !== null && this.#deps.isPaired(connection.keyHex)) return true;
    const received = (this.#quarantinedBytes.get(connection) ?? 0) + size;
    this.#quarantinedBytes.set(connection, received);
    const max = connection.keyHex === null ? HANDSHAKE_RECEIVED_MAX_BYTES : QUARANTINED_RECEIVED_MAX_BYTES;
    if (received <= max) return true;
    if (received - size <= max) {
      this.#deps.counters.add('closed.quarantine-used-up');
      connection.close(CLOSE_CODES.overLimit, 'too much before pairing');
    }
    return false;
  }
}
