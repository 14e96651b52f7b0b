// What is written about a pinned peer inside one commit, with its audit, and what must end in that same commit when the hub is trusted no
// more. Holds no state but the list of those who end something; never decides whether a change is allowed.
import type { PeerRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { OwnerChange } from './pinned-row.ts';

export interface ChangedBy {
  readonly actor: string;
  readonly surface: string;
}

/** Ends, inside the commit, what hangs on the trust in a key; what it returns runs after that commit. */
export type TrustEnd = (tables: Tables, key: KeyHex) => () => void;

export class StoredPeers {
  readonly #ends: TrustEnd[] = [];

  /** From now on `end` is part of every commit that suspends or revokes a hub, so that no crash comes between the two. */
  endsWithTrust(end: TrustEnd): void {
    this.#ends.push(end);
  }

  /** The owner's change; nothing happens to a tombstone. Returns what runs after the commit. */
  change(tables: Tables, key: KeyHex, patch: Partial<PeerRow>, said: OwnerChange, by: ChangedBy, at: number): () => void {
    const stored = tables.peer(key);
    if (stored === undefined || stored.trust === 'revoked') return () => undefined;
    tables.putPeer({ ...stored, ...patch });
    const action = said.trust === undefined ? 'peer.changed' : `peer.${said.trust === 'paired' ? 'resumed' : 'suspended'}`;
    const detail = JSON.stringify({ changed: Object.keys(said).filter((name) => name !== 'id') });
    tables.appendAudit({ at, actor: by.actor, surface: by.surface, action, object: key, digest: null, detail });
    return said.trust === 'suspended' ? this.#end(tables, key) : () => undefined;
  }

  /** The hub becomes a tombstone. Returns what runs after the commit. */
  revoke(tables: Tables, key: KeyHex, by: ChangedBy, at: number): () => void {
    const stored = tables.peer(key);
    if (stored !== undefined) tables.putPeer({ ...stored, trust: 'revoked', revokedAt: at });
    tables.appendAudit({ at, actor: by.actor, surface: by.surface, action: 'peer.revoked', object: key, digest: null, detail: '{}' });
    return this.#end(tables, key);
  }

  #end(tables: Tables, key: KeyHex): () => void {
    const effects = this.#ends.map((end) => end(tables, key));
    return () => effects.forEach((effect) => effect());
  }
}

/** Merges into the row of a pinned peer; nothing happens where there is none. */
export function mergeStored(tables: Tables, key: KeyHex, change: Partial<PeerRow>): void {
  const stored = tables.peer(key);
  if (stored !== undefined) tables.putPeer({ ...stored, ...change });
}
