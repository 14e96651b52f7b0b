// What a connection is made of, what it needs of its endpoint, what it tells it, and why it is over.
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex, TransportEvent } from '../../ports/transport.ts';
import type { QuicConnection } from './connection.ts';
import type { Counters } from './counters.ts';
import { CLOSE_REASON_MAX_BYTES } from './limits.ts';
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

export interface ConnectionEnd {
  /** The application code; null when it was the transport's or nobody's. */
  readonly code: number | null;
  readonly by: 'local' | 'peer' | 'network';
  /** For the log; a peer's words are outside text. */
  readonly reason: string;
}

/** The end of a connection that quiche considers over; undefined while it is not. */
export function readEnd(native: QuicheConnection): ConnectionEnd | undefined {
  if (!native.isDraining() && !native.isClosed()) return undefined;
  const peerError = native.peerError();
  if (peerError) {
    if (!peerError.isApp) return { code: null, by: 'peer', reason: `transport error ${peerError.errorCode}` };
    const reason = Buffer.from(peerError.reason).subarray(0, CLOSE_REASON_MAX_BYTES).toString('utf8');
    return { code: peerError.errorCode, by: 'peer', reason };
  }
  const localError = native.localError();
  if (localError) return { code: null, by: 'local', reason: `protocol error ${localError.errorCode}` };
  const reason = native.isTimedOut() ? 'nothing was heard any more' : 'the other hub does not know this connection any more';
  return { code: null, by: 'network', reason };
}
