// Whose questions of consent have places, a rate and a day's bytes of their own, and are heard however many of them are declined: those of a hub
// that the people here call a child's, which asks what it is set to ask. From every other hub such a question is a request like any, so that
// nobody gets more room by calling what it wants a question. Pure (PROTOCOL.md, Consent, Pace).
import type { PartyKey, PeerRow, Reads } from '../../ports/store.ts';

/** Whether that hub is a child's, by the word of the people here. */
export function isChilds(peer: Pick<PeerRow, 'role'> | undefined): boolean {
  return peer?.role === 'child';
}

/** The same, as it is in this commit or this moment. */
export function isChildsHub(reads: Pick<Reads, 'peer'>, party: PartyKey): boolean {
  return isChilds(reads.peer(party));
}
