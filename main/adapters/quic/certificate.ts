// Mints the certificate a start of the endpoint shows (PROTOCOL.md, Identity): self-signed over the
// identity key, names and dates of no meaning. The seed is used here and nowhere kept. The one kind
// of certificate there is stands here in DER (RFC 5280, RFC 8410).
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto';
import { concatBytes, fromHex, toHex } from '../../lib/bytes.ts';
import { assert } from '../../lib/assert.ts';

/** PKCS #8 wrapping of a raw Ed25519 seed (RFC 8410). */
const SEED_PREFIX_HEX = '302e020100300506032b657004220420';
const SEED_LENGTH_BYTES = 32;
const AGENT_ID_HASH_BYTES = 16;
/** Some TLS libraries want a host name in a certificate; nobody reads it. */
const HOST_NAME = 'localhost';

export interface Credentials {
  readonly keyHex: string;
  readonly agentId: string;
  readonly privateKeyPem: Uint8Array;
  readonly certificatePem: Uint8Array;
}

/** Reads the key pair out of the seed and mints a certificate over it. */
export function mintCredentials(seed: Uint8Array): Credentials {
  assert(seed.length === SEED_LENGTH_BYTES, 'an identity seed has 32 bytes');
  const privateKey = privateKeyOfSeed(seed);
  const publicKey = createPublicKey(privateKey);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_LENGTH_BYTES);
  const agentId = `ed25519.${createHash('sha256')
    .update(raw)
    .digest('hex')
    .slice(0, AGENT_ID_HASH_BYTES * 2)}`;
  const privateKeyPem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  const certificate = selfSignedCertificate(privateKey, `axon-${agentId}`, HOST_NAME);
  return {
    keyHex: toHex(raw),
    agentId,
    privateKeyPem: Buffer.from(privateKeyPem),
    certificatePem: Buffer.from(new X509Certificate(certificate).toString()),
  };
}

function privateKeyOfSeed(seed: Uint8Array): KeyObject {
  const prefix = fromHex(SEED_PREFIX_HEX);
  assert(prefix, 'the key prefix is hexadecimal');
  return createPrivateKey({
    key: Buffer.from(concatBytes(prefix, seed)),
    format: 'der',
    type: 'pkcs8',
  });
}

const TAGS = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** GeneralName: dNSName. */
  hostName: 0x82,
  version: 0xa0,
  extensions: 0xa3,
} as const;

/**
 * Encoded object identifiers: Ed25519 (1.3.101.112), common name (2.5.4.3), subject alternative
 * name (2.5.29.17).
 */
const IDENTIFIERS = { ed25519: '2b6570', commonName: '550403', alternativeName: '551d11' } as const;
const VERSION_3 = Buffer.of(2);
const SERIAL_NUMBER = Buffer.of(1);
/** No bit of the last byte is unused. */
const NO_UNUSED_BITS = Buffer.of(0);
/** Dates of no meaning: peers ignore them. UTCTime reaches to 2049, GeneralizedTime further. */
const NOT_BEFORE = '200101000000Z';
const NOT_AFTER = '40950101000000Z';
const LENGTH_IN_TWO_BYTES = 0x82;
const SHORT_LENGTH_MAX = 0x7f;
const ONE_BYTE_LENGTH_MAX = 0xff;

/**
 * A certificate over `privateKey` (Ed25519) and its public key, as DER. `commonName` has 1 to 64
 * characters.
 */
export function selfSignedCertificate(
  privateKey: KeyObject,
  commonName: string,
  hostName: string,
): Buffer {
  const algorithm = element(TAGS.sequence, identifier(IDENTIFIERS.ed25519));
  const attribute = element(
    TAGS.sequence,
    identifier(IDENTIFIERS.commonName),
    element(TAGS.utf8String, Buffer.from(commonName)),
  );
  const name = element(TAGS.sequence, element(TAGS.set, attribute));
  const alternativeNames = element(TAGS.sequence, element(TAGS.hostName, Buffer.from(hostName)));
  const extension = element(
    TAGS.sequence,
    identifier(IDENTIFIERS.alternativeName),
    element(TAGS.octetString, alternativeNames),
  );
  const body = element(
    TAGS.sequence,
    element(TAGS.version, element(TAGS.integer, VERSION_3)),
    element(TAGS.integer, SERIAL_NUMBER),
    algorithm,
    name,
    element(
      TAGS.sequence,
      element(TAGS.utcTime, Buffer.from(NOT_BEFORE)),
      element(TAGS.generalizedTime, Buffer.from(NOT_AFTER)),
    ),
    name,
    createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
    element(TAGS.extensions, element(TAGS.sequence, extension)),
  );
  return element(
    TAGS.sequence,
    body,
    algorithm,
    element(TAGS.bitString, NO_UNUSED_BITS, sign(null, body, privateKey)),
  );
}

function identifier(hex: string): Buffer {
  return element(TAGS.objectIdentifier, Buffer.from(hex, 'hex'));
}

/** Tag, length in its shortest form (contents here stay far below 64 KiB), contents. */
function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const header =
    length <= SHORT_LENGTH_MAX
      ? [tag, length]
      : length <= ONE_BYTE_LENGTH_MAX
        ? [tag, 0x81, length]
        : [tag, LENGTH_IN_TWO_BYTES, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}
