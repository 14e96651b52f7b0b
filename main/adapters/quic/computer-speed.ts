// How fast this computer is, by the work of which most of a datagram's cost is made: found out once when an endpoint starts, in a few
// milliseconds. It judges nobody.
import { createCipheriv } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import {
  COSTLY_PROCESSOR_MAX_MS,
  COSTLY_PROCESSOR_MIN_MS,
  DATAGRAM_SEND_MAX_BYTES,
  REFERENCE_SEAL_MS,
  SEAL_ROUNDS,
  SEALS_EACH_ROUND,
} from './limits.ts';

/** Of the cipher that QUIC uses most (RFC 9001, Section 5.3). */
const CIPHER = 'aes-128-gcm';
const KEY_LENGTH_BYTES = 16;
const NONCE_LENGTH_BYTES = 12;

/** What sealing one datagram takes, in ms: the fastest of some rounds, so that rounds in which others had the processor count for nothing. */
export function sealMs(clock: Pick<Clock, 'monotonicMs'>): number {
  const [key, nonce] = [Buffer.alloc(KEY_LENGTH_BYTES), Buffer.alloc(NONCE_LENGTH_BYTES)];
  const datagram = Buffer.alloc(DATAGRAM_SEND_MAX_BYTES);
  let fastestMs = Infinity;
  for (let round = 0; round < SEAL_ROUNDS; round += 1) {
    const startedAtMs = clock.monotonicMs();
    for (let count = 0; count < SEALS_EACH_ROUND; count += 1) {
      const cipher = createCipheriv(CIPHER, key, nonce);
      cipher.update(datagram);
      cipher.final();
    }
    fastestMs = Math.min(fastestMs, clock.monotonicMs() - startedAtMs);
  }
  return fastestMs / SEALS_EACH_ROUND;
}

/** The processor time for each datagram from which on a key is too costly, on a computer that takes so long to seal one. */
export function costlyFromMs(sealedInMs: number): number {
  const scaledMs = COSTLY_PROCESSOR_MIN_MS * (sealedInMs / REFERENCE_SEAL_MS);
  return Math.min(Math.max(scaledMs, COSTLY_PROCESSOR_MIN_MS), COSTLY_PROCESSOR_MAX_MS);
}
