// Which connection a datagram is for, by the connection id it carries, and how much a connection
// may bring before its key is paired. It decides neither who may connect nor who keeps a place.
import { CLOSE_CODES, type KeyHex } from '../../ports/transport.ts';
import type { QuicConnection } from './connection.ts';
import type { Counters } from './counters.ts';
import { HANDSHAKE_RECEIVED_MAX_BYTES, QUARANTINED_RECEIVED_MAX_BYTES } from './limits.ts';
import { readDatagram, type Datagram } from './packet-guard.ts';

interface DatagramRouterDeps {
  readonly counters: Counters;
  readonly isPaired: (keyHex: KeyHex) => boolean;
  /** A connection for a datagram that is for none; undefined when it is no reason to make one. */
  readonly begin: (
    datagram: Datagram,
    size: number,
    host: string,
    port: number,
  ) => QuicConnection | undefined;
}

export class DatagramRouter {
  readonly #deps: DatagramRouterDeps;
  /** Every connection that is still on the wire, by each id it is known under. */
  readonly #byId = new Map<string, QuicConnection>();
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
    if (known === undefined)
      this.#deps.begin(datagram, bytes.length, host, port)?.receive(bytes, host, port);
    else if (this.#isWithinQuarantine(known, bytes.length)) known.receive(bytes, host, port);
  }

  /**
   * False once a connection has brought more than a hub that is not paired may, or a handshake more
   * than any needs; it is closed then.
   */
  #isWithinQuarantine(connection: QuicConnection, size: number): boolean {
    if (connection.keyHex !== null && this.#deps.isPaired(connection.keyHex)) return true;
    const max =
      connection.keyHex === null ? HANDSHAKE_RECEIVED_MAX_BYTES : QUARANTINED_RECEIVED_MAX_BYTES;
    let received = (this.#quarantinedBytes.get(connection) ?? 0) + size;
    // Anybody who saw its id can write it on datagrams: those do not count, since they cannot be
    // decrypted.
    if (received > max) received = connection.decryptedBytes + size;
    this.#quarantinedBytes.set(connection, received);
    if (received <= max) return true;
    if (!connection.isOver) {
      this.#deps.counters.add('closed.quarantine-used-up');
      connection.close(CLOSE_CODES.overLimit, 'too much before pairing');
    }
    return false;
  }
}
