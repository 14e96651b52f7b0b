// Hubs that the owner named by address and key and that are not paired yet: where to dial them,
// nothing more. A pairing or a removal by a person drops them here; a paired hub keeps its static
// address in its own row.
import { AppError } from '../../lib/app-error.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { STATIC_HUBS_MAX } from './limits.ts';

const META_STATIC_HUBS = 'static_hubs';
const KEY = /^[0-9a-f]{64}$/;

export interface StaticHub {
  readonly keyHex: KeyHex;
  readonly host: string;
  readonly port: number;
  /** The owner's own name for it, or null. */
  readonly name: string | null;
}

export class StaticHubs {
  readonly #store: Store;
  readonly #hubs = new Map<KeyHex, StaticHub>();

  constructor(store: Store) {
    this.#store = store;
  }

  load(): void {
    this.#hubs.clear();
    for (const hub of readStaticHubs(this.#store.read.getMeta(META_STATIC_HUBS)))
      this.#hubs.set(hub.keyHex, hub);
  }

  get(key: KeyHex): StaticHub | undefined {
    return this.#hubs.get(key);
  }

  all(): readonly StaticHub[] {
    return [...this.#hubs.values()];
  }

  /** Keeps the hub durably. Throws AppError overloaded when there are too many. */
  async put(hub: StaticHub): Promise<void> {
    if (!this.#hubs.has(hub.keyHex) && this.#hubs.size >= STATIC_HUBS_MAX) {
      throw new AppError(
        'overloaded',
        `At most ${STATIC_HUBS_MAX} hubs can be kept by address. Remove one first.`,
      );
    }
    this.#hubs.set(hub.keyHex, hub);
    await this.#store.write((tables) => this.#save(tables));
  }

  async remove(key: KeyHex): Promise<boolean> {
    if (!this.#hubs.delete(key)) return false;
    await this.#store.write((tables) => this.#save(tables));
    return true;
  }

  /** Part of the unit of work that pins the key; `forget` follows once it is durable. */
  removeInside(tables: Tables, key: KeyHex): void {
    if (this.#hubs.has(key)) this.#save(tables, key);
  }

  forget(key: KeyHex): void {
    this.#hubs.delete(key);
  }

  #save(tables: Tables, without?: KeyHex): void {
    const hubs = this.all()
      .filter(({ keyHex }) => keyHex !== without)
      .map(({ keyHex, host, port, name }) => ({ key: keyHex, host, port, name }));
    tables.setMeta(META_STATIC_HUBS, JSON.stringify(hubs));
  }
}

function readStaticHubs(text: string | undefined): readonly StaticHub[] {
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.flatMap(readStaticHub).slice(0, STATIC_HUBS_MAX) : [];
}

function readStaticHub(value: unknown): readonly StaticHub[] {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('key' in value) ||
    !('host' in value) ||
    !('port' in value)
  )
    return [];
  const { key, host, port } = value;
  if (
    typeof key !== 'string' ||
    !KEY.test(key) ||
    typeof host !== 'string' ||
    typeof port !== 'number'
  )
    return [];
  const name = 'name' in value && typeof value.name === 'string' ? value.name : null;
  return [{ keyHex: key, host, port, name }];
}
