// Stateless address validation (RFC 9000, Section 8.1): a token says "this address asked with that
// connection id, then", under a MAC. The endpoint keeps nothing for a source until it has shown
// one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { concatBytes } from '../../lib/bytes.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import {
  CONNECTION_ID_MAX_BYTES,
  RETRY_KEY_LIFETIME_MS,
  RETRY_TOKEN_LIFETIME_MS,
} from './limits.ts';

const KEY_LENGTH_BYTES = 32;
const MAC_LENGTH_BYTES = 32;
const TIME_LENGTH_BYTES = 8;

export class RetryTokens {
  readonly #clock: Clock;
  readonly #random: Random;
  #current: Uint8Array;
  #previous: Uint8Array;
  #rotatedAtMs: number;

  constructor(deps: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#current = deps.random.bytes(KEY_LENGTH_BYTES);
    this.#previous = deps.random.bytes(KEY_LENGTH_BYTES);
    this.#rotatedAtMs = deps.clock.monotonicMs();
  }

  /**
   * A token for `address` (host and port), bound to the client's first id and to the id the Retry
   * gives it.
   */
  mint(address: string, originalId: Uint8Array, retryId: Uint8Array): Uint8Array {
    this.#rotate();
    const time = Buffer.alloc(TIME_LENGTH_BYTES);
    time.writeDoubleBE(this.#clock.monotonicMs());
    return concatBytes(mac(this.#current, address, time, originalId, retryId), time, originalId);
  }

  /**
   * The client's first connection id when the token is ours, fresh, and for this address and id;
   * else undefined.
   */
  verify(token: Uint8Array, address: string, retryId: Uint8Array): Uint8Array | undefined {
    this.#rotate();
    const idStart = MAC_LENGTH_BYTES + TIME_LENGTH_BYTES;
    if (token.length <= idStart || token.length > idStart + CONNECTION_ID_MAX_BYTES)
      return undefined;
    const time = token.subarray(MAC_LENGTH_BYTES, idStart);
    const originalId = token.subarray(idStart);
    const shown = token.subarray(0, MAC_LENGTH_BYTES);
    const ours = [this.#current, this.#previous].some((key) =>
      timingSafeEqual(mac(key, address, time, originalId, retryId), shown),
    );
    if (!ours) return undefined;
    const ageMs = this.#clock.monotonicMs() - Buffer.from(time).readDoubleBE();
    return ageMs >= 0 && ageMs <= RETRY_TOKEN_LIFETIME_MS ? Uint8Array.from(originalId) : undefined;
  }

  #rotate(): void {
    const ageMs = this.#clock.monotonicMs() - this.#rotatedAtMs;
    if (ageMs < RETRY_KEY_LIFETIME_MS) return;
    this.#previous = this.#current;
    this.#current = this.#random.bytes(KEY_LENGTH_BYTES);
    this.#rotatedAtMs = this.#clock.monotonicMs();
  }
}

function mac(
  key: Uint8Array,
  address: string,
  time: Uint8Array,
  originalId: Uint8Array,
  retryId: Uint8Array,
): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of [Buffer.from(address), time, originalId, retryId]) {
    hmac.update(Uint8Array.of(part.length));
    hmac.update(part);
  }
  return hmac.digest();
}
