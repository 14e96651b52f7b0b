// How a pairing begins on this side: with this hub's own key, what it says of itself, fresh chance and the time that is left. Sends and
// keeps nothing.
import type { Clock, Random } from '../../ports/clock.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { PAIRING_NONCE_BYTES } from '../../protocol/limits.ts';
import type { PairRole } from '../../protocol/pairing.ts';
import type { IdentityService } from '../identity.ts';
import type { HubProfile } from '../links/hub-profile.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import { PAIRING_DURATION_MS } from './limits.ts';
import { PairingSession, type RemovedHere, type SessionInvitation } from './pairing-session.ts';

export interface NewSessionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly identity: Pick<IdentityService, 'keyHex'>;
  readonly directory: Pick<PeerDirectory, 'petnames' | 'row'>;
  readonly profile: () => HubProfile;
}

/** What people here said of it beforehand. */
export interface SessionWishes {
  readonly wantedName: string | null;
  readonly invitation?: SessionInvitation | null;
}

export function newSession(deps: NewSessionDeps, role: PairRole, peerKey: KeyHex, pid: Uint8Array, wishes: SessionWishes): PairingSession {
  const { identity, random, clock, directory, profile } = deps;
  const { name, person, platform } = profile();
  return new PairingSession({
    id: random.uuid(),
    role,
    ownKey: identity.keyHex,
    peerKey,
    pid,
    ownMeta: { hub: name, platform, ...(person === null ? {} : { person }) },
    wantedName: wishes.wantedName,
    invitation: wishes.invitation ?? null,
    nonce: random.bytes(PAIRING_NONCE_BYTES),
    petnames: directory.petnames(peerKey),
    removed: removedOf(directory.row(peerKey)),
    expiresAt: clock.wallMs() + PAIRING_DURATION_MS,
    sinceMs: clock.monotonicMs(),
  });
}

function removedOf(row: PeerRow | undefined): RemovedHere | null {
  return row?.trust === 'revoked' ? { name: row.petname, at: row.revokedAt } : null;
}
