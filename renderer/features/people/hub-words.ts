// How a hub is spoken of: its state in a few words, and which hubs stand where. Pure.
import type { HubDto, PeerDto } from '../../../preload/contract/dto.ts';
import { ROLES, type Role } from '../../../preload/contract/role.ts';
import type { PairingDto } from '../../../preload/contract/pairing-dto.ts';
import { ago, dateLong, dayName, timeOfDay } from '../../app/format.ts';
import { words } from '../../app/words.ts';

const { people } = words;

export const isHousehold = (peer: PeerDto): boolean =>
  peer.trust === 'paired' || peer.trust === 'suspended';
export const isNearby = (peer: PeerDto): boolean =>
  peer.trust === 'discovered' || peer.trust === 'quarantined';
/** This hub finds none by itself just now. */
export const isBlind = ({ discovery_status: { state } }: HubDto): boolean =>
  state === 'unusable' || state === 'off';
/**
 * Trusted here, but not (yet) over there: nothing passes until somebody adds this hub at the other
 * side.
 */
export const isRefusedThere = (peer: PeerDto): boolean =>
  peer.trust === 'paired' && peer.not_trusted_there;
/**
 * In another home, as far as this hub can tell: at an address outside its networks, and not of the
 * household by the owner's word.
 */
export const isFar = ({ how_found, same_network, role }: PeerDto): boolean =>
  how_found === 'static' && !same_network && (role === null || role === 'guest');
/**
 * A failed pairing leads on by asking once more; one that came by an invitation needs a new
 * invitation.
 */
export const mayAskAgain = ({ role, invited }: Pick<PairingDto, 'role' | 'invited'>): boolean =>
  role === 'initiator' && !invited;

/** "3 ms", "off since Thursday", "suspended", "refuses this hub". */
export function stateWords(peer: PeerDto, now: number): string {
  if (peer.trust === 'suspended') return people.asleep;
  if (isRefusedThere(peer)) return people.shutThere;
  if (peer.online)
    return peer.round_trip_ms === null
      ? people.onlineWord
      : words.common.milliseconds(peer.round_trip_ms);
  if (peer.last_seen_at === null) return people.neverSeen;
  const day = dayName(peer.last_seen_at, now);
  return people.offSince(
    day === words.common.today
      ? timeOfDay(peer.last_seen_at)
      : day === words.common.yesterday
        ? day.toLowerCase()
        : day,
  );
}

/**
 * Of a hub that nobody here has added: "here now", or when it was heard last. Empty when it was
 * never heard.
 */
export function seenWords(peer: PeerDto, now: number): string {
  // It is announced on this network, or has called here and is on the line: it would not be listed
  // otherwise.
  if (peer.how_found === 'home_network' || peer.how_found === 'incoming') return people.hereNow;
  return peer.last_seen_at === null ? '' : people.seen(ago(peer.last_seen_at, now));
}

/** Who is behind a hub of the household, and what it runs where that is not AXON Hub. */
export function personWords(peer: PeerDto): string {
  const who = whoseWords(peer) ?? people.noPerson;
  return peer.profile === 'reference' ? `${people.daemon}, ${who}` : who;
}

/** The person and the role in the household, as far as anybody has said; null: nobody has. */
export function whoseWords({ person, role }: Pick<PeerDto, 'person' | 'role'>): string | null {
  const said = [person, role === null ? null : people.role.facts[role]].filter(
    (part) => part !== null,
  );
  return said.length === 0 ? null : said.join(', ');
}

/**
 * When and how it came to be paired, in one sentence of our own words; null for a hub that was not.
 */
export function pairedWords({ introduced_by: introduction }: PeerDto): string | null {
  return introduction === null ? null : people.paired(dateLong(introduction.at), introduction);
}

/** What a hub can be in the household; "" where nobody says. */
export const roleOptions: readonly (readonly [Role | '', string])[] = [
  ['', people.role.none],
  ...ROLES.map((one) => [one, people.role.names[one]] as const),
];

/** A system by the name people know; what is not known stands as it was said. */
export function platformName(platform: string | null): string | null {
  if (platform === null) return null;
  const { platforms } = words.common;
  return Object.hasOwn(platforms, platform) ? (platforms[platform] ?? platform) : platform;
}

/** For a hub nobody here has named: what it is, in our words. */
export function unnamedHub(peer: PeerDto): string {
  if (peer.how_found === 'incoming') return people.unknownIncoming;
  return peer.how_found === 'static' ? people.unknownStatic : people.unknownHub;
}

/**
 * What it said its agents are, outside text; its own name for its one agent where it listed none.
 */
export function agentNames(peer: PeerDto): readonly string[] {
  const listed = peer.capabilities?.untrusted.agents.map((agent) => agent.display_name) ?? [];
  if (listed.length > 0) return listed;
  const one = peer.capabilities?.untrusted.agent_name;
  return one === null || one === undefined ? [] : [one];
}
