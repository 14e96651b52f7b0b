// The verdict on a handshake that quiche calls done: no resumed session, our protocol, one good
// certificate, the expected key (PROTOCOL.md, Connection). At once and without waiting for
// anything; only the key is ever trusted: names, dates and issuer are ignored. The walk over DER is
// strict and total: whatever it cannot read is a refusal, never an exception.
import { createPublicKey, verify } from 'node:crypto';
import { toHex } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { APPLICATION_PROTOCOL, CERTIFICATE_SIZE_MAX_BYTES } from './limits.ts';
import type { QuicheConnection } from './native-binding.ts';

/** TLS alerts as QUIC closes with them (RFC 9001, Section 4.8). */
export const ALERTS = {
  handshakeFailure: 0x128,
  badCertificate: 0x12a,
  certificateUnknown: 0x12e,
  noApplicationProtocol: 0x178,
} as const;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const EXPLICIT_VERSION = 0xa0;
/** SubjectPublicKeyInfo of Ed25519 up to its 32 key bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** AlgorithmIdentifier of an Ed25519 signature. */
const SIGNATURE_ALGORITHM = Buffer.from('300506032b6570', 'hex');
const KEY_LENGTH_BYTES = 32;
const SIGNATURE_LENGTH_BYTES = 64;

type HandshakeVerdict =
  | { readonly accepted: true; readonly keyHex: KeyHex }
  | {
      readonly accepted: false;
      readonly alert: number;
      readonly counter: string;
      readonly reason: string;
      /** The key that answered instead of the expected one. */
      readonly wrongKeyHex: KeyHex | null;
    };

/** Judges an established connection. `expectedKeyHex` is null for connections that came in. */
export function judgeHandshake(
  native: QuicheConnection,
  expectedKeyHex: KeyHex | null,
): HandshakeVerdict {
  if (native.isResumed())
    return refuse(ALERTS.handshakeFailure, 'resumed', 'resumed sessions are not accepted');
  if (Buffer.from(native.applicationProto()).toString('latin1') !== APPLICATION_PROTOCOL) {
    return refuse(ALERTS.noApplicationProtocol, 'protocol', 'another application protocol');
  }
  const key = keyOfChain(native.peerCertChain());
  if (!key.ok) return refuse(ALERTS.badCertificate, 'certificate', key.error);
  if (expectedKeyHex === null || key.value === expectedKeyHex)
    return { accepted: true, keyHex: key.value };
  return refuse(ALERTS.certificateUnknown, 'wrong-key', 'not the expected key', key.value);
}

function refuse(
  alert: number,
  counter: string,
  reason: string,
  wrongKeyHex: KeyHex | null = null,
): HandshakeVerdict {
  return { accepted: false, alert, counter, reason, wrongKeyHex };
}

interface Element {
  /** With its header. */
  readonly whole: Buffer;
  readonly content: Buffer;
  readonly rest: Buffer;
}

/**
 * The key of a chain that is exactly one acceptable certificate, signed by that very key; else why
 * it is refused.
 */
export function keyOfChain(chain: readonly Uint8Array[] | null): Result<KeyHex, string> {
  const certificate = chain?.[0];
  if (!chain || !certificate) return err('no certificate');
  if (chain.length !== 1) return err('more than one certificate');
  if (certificate.length > CERTIFICATE_SIZE_MAX_BYTES) return err('certificate too large');
  try {
    return readKey(Buffer.from(certificate));
  } catch {
    return err('unreadable certificate');
  }
}

function readKey(certificate: Buffer): Result<KeyHex, string> {
  const outer = read(certificate, SEQUENCE);
  const body = read(outer.content, SEQUENCE);
  const algorithm = read(body.rest, SEQUENCE);
  const signature = read(algorithm.rest, BIT_STRING);
  if (outer.rest.length > 0 || signature.rest.length > 0)
    return err('trailing bytes in the certificate');
  const info = publicKeyInfo(body.content);
  if (
    info.length !== SPKI_PREFIX.length + KEY_LENGTH_BYTES ||
    !info.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)
  ) {
    return err('not an Ed25519 key');
  }
  const bits = signature.content;
  if (
    !algorithm.whole.equals(SIGNATURE_ALGORITHM) ||
    bits.length !== SIGNATURE_LENGTH_BYTES + 1 ||
    bits[0] !== 0
  ) {
    return err('not an Ed25519 signature');
  }
  const key = createPublicKey({ key: info, format: 'der', type: 'spki' });
  if (!verify(null, body.whole, key, bits.subarray(1))) return err('not signed by its own key');
  return ok(toHex(info.subarray(SPKI_PREFIX.length)));
}

/**
 * Walks a TBSCertificate (RFC 5280): version, serial, algorithm, issuer, validity, subject, then
 * the key.
 */
function publicKeyInfo(body: Buffer): Buffer {
  const version = read(body, EXPLICIT_VERSION);
  let rest = read(version.rest, INTEGER).rest;
  for (let skipped = 0; skipped < 4; skipped += 1) rest = read(rest, SEQUENCE).rest;
  return read(rest, SEQUENCE).whole;
}

/**
 * One DER element of the given tag at the start of `bytes`. Lengths are definite and in their
 * shortest form.
 */
function read(bytes: Buffer, tag: number): Element {
  if (bytes[0] !== tag) throw new RangeError('unexpected tag');
  const first = bytes.readUInt8(1);
  const width = first & 0x7f;
  if (first >= 0x80 && (width === 0 || width > 2)) throw new RangeError('unexpected length');
  const start = first < 0x80 ? 2 : 2 + width;
  const length = first < 0x80 ? first : bytes.readUIntBE(2, width);
  const least = width === 1 ? 0x80 : 0x100;
  if (first >= 0x80 && length < least) throw new RangeError('length not in its shortest form');
  if (start + length > bytes.length) throw new RangeError('element longer than its parent');
  return {
    whole: bytes.subarray(0, start + length),
    content: bytes.subarray(start, start + length),
    rest: bytes.subarray(start + length),
  };
}
