// Which pinned keys last spoke the reference profile, across restarts. A hint about how to begin: each connection we make asks again, so that
// a peer that was updated is noticed by its first answer (PROTOCOL.md, Reference profile). Nothing is authorised by it.
import type { Store } from '../../../ports/store.ts';
import type { KeyHex } from '../../../ports/transport.ts';
import { PEERS_MAX } from '../limits.ts';

const META_REFERENCE_PEERS = 'reference_peers';
const KEY = /^[0-9a-f]{64}$/;

export class ReferencePeers {
  readonly #store: Store;
  readonly #keys = new Set<KeyHex>();

  constructor(store: Store) {
    this.#store = store;
  }

  load(): void {
    this.#keys.clear();
    for (const key of readKeys(this.#store.read.getMeta(META_REFERENCE_PEERS))) this.#keys.add(key);
  }

  has(key: KeyHex): boolean {
    return this.#keys.has(key);
  }

  /** What a connection of a pinned key has just shown. True when that is new. */
  note(key: KeyHex, isReference: boolean): boolean {
    if (this.#keys.has(key) === isReference) return false;
    if (isReference) this.#keys.add(key);
    else this.#keys.delete(key);
    const text = JSON.stringify([...this.#keys].slice(-PEERS_MAX));
    this.#store.writeBehind((tables) => tables.setMeta(META_REFERENCE_PEERS, text));
    return true;
  }
}

function readKeys(text: string | undefined): readonly KeyHex[] {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((key): key is KeyHex => typeof key === 'string' && KEY.test(key)).slice(0, PEERS_MAX) : [];
  } catch {
    return [];
  }
}
