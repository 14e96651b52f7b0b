// Another key in the place of a paired hub: seen where the hub itself was last, or where its owner
// said it is, and never because of a network hint alone. The changed key is stopped already; this
// keeps what a person must be told, durably, until that person has answered or the hub itself is
// back. It must never change whom a key belongs to (PROTOCOL.md, Identity).
import { AppError, inputError } from '../../lib/app-error.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { KeyChangeDto } from '../../../preload/contract/dto.ts';
import { safetyNumber } from '../../core/safety-number.ts';
import type { IdentityService } from '../base/identity.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { type HubAddress, writeHubAddress } from './hub-address.ts';
import { PEERS_MAX } from './limits.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

const META_KEY_CHANGES = 'key_changes';
const KEY = /^[0-9a-f]{64}$/;

interface KeyChange {
  /** The paired hub. */
  readonly key: KeyHex;
  /** The key that answered in its place. */
  readonly seen: KeyHex;
  readonly address: string;
  /** Wall clock. */
  readonly seenAt: number;
  /** When a person said that the old key stays; null while nobody has answered. */
  readonly keptAt: number | null;
}

interface KeyChangesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: Pick<IdentityService, 'keyHex' | 'ready'>;
}

export class KeyChanges {
  readonly #deps: KeyChangesDeps;
  readonly #changes = new Map<KeyHex, KeyChange>();

  constructor(deps: KeyChangesDeps) {
    this.#deps = deps;
  }

  /** What a crash left of a hub that is trusted no more is passed over. */
  load(): void {
    const { read } = this.#deps.store;
    this.#changes.clear();
    for (const change of readChanges(read.getMeta(META_KEY_CHANGES)))
      if (read.peer(change.key)?.trust === 'paired') this.#changes.set(change.key, change);
  }

  /** What people are shown; null while this hub's own identity is not ready, too. */
  dto(key: KeyHex): KeyChangeDto | null {
    const { identity } = this.#deps;
    const change = this.#changes.get(key);
    if (change === undefined || !identity.ready) return null;
    return {
      seen_key: change.seen,
      seen_id: agentIdOfKeyHex(change.seen),
      seen_safety_number: safetyNumber(identity.keyHex, change.seen),
      address: change.address,
      seen_at: change.seenAt,
      kept_at: change.keptAt,
    };
  }

  /**
   * Another key answered where the hub should be. True once per hub, until the hub itself is back.
   * So a stranger with new keys cannot flood the page.
   */
  seen(key: KeyHex, seen: KeyHex, at: HubAddress): boolean {
    if (
      this.#changes.has(key) ||
      this.#changes.size >= PEERS_MAX ||
      seen === this.#deps.identity.keyHex
    )
      return false;
    this.#changes.set(key, {
      key,
      seen,
      address: writeHubAddress(at),
      seenAt: this.#deps.clock.wallMs(),
      keptAt: null,
    });
    this.#deps.store.writeBehind((tables) => this.#save(tables));
    return true;
  }

  /**
   * A person keeps the old key. `seen` is the key that was shown. Throws AppError not_found when
   * nothing stands in that hub's place, and request_changed when it is another key than the one
   * shown.
   */
  async keep(key: KeyHex, seen: KeyHex, by: Actor): Promise<void> {
    const change = this.#changes.get(key);
    if (change === undefined)
      throw inputError('not_found', 'Nothing stands in the place of that hub.');
    if (change.seen !== seen)
      throw new AppError('request_changed', 'Another key answers there by now. Look at it again.');
    if (change.keptAt !== null) return;
    const at = this.#deps.clock.wallMs();
    const kept = { ...change, keptAt: at };
    this.#changes.set(key, kept);
    try {
      await this.#deps.store.write((tables) => {
        this.#save(tables);
        tables.appendAudit(
          auditRow(at, { ...by, action: 'peer.key_kept', object: key, detail: { refused: seen } }),
        );
      });
    } catch (error) {
      // An answer that is not on record was not given.
      if (this.#changes.get(key) === kept) this.#changes.set(key, change);
      throw error;
    }
  }

  /** The hub itself is back, or is trusted no more: there is nothing left to tell. */
  clear(key: KeyHex): void {
    if (this.#changes.delete(key)) this.#deps.store.writeBehind((tables) => this.#save(tables));
  }

  #save(tables: Tables): void {
    tables.setMeta(META_KEY_CHANGES, JSON.stringify([...this.#changes.values()]));
  }
}

function readChanges(text: string | undefined): readonly KeyChange[] {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.flatMap(readChange).slice(0, PEERS_MAX) : [];
  } catch {
    return [];
  }
}

function readChange(value: unknown): readonly KeyChange[] {
  if (!isJsonObject(value)) return [];
  const { key, seen, address, seenAt, keptAt } = value;
  if (typeof key !== 'string' || !KEY.test(key) || typeof seen !== 'string' || !KEY.test(seen))
    return [];
  if (typeof address !== 'string' || typeof seenAt !== 'number') return [];
  return [{ key, seen, address, seenAt, keptAt: typeof keptAt === 'number' ? keptAt : null }];
}
