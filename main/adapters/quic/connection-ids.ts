// The connection ids that this endpoint gives itself, as a client and as a server, and how it knows
// them again when the other side of a connection shows one: then both ends are this very endpoint.
// A relay cannot fake either answer: the handshake proves the id that each side gave itself (RFC
// 9000, Section 7.3), and the mark in it is a MAC under a key of this start, which no other
// endpoint has and which forgets nothing that was delayed. Only a thief of the identity key could
// show an id again that it was given; it would hide as well by not answering.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { concatBytes } from '../../lib/bytes.ts';
import type { Random } from '../../ports/clock.ts';
import { CONNECTION_ID_LENGTH_BYTES } from './limits.ts';

const KEY_LENGTH_BYTES = 32;
const CHANCE_LENGTH_BYTES = CONNECTION_ID_LENGTH_BYTES / 2;

export class ConnectionIds {
  readonly #random: Random;
  readonly #key: Uint8Array;

  constructor(random: Random) {
    this.#random = random;
    this.#key = random.bytes(KEY_LENGTH_BYTES);
  }

  mint(): Uint8Array {
    const chance = this.#random.bytes(CHANCE_LENGTH_BYTES);
    return concatBytes(chance, this.#mark(chance));
  }

  /** True for an id that `mint` returned. */
  isOurs(id: Uint8Array): boolean {
    return (
      id.length === CONNECTION_ID_LENGTH_BYTES &&
      timingSafeEqual(
        this.#mark(id.subarray(0, CHANCE_LENGTH_BYTES)),
        id.subarray(CHANCE_LENGTH_BYTES),
      )
    );
  }

  #mark(chance: Uint8Array): Uint8Array {
    const mac = createHmac('sha256', this.#key).update(chance).digest();
    return mac.subarray(0, CONNECTION_ID_LENGTH_BYTES - CHANCE_LENGTH_BYTES);
  }
}
