// The initiator's first step: connect to the hub that a person chose and offer, again and again, until the other side takes the offer or the
// pairing is over. It sends that one step and nothing else (PROTOCOL.md, Pairing).
import { newOffer } from '../../protocol/pairing.ts';
import type { IdentityService } from '../identity.ts';
import type { OpenLines } from '../links/open-lines.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import { OFFER_AGAIN_AFTER_MS } from './limits.ts';
import { keyBytes, type PairingSession } from './pairing-session.ts';

export interface OfferingDeps {
  readonly lines: Pick<OpenLines, 'open' | 'request'>;
  readonly identity: Pick<IdentityService, 'keyHex'>;
  readonly directory: Pick<PeerDirectory, 'live'>;
  /** Waits, or until the session has ended. */
  readonly pause: (delayMs: number) => Promise<void>;
}

/** Answers of a hub that is busy, closed to pairing, or hard to reach just now: worth another try. */
const WORTH_ANOTHER: readonly string[] = ['not_authorized', 'overloaded', 'rate_limited', 'timeout', 'peer_unreachable'];

/** Resolves once the offer was taken or the session is over; with a sentence when it will never be taken. */
export async function offerUntilTaken(session: PairingSession, deps: OfferingDeps): Promise<string | undefined> {
  const { lines, identity, directory, pause } = deps;
  const { pid, ownMeta, ownNonce, peerKey, ended } = session;
  const offer = newOffer({ pid, key: keyBytes(identity.keyHex), meta: ownMeta, nonce: ownNonce });
  session.commit = offer.commit;
  while (session.state === 'waiting_for_answer') {
    const opened = await lines.open(peerKey, ended.signal);
    if (session.isOver) return undefined;
    if (!opened.ok) return opened.error.message;
    const { host, port } = directory.live(peerKey);
    session.peerAddress = host === null || port === null ? null : { host, port };
    const answered = await lines.request(peerKey, 'pair', offer.payload, ended.signal);
    if (answered.ok || session.isOver) return undefined;
    if (!WORTH_ANOTHER.includes(answered.error.code)) return 'The other hub did not take the request to pair.';
    await pause(OFFER_AGAIN_AFTER_MS);
  }
  return undefined;
}
