// What `axon` says of how a hub stands, in a cell of a table and at the head of its page. Pure.
import type { PeerDto } from '../../preload/contract/dto.ts';

/** Known, and paired with nobody here. */
export const isStranger = ({ trust }: PeerDto): boolean => trust === 'discovered' || trust === 'quarantined';

/** Of a hub that is not paired no line is kept: only how it was found is known, and when. */
export function stateOf({ online, trust, how_found: found, key_change: change, not_trusted_there: isShut, lookalike }: PeerDto): string {
  if (change?.kept_at === null) return 'STOP: new identity';
  if (trust === 'paired') return online ? 'online' : isShut ? 'does not let this hub in' : 'away';
  if (trust === 'suspended') return 'shut out';
  if (lookalike !== null) return `STOP: not ${lookalike}`;
  return found === 'home_network' ? 'near by' : found === 'incoming' ? 'called here' : 'known by its address';
}

export function trustOf(peer: PeerDto): string {
  return isStranger(peer) ? 'not paired' : peer.trust;
}
