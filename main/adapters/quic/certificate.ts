// Mints the certificate a start of the endpoint shows (PROTOCOL.md, Identity): self-signed over the identity key, names and dates of
// no meaning. The seed is used here and nowhere kept.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { concatBytes, fromHex, toHex } from '../../lib/bytes.ts';
import { assert } from '../../lib/assert.ts';

/** PKCS #8 wrapping of a raw Ed25519 seed (RFC 8410). */
const SEED_PREFIX_HEX = '302e020100300506032b657004220420';
const SEED_LENGTH_BYTES = 32;
const AGENT_ID_HASH_BYTES = 16;

export interface Credentials {
  readonly keyHex: string;
  readonly agentId: string;
  readonly privateKeyPem: Uint8Array;
  readonly certificatePem: Uint8Array;
}

/** Reads the key pair out of the seed and mints a certificate over it. Loads the certificate library only now. */
export async function mintCredentials(seed: Uint8Array): Promise<Credentials> {
  assert(seed.length === SEED_LENGTH_BYTES, 'an identity seed has 32 bytes');
  const privateKey = privateKeyOfSeed(seed);
  const publicKey = createPublicKey(privateKey);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_LENGTH_BYTES);
  const agentId = `ed25519.${createHash('sha256')
    .update(raw)
    .digest('hex')
    .slice(0, AGENT_ID_HASH_BYTES * 2)}`;
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  return {
    keyHex: toHex(raw),
    agentId,
    privateKeyPem: Buffer.from(pem),
    certificatePem: Buffer.from(await selfSign(privateKey, publicKey, `axon-${agentId}`)),
  };
}

function privateKeyOfSeed(seed: Uint8Array): KeyObject {
  const prefix = fromHex(SEED_PREFIX_HEX);
  assert(prefix, 'the key prefix is hexadecimal');
  return createPrivateKey({ key: Buffer.from(concatBytes(prefix, seed)), format: 'der', type: 'pkcs8' });
}

async function selfSign(privateKey: KeyObject, publicKey: KeyObject, commonName: string): Promise<string> {
  await import('reflect-metadata');
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509');
  const { subtle } = globalThis.crypto;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${commonName}`,
    // oxlint-disable-next-line no-restricted-globals -- two fixed dates, not the time of day: peers ignore them
    notBefore: new Date('2020-01-01T00:00:00Z'),
    // oxlint-disable-next-line no-restricted-globals -- as above
    notAfter: new Date('4095-01-01T00:00:00Z'),
    keys: {
      privateKey: await subtle.importKey('pkcs8', privateKey.export({ format: 'der', type: 'pkcs8' }), 'Ed25519', false, ['sign']),
      publicKey: await subtle.importKey('spki', publicKey.export({ format: 'der', type: 'spki' }), 'Ed25519', true, ['verify']),
    },
    signingAlgorithm: { name: 'Ed25519' },
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }], false)],
  });
  return certificate.toString('pem');
}
