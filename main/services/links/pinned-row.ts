// The row a pairing leaves: whom the key stands for from now on, and what was known of it before. Pure.
import type { PairedTrustState } from '../../../preload/contract/closed-lists.ts';
import type { IntroductionWay } from '../../../preload/contract/introduction.ts';
import type { Role } from '../../../preload/contract/role.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import type { HubAddress } from './hub-address.ts';
import type { LiveFacts } from './peer-view.ts';

/** `highestVersion` of a peer that speaks the reference profile: it has no hello, and so no versions. */
export const NO_VERSION = 0;

/** How the key came to be pinned, in our own words alone. */
export interface Introduction {
  readonly way: IntroductionWay;
  /** Whose word it was here, as the audit names it. */
  readonly by: string;
  readonly surface: string;
}

export interface Pin {
  readonly key: KeyHex;
  /** Used when the key has no name here yet; unique among peers. */
  readonly petname: string;
  /** The owner's word for whose it is, never the other side's; null keeps what the owner said before. */
  readonly person: string | null;
  readonly platform: string | null;
  /** What the hub called itself while pairing; outside text. */
  readonly advertisedName: string | null;
  /** The owner has just named it so: then this goes before a name that it has. */
  readonly isNamedAnew?: boolean;
  /** Where it is by the owner's word, given together with this. */
  readonly address?: HubAddress;
  /** Absent: nobody can say, and what was known of a pairing before this one is no answer. */
  readonly introduction?: Introduction;
}

/** What the owner may change of a pinned hub. */
export interface OwnerChange {
  readonly name?: string;
  readonly person?: string | null;
  readonly role?: Role | null;
  readonly trust?: PairedTrustState;
  readonly address?: { readonly host: string; readonly port: number } | null;
}

export interface KnownPlace {
  readonly fixed: HubAddress | undefined;
  readonly live: LiveFacts;
}

export function pinnedRow(pin: Pin, before: PeerRow | undefined, { fixed, live }: KnownPlace, nowWallMs: number): PeerRow {
  const { isNamedAnew = false, address = fixed, introduction, ...said } = pin;
  const isKnown = before !== undefined && before.trust !== 'revoked';
  const isNamed = isKnown && !isNamedAnew;
  return {
    ...said,
    person: pin.person ?? before?.person ?? null,
    // What it may here was the owner's word for the pairing that was ended: after another one it is asked anew.
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
    introducedWay: introduction?.way ?? null,
    introducedBy: introduction?.by ?? null,
    introducedSurface: introduction?.surface ?? null,
  };
}
