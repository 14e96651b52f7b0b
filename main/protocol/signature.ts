// Ed25519 with the identity key: who we are, and that a confirmation came from whom it says
// (PROTOCOL.md, Identity and Pairing). Keys are bytes handed in and never kept.
import { createHash } from 'node:crypto';
import { getPublicKey, hashes, sign as signEd25519, verify as verifyEd25519 } from '@noble/ed25519';
import { HASH_BYTES, SIGNATURE_BYTES } from './limits.ts';

// The library leaves the choice of SHA-512 to its user; without one it has no synchronous form.
hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

/** The raw 32-byte public key of a 32-byte seed. */
export function publicKeyOfSeed(seed: Uint8Array): Uint8Array {
  return getPublicKey(seed);
}

/** 64-byte signature of `message` by the key of a 32-byte seed. */
export function sign(message: Uint8Array, seed: Uint8Array): Uint8Array {
  return signEd25519(message, seed);
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
