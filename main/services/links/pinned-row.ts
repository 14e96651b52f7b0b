// The row of a pinned peer: what a pairing writes, and each later change in one commit, with its
// audit and with what must end when the hub is no longer trusted. Never decides whether a change is
// allowed.
import type { PairedTrustState, Surface } from '../../../preload/contract/closed-lists.ts';
import type { IntroductionWay } from '../../../preload/contract/introduction.ts';
import type { Role } from '../../../preload/contract/role.ts';
import type { PeerRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import type { After } from '../base/unit-of-work.ts';
import type { HubAddress } from './hub-address.ts';
import type { LiveFacts } from './peer-view.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

/**
 * `highestVersion` of a peer that speaks the reference profile: it has no hello, and so no
 * versions.
 */
export const NO_VERSION = 0;

/** How the key came to be pinned, in our own words alone. */
interface Introduction {
  readonly way: IntroductionWay;
  /** Whose word it was here, as the audit names it. */
  readonly by: string;
  readonly surface: Surface;
}

export interface Pin {
  readonly key: KeyHex;
  /** Used when the key has no name here yet; unique among peers. */
  readonly petname: string;
  /**
   * The owner's word for whose it is, which goes before the other side's; null keeps what the
   * owner said before.
   */
  readonly person: string | null;
  /** What the hub said of that while pairing, made fit to be shown; kept until the owner says. */
  readonly saidPerson?: string | null;
  readonly platform: string | null;
  /** What the hub called itself while pairing; outside text. */
  readonly advertisedName: string | null;
  /** The owner has just named it so: then this goes before a name that it has. */
  readonly isNamedAnew?: boolean;
  /** Where it is by the owner's word, given together with this. */
  readonly address?: HubAddress;
  readonly introduction: Introduction;
}

/** What the owner may change of a pinned hub. */
export interface OwnerChange {
  readonly name?: string;
  readonly person?: string | null;
  readonly role?: Role | null;
  readonly trust?: PairedTrustState;
  readonly address?: { readonly host: string; readonly port: number } | null;
}

interface KnownPlace {
  readonly fixed: HubAddress | undefined;
  readonly live: LiveFacts;
}

export function pinnedRow(
  pin: Pin,
  before: PeerRow | undefined,
  { fixed, live }: KnownPlace,
  nowWallMs: number,
): PeerRow {
  const { isNamedAnew = false, address = fixed, introduction, saidPerson = null, ...said } = pin;
  const isKnown = before !== undefined && before.trust !== 'revoked';
  const isNamed = isKnown && !isNamedAnew;
  return {
    ...said,
    person: pin.person ?? before?.person ?? saidPerson,
    // What it may here was the owner's word for the pairing that was ended: after another one it is
    // asked anew.
    role: isKnown ? before.role : null,
    petname: isNamed ? before.petname : pin.petname,
    agentId: agentIdOfKeyHex(pin.key),
    trust: 'paired',
    features: before?.features ?? [],
    extensions: before?.extensions ?? [],
    highestVersion: isKnown ? before.highestVersion : Math.max(1, before?.highestVersion ?? 1),
    staticHost: address?.host ?? before?.staticHost ?? null,
    staticPort: address?.port ?? before?.staticPort ?? null,
    lastHost: live.host ?? before?.lastHost ?? null,
    lastPort: live.port ?? before?.lastPort ?? null,
    lastSeenAt: live.connected ? nowWallMs : (before?.lastSeenAt ?? null),
    capabilities: before?.capabilities ?? null,
    capabilitiesAt: before?.capabilitiesAt ?? null,
    pairedAt: nowWallMs,
    revokedAt: null,
    introducedWay: introduction.way,
    introducedBy: introduction.by,
    introducedSurface: introduction.surface,
  };
}

/** Ends, inside the commit, what hangs on the trust in a key. */
type TrustEnding = (tables: Tables, after: After, key: KeyHex) => void;

export class StoredPeers {
  readonly #trustEndings: TrustEnding[] = [];
  readonly #adultEndings: TrustEnding[] = [];

  /** Called inside each commit that suspends or revokes a hub, so that no crash comes between. */
  onTrustEnding(end: TrustEnding): void {
    this.#trustEndings.push(end);
  }

  /** Called inside each commit in which a hub stops being an adult's. */
  onAdultEnding(end: TrustEnding): void {
    this.#adultEndings.push(end);
  }

  /** The owner's change; nothing happens to a tombstone. */
  change(
    tables: Tables,
    after: After,
    key: KeyHex,
    patch: Partial<PeerRow>,
    said: OwnerChange,
    by: Actor,
    at: number,
  ): void {
    const stored = tables.peer(key);
    if (stored === undefined || stored.trust === 'revoked') return;
    tables.putPeer({ ...stored, ...patch });
    const action =
      said.trust === undefined || said.trust === stored.trust
        ? 'peer.changed'
        : `peer.${said.trust === 'paired' ? 'resumed' : 'suspended'}`;
    const { role } = said;
    const detail = { changed: Object.keys(said), ...(role === undefined ? {} : { role }) };
    tables.appendAudit(auditRow(at, { ...by, action, object: key, detail }));
    const isAdultNoMore = role !== undefined && role !== 'adult' && stored.role === 'adult';
    if (isAdultNoMore) for (const end of this.#adultEndings) end(tables, after, key);
    if (said.trust === 'suspended') for (const end of this.#trustEndings) end(tables, after, key);
  }

  /** The hub becomes a tombstone. */
  revoke(tables: Tables, after: After, key: KeyHex, by: Actor, at: number): void {
    const stored = tables.peer(key);
    if (stored !== undefined) tables.putPeer({ ...stored, trust: 'revoked', revokedAt: at });
    tables.appendAudit(auditRow(at, { ...by, action: 'peer.revoked', object: key }));
    for (const end of this.#trustEndings) end(tables, after, key);
  }
}

/** Merges into the row of a pinned peer; nothing happens where there is none. */
export function mergeStored(tables: Tables, key: KeyHex, change: Partial<PeerRow>): void {
  const stored = tables.peer(key);
  if (stored !== undefined) tables.putPeer({ ...stored, ...change });
}
