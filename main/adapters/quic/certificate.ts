// Mints the certificate a start of the endpoint shows (PROTOCOL.md, Identity): self-signed over the identity key, names and dates of
// no meaning. The seed is used here and nowhere kept.
import { createHash, createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { concatBytes, fromHex, toHex } from '../../lib/bytes.ts';
import { assert } from '../../lib/assert.ts';
import { selfSignedCertificate } from './certificate-der.ts';

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
  return createPrivateKey({ key: Buffer.from(concatBytes(prefix, seed)), format: 'der', type: 'pkcs8' });
}
