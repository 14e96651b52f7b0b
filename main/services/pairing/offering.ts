// The initiator's first step: connect to the hub that a person chose and offer, again and again,
// until the other side accepts the offer or the pairing is over. Reports its progress and sends
// that one step, nothing else (PROTOCOL.md, Pairing).
import type { PairingRequestState } from '../../../preload/contract/pairing-dto.ts';
import { invitationId } from '../../protocol/invitation.ts';
import { newOffer } from '../../protocol/pairing.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdentityService } from '../base/identity.ts';
import type { PlaceOutcome, RoundTrouble, TriedPlace } from '../links/dialler.ts';
import { type HubAddress, writeHubAddress } from '../links/hub-address.ts';
import type { UnpairedConnections } from '../links/unpaired-connections.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import { OFFER_AGAIN_AFTER_MS, REACH_WITHIN_MS } from './limits.ts';
import { keyBytes, type PairingSession } from './pairing-session.ts';

interface OfferingDeps {
  readonly clock: Clock;
  readonly connections: Pick<UnpairedConnections, 'open' | 'request'>;
  readonly identity: Pick<IdentityService, 'keyHex'>;
  readonly directory: Pick<PeerDirectory, 'live' | 'staticHub'>;
  /** The request came so far. */
  readonly cameTo: (request: PairingRequestState) => void;
}

/**
 * Answers of a hub that is busy, closed to pairing, or hard to reach just now: worth another try.
 */
const WORTH_ANOTHER: readonly string[] = [
  'not_authorized',
  'overloaded',
  'rate_limited',
  'timeout',
  'peer_unreachable',
];

const NO_INVITATION =
  'The invitation no longer works there: it was used, is over or was revoked. Ask for a new one.';

const LOCKED_THERE =
  'Pairing is closed at the other hub for some minutes, because too many pairings failed there. The invitation is not used up: bring it again after that, or ask for a new one.';

/**
 * Resolves once the offer was accepted or the session is over; with a sentence when it will never
 * be accepted.
 */
export async function offerUntilTaken(
  session: PairingSession,
  deps: OfferingDeps,
): Promise<string | undefined> {
  const { connections, identity, directory, cameTo, clock } = deps;
  const { pid, ownMeta, ownNonce, peerKey, ended, invitation } = session;
  const invite = invitation === null ? undefined : invitationId(invitation.secret);
  const offer = newOffer(
    { pid, key: keyBytes(identity.keyHex), meta: ownMeta, nonce: ownNonce },
    invite,
  );
  session.commit = offer.commit;
  while (session.state === 'waiting_for_answer') {
    const opened = await connections.open(peerKey, ended.signal, session.places, REACH_WITHIN_MS);
    if (session.isOver) return undefined;
    if (!opened.ok) return notReached(opened.error, directory.staticHub(peerKey) !== undefined);
    const { host, port } = directory.live(peerKey);
    session.peerAddress = host === null || port === null ? null : { host, port };
    const answered = await connections.request(peerKey, 'pair', offer.payload, ended.signal);
    if (session.isOver) return undefined;
    if (answered.ok) {
      cameTo('taken');
      return undefined;
    }
    const { code } = answered.error;
    if (!WORTH_ANOTHER.includes(code))
      return invitation === null
        ? 'The other hub did not take the request to pair.'
        : NO_INVITATION;
    if (code === 'rate_limited' && invitation !== null) return LOCKED_THERE;
    if (code === 'not_authorized') cameTo('closed');
    else if (code === 'overloaded') cameTo('busy');
    await pause(clock, OFFER_AGAIN_AFTER_MS, ended.signal);
  }
  return undefined;
}

/** Waits so long, or until the pairing has ended. */
function pause(clock: Clock, delayMs: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      timer.cancel();
      ended.removeEventListener('abort', stop);
      resolve();
    };
    const timer = clock.setTimer(delayMs, stop);
    ended.addEventListener('abort', stop, { once: true });
  });
}

/**
 * The outcome at each address, and what a person can check.
 * @param isByAddress the owner named the hub by its address
 */
function notReached({ sentence, tried }: RoundTrouble, isByAddress: boolean): string {
  const at = (outcome: PlaceOutcome): readonly TriedPlace[] =>
    tried.filter((place) => place.outcome === outcome);
  const said = [...at('refused'), ...at('busy')].map((place) =>
    tried.length === 1 ? place.sentence : `At ${writeHubAddress(place)}: ${place.sentence}`,
  );
  const [others, silent, unknown] = [at('wrong-key'), at('silent'), at('no-address')];
  if (others.length > 0) {
    const where = placesIn(others, 'and');
    said.push(
      `Another hub answers at ${where}: it has a different key. Take the address and the key from Settings of the hub you mean.`,
    );
  }
  if (silent.length > 0) {
    const check = isByAddress ? ', that this address and port are the ones its Settings show' : '';
    const where = placesIn(silent, 'or');
    said.push(
      `No hub answers at ${where}. Check that it is running there${check}, and that its firewall lets that UDP port in.`,
    );
  }
  for (const host of new Set(unknown.map((place) => place.host)))
    said.push(`No computer is known as "${host}". Check the address.`);
  return said.length === 0 ? sentence : said.join(' ');
}

function placesIn(places: readonly HubAddress[], joined: 'and' | 'or'): string {
  return places.map(writeHubAddress).join(` ${joined} `);
}
