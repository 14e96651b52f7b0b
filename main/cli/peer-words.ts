// What `axon` says of how a hub stands, in a cell of a table and at the head of its page. Pure.
import type { PeerDto } from '../../preload/contract/dto.ts';

/** Known, and paired with nobody here. */
export const isUnpaired = ({ trust }: PeerDto): boolean =>
  trust === 'discovered' || trust === 'quarantined';

/** Of a hub that is not paired no line is kept: only how it was found is known, and when. */
export function stateOf({
  online,
  trust,
  how_found: found,
  key_change: change,
  not_trusted_there: isShut,
  lookalike,
}: PeerDto): string {
  if (change?.kept_at === null) return 'STOP: new identity';
  if (trust === 'paired') return isShut ? 'refuses this hub' : online ? 'online' : 'away';
  if (trust === 'suspended') return 'suspended';
  if (lookalike !== null) return `STOP: not ${lookalike}`;
  return found === 'home_network'
    ? 'nearby'
    : found === 'incoming'
      ? 'connected to this hub'
      : 'known by its address';
}

export function trustOf(peer: PeerDto): string {
  return isUnpaired(peer) ? 'not paired' : peer.trust;
}
