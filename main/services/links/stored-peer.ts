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
  readonly #noAdults: TrustEnd[] = [];

  /** From now on `end` is part of every commit that suspends or revokes a hub, so that no crash comes between the two. */
  endsWithTrust(end: TrustEnd): void {
    this.#ends.push(end);
  }

  /** From now on `end` is part of every commit in which a hub stops being an adult's. */
  endsWithAdulthood(end: TrustEnd): void {
    this.#noAdults.push(end);
  }

  /** The owner's change; nothing happens to a tombstone. Returns what runs after the commit. */
  change(tables: Tables, key: KeyHex, patch: Partial<PeerRow>, said: OwnerChange, by: ChangedBy, at: number): () => void {
    const stored = tables.peer(key);
    if (stored === undefined || stored.trust === 'revoked') return () => undefined;
    tables.putPeer({ ...stored, ...patch });
    const action = said.trust === undefined ? 'peer.changed' : `peer.${said.trust === 'paired' ? 'resumed' : 'suspended'}`;
    const { role } = said;
    const changed = Object.keys(said).filter((name) => name !== 'id');
    const detail = JSON.stringify({ changed, ...(role === undefined ? {} : { role }) });
    tables.appendAudit({ at, actor: by.actor, surface: by.surface, action, object: key, digest: null, detail });
    const isAdultNoMore = role !== undefined && role !== 'adult' && stored.role === 'adult';
    return together(
      isAdultNoMore ? this.#noAdults.map((end) => end(tables, key)) : [],
      said.trust === 'suspended' ? this.#ends.map((end) => end(tables, key)) : [],
    );
  }

  /** The hub becomes a tombstone. Returns what runs after the commit. */
  revoke(tables: Tables, key: KeyHex, by: ChangedBy, at: number): () => void {
    const stored = tables.peer(key);
    if (stored !== undefined) tables.putPeer({ ...stored, trust: 'revoked', revokedAt: at });
    tables.appendAudit({ at, actor: by.actor, surface: by.surface, action: 'peer.revoked', object: key, digest: null, detail: '{}' });
    return together(this.#ends.map((end) => end(tables, key)));
  }
}

function together(...effects: readonly (readonly (() => void)[])[]): () => void {
  return () => effects.flat().forEach((effect) => effect());
}

/** Merges into the row of a pinned peer; nothing happens where there is none. */
export function mergeStored(tables: Tables, key: KeyHex, change: Partial<PeerRow>): void {
  const stored = tables.peer(key);
  if (stored !== undefined) tables.putPeer({ ...stored, ...change });
}
