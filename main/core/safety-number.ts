// The number two people can compare to be sure that no one stands between their hubs (PROTOCOL.md,
// Pairing): the same on both sides, and different for any other pair of keys. Pure; it proves
// nothing until people compare it.
import { createHash } from 'node:crypto';
import { assert } from '../lib/assert.ts';
import { fromHex, utf8, concatBytes } from '../lib/bytes.ts';

const GROUPS = 12;
const BYTES_PER_GROUP = 5;
const KEY_BYTES = 32;

/**
 * 12 groups of 5 digits with spaces between them, from two public keys as 64 lower-case hex digits,
 * in either order.
 */
export function safetyNumber(keyHexA: string, keyHexB: string): string {
  const [lower, higher] = keyHexA < keyHexB ? [keyHexA, keyHexB] : [keyHexB, keyHexA];
  const digest = createHash('sha512')
    .update(concatBytes(utf8('AXON-SAFETY-NUMBER-v1\0'), keyBytes(lower), keyBytes(higher)))
    .digest();
  return Array.from({ length: GROUPS }, (_, group) =>
    String(digest.readUIntBE(group * BYTES_PER_GROUP, BYTES_PER_GROUP) % 100_000).padStart(5, '0'),
  ).join(' ');
}

function keyBytes(keyHex: string): Uint8Array {
  const bytes = fromHex(keyHex);
  assert(bytes?.byteLength === KEY_BYTES, 'a public key is 32 bytes in lower-case hex');
  return bytes;
}
