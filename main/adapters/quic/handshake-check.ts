// The verdict on a handshake that quiche calls done: no resumed session, our protocol, one good certificate, the expected key
// (PROTOCOL.md, Connection). At once and without waiting for anything; only the key is ever trusted.
import { CLOSE_CODES, type KeyHex } from '../../ports/transport.ts';
import { APPLICATION_PROTOCOL } from './limits.ts';
import type { QuicheConnection } from './native-binding.ts';
import { keyOfChain } from './peer-certificate.ts';

/** TLS alerts as QUIC closes with them (RFC 9001, Section 4.8). */
const ALERTS = { handshakeFailure: 0x128, badCertificate: 0x12a, noApplicationProtocol: 0x178 } as const;

export type HandshakeVerdict =
  | { readonly accepted: true; readonly keyHex: KeyHex }
  | {
      readonly accepted: false;
      /** The kind of close its code belongs to: ours, or the transport's with a TLS alert. */
      readonly byApplication: boolean;
      readonly code: number;
      readonly counter: string;
      readonly reason: string;
      /** The key that answered instead of the expected one. */
      readonly wrongKeyHex: KeyHex | null;
    };

/** Judges an established connection. `expectedKeyHex` is null for connections that came in. */
export function judgeHandshake(native: QuicheConnection, expectedKeyHex: KeyHex | null): HandshakeVerdict {
  if (native.isResumed()) return refuse(ALERTS.handshakeFailure, 'resumed', 'resumed sessions are not accepted');
  if (Buffer.from(native.applicationProto()).toString('latin1') !== APPLICATION_PROTOCOL) {
    return refuse(ALERTS.noApplicationProtocol, 'protocol', 'another application protocol');
  }
  const key = keyOfChain(native.peerCertChain());
  if (!key.ok) return refuse(ALERTS.badCertificate, 'certificate', key.error);
  if (expectedKeyHex === null || key.value === expectedKeyHex) return { accepted: true, keyHex: key.value };
  const reason = 'not the expected key';
  return { accepted: false, byApplication: true, code: CLOSE_CODES.notTrusted, counter: 'wrong-key', reason, wrongKeyHex: key.value };
}

function refuse(alert: number, counter: string, reason: string): HandshakeVerdict {
  return { accepted: false, byApplication: false, code: alert, counter, reason, wrongKeyHex: null };
}
