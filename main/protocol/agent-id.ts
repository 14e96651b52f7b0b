// Agent ids: the short label of a public key (PROTOCOL.md, Identity). A label is for showing and
// looking up; whoever authorises compares the full key. Nothing here decides anything.
import { createHash } from 'node:crypto';
import { assert } from '../lib/assert.ts';
import { fromHex } from '../lib/bytes.ts';
import { HASH_BYTES } from './limits.ts';

const PREFIX = 'ed25519.';
const DIGEST_HEX_CHARACTERS = 32;
const WIRE_FORM = /^ed25519\.[0-9a-f]{32}$/;

/**
 * The 40-character agent id of a key (PROTOCOL.md, Identity).
 * @param keyHex raw 32-byte public key as 64 lower-case hex digits
 * @throws InvariantError when it is not that
 */
export function agentIdOfKeyHex(keyHex: string): string {
  const key = fromHex(keyHex);
  assert(key?.byteLength === HASH_BYTES, 'a public key is 32 bytes in lower-case hex');
  return PREFIX + createHash('sha256').update(key).digest('hex').slice(0, DIGEST_HEX_CHARACTERS);
}

/** True for the form used on the wire: lower case only, known prefix. */
export function isAgentId(text: string): boolean {
  return WIRE_FORM.test(text);
}

/**
 * What a person typed, in either case and with spaces around it, as a wire-form id; undefined when
 * it is none.
 */
export function readAgentId(text: string): string | undefined {
  const id = text.trim().toLowerCase();
  return isAgentId(id) ? id : undefined;
}
