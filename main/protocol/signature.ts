// Ed25519 with the identity key: who we are, and that a confirmation came from whom it says
// (PROTOCOL.md, Identity and Pairing). Keys are bytes handed in and never kept.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as signNative,
  type KeyObject,
} from 'node:crypto';
import { hashes, verify as verifyEd25519 } from '@noble/ed25519';
import { HASH_BYTES, SIGNATURE_BYTES } from './limits.ts';

/** What stands before the 32 bytes of a seed in PKCS #8 (RFC 8410). */
const SEED_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

// The library leaves the choice of SHA-512 to its user; without one it has no synchronous form.
hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

/**
 * The raw 32-byte public key of a 32-byte seed. By Node, as signing is: the library makes tables
 * first, and every start would wait for them.
 */
export function publicKeyOfSeed(seed: Uint8Array): Uint8Array {
  const exported = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' });
  return new Uint8Array(exported.subarray(-HASH_BYTES));
}

/** 64-byte signature of `message` by the key of a 32-byte seed. */
export function sign(message: Uint8Array, seed: Uint8Array): Uint8Array {
  return new Uint8Array(signNative(null, message, privateKeyOf(seed)));
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  const key = Buffer.concat([SEED_HEAD, seed]);
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } finally {
    // The buffer may be one that others share.
    key.fill(0);
  }
}

/** True only for a signature that RFC 8032 accepts; false, never a throw, for anything else. */
export function verify(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  if (signature.byteLength !== SIGNATURE_BYTES || key.byteLength !== HASH_BYTES) return false;
  try {
    return verifyEd25519(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
}
