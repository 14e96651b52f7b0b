// What an invitation adds to the steps of pairing (PROTOCOL.md, Invitation): the id by which an
// offer speaks of its secret, and the codes that stand where people would type. Pure: bytes in,
// bytes out.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { frame, type PairRole } from './pairing.ts';

/** How an offer names the invitation without giving its secret away. 16 bytes. */
export function invitationId(secret: Uint8Array): Uint8Array {
  return hmac(secret, frame('AXON-PAIR-INVITE-ID-v1')).subarray(0, 16);
}

/** What `role` sends with its confirmation: it knows the secret and has seen T. 32 bytes. */
export function invitationMac(
  secret: Uint8Array,
  role: PairRole,
  transcriptBytes: Uint8Array,
): Uint8Array {
  return hmac(secret, frame('AXON-PAIR-INVITE-v1', role, transcriptBytes));
}

/** In constant time for bytes of the right length. */
export function isSameMac(left: Uint8Array, right: Uint8Array): boolean {
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}

function hmac(secret: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', secret).update(message).digest());
}
