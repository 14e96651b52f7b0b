// The ids this endpoint gives its connections, made so that it can tell whose an id is without keeping any: by a key of the identity, and by
// one of this process. Whoever asks for the stateless reset of an id that may yet be used must get nothing (RFC 9000, Section 21.11).
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { concatBytes } from '../../lib/bytes.ts';
import type { Random } from '../../ports/clock.ts';
import { CONNECTION_ID_LENGTH_BYTES } from './limits.ts';

const KEY_LENGTH_BYTES = 32;
const KEY_PURPOSE = 'axon-hub connection id v1';
const TAG_LENGTH_BYTES = 4;
/** RFC 9000 wants a destination id of a first packet to hold this much chance. */
const CHANCE_LENGTH_BYTES = CONNECTION_ID_LENGTH_BYTES - 2 * TAG_LENGTH_BYTES;

export class ConnectionIds {
  readonly #random: Random;
  readonly #identityKey: Uint8Array;
  readonly #processKey: Uint8Array;

  constructor(deps: { readonly random: Random; readonly seed: Uint8Array }) {
    this.#random = deps.random;
    this.#identityKey = new Uint8Array(hkdfSync('sha256', deps.seed, '', KEY_PURPOSE, KEY_LENGTH_BYTES));
    this.#processKey = deps.random.bytes(KEY_LENGTH_BYTES);
  }

  /** A new id: 8 bytes of chance, and what tells them as this identity's and as this process's. */
  mint(): Uint8Array {
    const chance = this.#random.bytes(CHANCE_LENGTH_BYTES);
    return concatBytes(chance, tag(this.#identityKey, chance), tag(this.#processKey, chance));
  }

  /** Whether an earlier process of this identity gave the id. */
  isOfEarlierProcess(id: Uint8Array): boolean {
    if (id.length !== CONNECTION_ID_LENGTH_BYTES) return false;
    const chance = id.subarray(0, CHANCE_LENGTH_BYTES);
    const identityTag = id.subarray(CHANCE_LENGTH_BYTES, CHANCE_LENGTH_BYTES + TAG_LENGTH_BYTES);
    const processTag = id.subarray(CHANCE_LENGTH_BYTES + TAG_LENGTH_BYTES);
    return timingSafeEqual(identityTag, tag(this.#identityKey, chance)) && !timingSafeEqual(processTag, tag(this.#processKey, chance));
  }
}

function tag(key: Uint8Array, chance: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(chance).digest().subarray(0, TAG_LENGTH_BYTES);
}
