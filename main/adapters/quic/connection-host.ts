// What a connection is made of, and why it is over.
import type { KeyHex } from '../../ports/transport.ts';
import { CLOSE_REASON_MAX_BYTES } from './limits.ts';
import type { QuicheConnection } from './native-binding.ts';

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
    if (!peerError.isApp)
      return { code: null, by: 'peer', reason: `transport error ${peerError.errorCode}` };
    const reason = Buffer.from(peerError.reason)
      .subarray(0, CLOSE_REASON_MAX_BYTES)
      .toString('utf8');
    return { code: peerError.errorCode, by: 'peer', reason };
  }
  const localError = native.localError();
  if (localError)
    return { code: null, by: 'local', reason: `protocol error ${localError.errorCode}` };
  const reason = native.isTimedOut()
    ? 'nothing was heard any more'
    : 'the other hub does not know this connection any more';
  return { code: null, by: 'network', reason };
}
