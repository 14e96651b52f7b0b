// The first look at a datagram, before any state and before the native library sees a byte of it
// (PROTOCOL.md, Connection). It reads only what RFC 8999 and RFC 9000, Section 17 put in the clear;
// it never throws and never answers.
import {
  CONNECTION_ID_LENGTH_BYTES,
  CONNECTION_ID_MAX_BYTES,
  DATAGRAM_RECEIVE_MAX_BYTES,
} from './limits.ts';

const QUIC_VERSION_1 = 1;
const LONG_HEADER = 0x80;
const FIXED_BIT = 0x40;
const LONG_TYPES = ['initial', 'zero-rtt', 'handshake', 'retry'] as const;

type DropReason = 'malformed' | 'too-large' | 'version' | 'zero-rtt';

export type Datagram =
  | { readonly type: 'drop'; readonly reason: DropReason }
  | { readonly type: 'short' | 'handshake' | 'retry'; readonly destination: string }
  | {
      readonly type: 'initial';
      readonly destination: string;
      readonly source: Uint8Array;
      readonly token: Uint8Array;
    };

const MALFORMED: Datagram = { type: 'drop', reason: 'malformed' };

/** Sorts a datagram by its first packet. `destination` is the connection id as a latin-1 string. */
export function readDatagram(bytes: Buffer): Datagram {
  const first = bytes[0];
  if (first === undefined) return MALFORMED;
  if (bytes.length > DATAGRAM_RECEIVE_MAX_BYTES) return { type: 'drop', reason: 'too-large' };
  if ((first & LONG_HEADER) === 0) {
    if ((first & FIXED_BIT) === 0 || bytes.length < 1 + CONNECTION_ID_LENGTH_BYTES)
      return MALFORMED;
    return {
      type: 'short',
      destination: bytes.toString('latin1', 1, 1 + CONNECTION_ID_LENGTH_BYTES),
    };
  }
  if (bytes.length < 7) return MALFORMED;
  if (bytes.readUInt32BE(1) !== QUIC_VERSION_1) return { type: 'drop', reason: 'version' };
  if ((first & FIXED_BIT) === 0) return MALFORMED;
  const type = LONG_TYPES[(first >> 4) & 3];
  if (type === undefined) return MALFORMED;
  if (type === 'zero-rtt') return { type: 'drop', reason: 'zero-rtt' };
  const destinationLength = bytes[5] ?? 0;
  const sourceLength = bytes[6 + destinationLength];
  if (
    destinationLength > CONNECTION_ID_MAX_BYTES ||
    sourceLength === undefined ||
    sourceLength > CONNECTION_ID_MAX_BYTES
  )
    return MALFORMED;
  const sourceStart = 7 + destinationLength;
  const afterIds = sourceStart + sourceLength;
  if (afterIds > bytes.length) return MALFORMED;
  const destination = bytes.toString('latin1', 6, 6 + destinationLength);
  if (type !== 'initial') return { type, destination };
  const token = readToken(bytes, afterIds);
  return token
    ? { type, destination, source: bytes.subarray(sourceStart, afterIds), token }
    : MALFORMED;
}

/** The token field: a variable-length integer (RFC 9000, Section 16) and as many bytes. */
function readToken(bytes: Buffer, offset: number): Uint8Array | undefined {
  const first = bytes[offset];
  if (first === undefined) return undefined;
  const width = 1 << (first >> 6);
  if (width > 2 || offset + width > bytes.length) return undefined;
  const length = width === 1 ? first & 0x3f : bytes.readUInt16BE(offset) & 0x3fff;
  const start = offset + width;
  return start + length <= bytes.length ? bytes.subarray(start, start + length) : undefined;
}
