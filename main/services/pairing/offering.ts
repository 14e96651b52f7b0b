// The initiator's first step: connect to the hub that a person chose and offer, again and again, until the other side takes the offer or the
// pairing is over. It says how far that came and sends that one step, nothing else (PROTOCOL.md, Pairing).
import type { PairingRequestState } from '../../../preload/contract/pairing-dto.ts';
import { invitationId } from '../../protocol/invitation.ts';
import { newOffer } from '../../protocol/pairing.ts';
import type { IdentityService } from '../identity.ts';
import type { RoundTrouble } from '../links/dialler.ts';
import { writeHubAddress } from '../links/hub-address.ts';
import type { OpenLines } from '../links/open-lines.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import { OFFER_AGAIN_AFTER_MS, REACH_WITHIN_MS } from './limits.ts';
import { keyBytes, type PairingSession } from './pairing-session.ts';

export interface OfferingDeps {
  readonly lines: Pick<OpenLines, 'open' | 'request'>;
  readonly identity: Pick<IdentityService, 'keyHex'>;
  readonly directory: Pick<PeerDirectory, 'live' | 'staticHub'>;
  /** The request came so far. */
  readonly cameTo: (request: PairingRequestState) => void;
  /** Waits, or until the session has ended. */
  readonly pause: (delayMs: number) => Promise<void>;
}

/** Answers of a hub that is busy, closed to pairing, or hard to reach just now: worth another try. */
const WORTH_ANOTHER: readonly string[] = ['not_authorized', 'overloaded', 'rate_limited', 'timeout', 'peer_unreachable'];

const NO_INVITATION = 'The invitation does not hold there any more: it was used, is over or was taken back. Ask for a new one.';

/** Resolves once the offer was taken or the session is over; with a sentence when it will never be taken. */
export async function offerUntilTaken(session: PairingSession, deps: OfferingDeps): Promise<string | undefined> {
  const { lines, identity, directory, cameTo, pause } = deps;
  const { pid, ownMeta, ownNonce, peerKey, ended, invitation } = session;
  const invite = invitation === null ? undefined : invitationId(invitation.secret);
  const offer = newOffer({ pid, key: keyBytes(identity.keyHex), meta: ownMeta, nonce: ownNonce }, invite);
  session.commit = offer.commit;
  while (session.state === 'waiting_for_answer') {
    const opened = await openAt(session, lines);
    if (session.isOver) return undefined;
    if (!opened.ok) return notReached(opened.error, directory.staticHub(peerKey)?.host);
    const { host, port } = directory.live(peerKey);
    session.peerAddress = host === null || port === null ? null : { host, port };
    const answered = await lines.request(peerKey, 'pair', offer.payload, ended.signal);
    if (session.isOver) return undefined;
    if (answered.ok) {
      cameTo('taken');
      return undefined;
    }
    const { code } = answered.error;
    if (!WORTH_ANOTHER.includes(code)) return invitation === null ? 'The other hub did not take the request to pair.' : NO_INVITATION;
    if (code === 'not_authorized') cameTo('closed');
    else if (code === 'overloaded') cameTo('busy');
    await pause(OFFER_AGAIN_AFTER_MS);
  }
  return undefined;
}

/** One place after the other, where an invitation names some; what else is known of the hub is tried with each. */
async function openAt({ peerKey, ended, places }: PairingSession, lines: Pick<OpenLines, 'open'>): ReturnType<OpenLines['open']> {
  const [first, ...others] = places;
  const withinMs = REACH_WITHIN_MS / Math.max(1, places.length);
  let opened = await lines.open(peerKey, ended.signal, first, withinMs);
  for (const place of others) {
    if (opened.ok || ended.signal.aborted) break;
    opened = await lines.open(peerKey, ended.signal, place, withinMs);
  }
  return opened;
}

/** What a person can look at. @param host as the owner typed it, if the hub was named by its address */
function notReached({ why, sentence, tried }: RoundTrouble, host: string | undefined): string {
  const places = tried.map(writeHubAddress).join(' or ');
  switch (why) {
    case 'no-address':
      return host === undefined ? sentence : `No computer is known as "${host}". Check the address.`;
    case 'silent': {
      const check = host === undefined ? '' : ', that this address and port are the ones its Settings show';
      return `No hub answers at ${places}. Check that it is running there${check}, and that its firewall lets that UDP port in.`;
    }
    case 'wrong-key':
      return `Another hub answers at ${places}: it has a different key. Take the address and the key from Settings of the hub you mean.`;
    default:
      return sentence;
  }
}
