// What a connection is made of, what it needs of its endpoint, and what it tells it. Types only.
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex, TransportEvent } from '../../ports/transport.ts';
import type { ConnectionEnd } from './connection-end.ts';
import type { QuicConnection } from './connection.ts';
import type { Counters } from './counters.ts';
import type { HostPort, Quiche, QuicheConnection } from './native-binding.ts';
import type { UnfinishedBytes } from './stream-reader.ts';

/** What one connection is made of. */
export interface ConnectionOptions {
  readonly connectionId: number;
  readonly native: QuicheConnection;
  /** As the socket writes it, zone included. */
  readonly host: string;
  readonly port: number;
  /** The key a dial expects; null for incoming connections. */
  readonly expectedKeyHex: KeyHex | null;
  /** Every connection id under which datagrams find this connection. */
  readonly routes: readonly string[];
}

/** What a connection needs of its endpoint. */
export interface ConnectionHost {
  readonly binding: Quiche;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly local: HostPort;
  readonly unfinished: UnfinishedBytes;
  /** Shared scratch space: one buffer to read streams into, one to write datagrams into. */
  readonly readBuffer: Buffer;
  readonly sendBuffer: Buffer;
  sendDatagram(bytes: Uint8Array, host: string, port: number): void;
  /** The peer's key is known; the host keeps the connection or closes it. */
  established(connection: QuicConnection): void;
  ended(connection: QuicConnection, end: ConnectionEnd): void;
  /** The peer is at another address now, which is validated. */
  moved(connection: QuicConnection): void;
  /** Nothing of it is left on the wire: its ids may be forgotten. */
  gone(connection: QuicConnection): void;
  /** Something threw that must not; the connection it happened on is gone. */
  failed(error: unknown): void;
  emit(event: TransportEvent): void;
  /** False while whoever takes the messages is behind: nothing is read then, and flow control slows the peer. */
  canDeliver(): boolean;
  isPaired(keyHex: KeyHex): boolean;
}
