// Stateless resets (RFC 9000, Section 10.3): the words "I know no such connection" of a hub whose process died, proved by a token that was
// given for the connection's id while it lived. The key behind the tokens comes out of the identity, so that the next process can say them.
// Nothing is kept for a connection here.
import { createHmac, hkdfSync } from 'node:crypto';
import type { Clock, Random } from '../../ports/clock.ts';
import type { ConnectionIds } from './connection-ids.ts';
import { RESETS_PER_SOURCE_BURST, RESETS_PER_SOURCE_PER_SECOND, RESET_LENGTH_BYTES } from './limits.ts';
import { SourceBudget } from './source-budget.ts';

const KEY_LENGTH_BYTES = 32;
const KEY_PURPOSE = 'axon-hub stateless reset v1';
const TOKEN_LENGTH_BYTES = 16;
const FIXED_BIT = 0x40;
/** What the two high bits of the first byte must not say: that is a short header. */
const RANDOM_BITS = 0x3f;

export class StatelessResets {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #ids: ConnectionIds;
  readonly #key: Uint8Array;
  readonly #bySource = new SourceBudget({ perSecond: RESETS_PER_SOURCE_PER_SECOND, burst: RESETS_PER_SOURCE_BURST });

  constructor(deps: { readonly clock: Clock; readonly random: Random; readonly ids: ConnectionIds; readonly seed: Uint8Array }) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#ids = deps.ids;
    this.#key = new Uint8Array(hkdfSync('sha256', deps.seed, '', KEY_PURPOSE, KEY_LENGTH_BYTES));
  }

  /** The token of a connection id of ours, 16 bytes; the same in every process of this identity. */
  tokenOf(connectionId: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(connectionId).digest().subarray(0, TOKEN_LENGTH_BYTES);
  }

  /** The token as the native library takes it: one number, big-endian. */
  tokenNumberOf(connectionId: Uint8Array): bigint {
    return BigInt(`0x${this.tokenOf(connectionId).toString('hex')}`);
  }

  /**
   * What to answer a datagram of `size` bytes for an unknown connection id; undefined = nothing. Only ids of an earlier process are answered:
   * the token of one that this process gave could end the connection that is yet to use it, and what nobody gave spends nobody's budget. A
   * reset is smaller than what it answers and too small to be answered itself, so two hubs never reset each other in a loop.
   */
  answer(connectionId: Uint8Array, size: number, source: string): Buffer | undefined {
    if (size <= RESET_LENGTH_BYTES || !this.#ids.isOfEarlierProcess(connectionId)) return undefined;
    if (!this.#bySource.take(source, this.#clock.monotonicMs())) return undefined;
    const reset = Buffer.concat([this.#random.bytes(RESET_LENGTH_BYTES - TOKEN_LENGTH_BYTES), this.tokenOf(connectionId)]);
    reset[0] = FIXED_BIT | ((reset[0] ?? 0) & RANDOM_BITS);
    return reset;
  }
}
