// The conversation of a message. A party can only continue a conversation it is part of. With the
// id of somebody else's it has one of its own, under the same label (PROTOCOL.md, Extensions,
// conversation/1).
import type { Reads } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';

/** An id that reads as one: it stands where no words of another hub may. */
const CONVERSATION_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** Messages of a conversation that are looked through for a party. */
const MESSAGES_LOOKED_AT_MAX = 200;
/** Of a key, beside an id that is taken. */
const PARTY_CHARACTERS = 16;

interface ConversationClaim {
  readonly party: PartyKey;
  readonly messageId: string;
  /** What the message names; null when it names none. */
  readonly conversationId: string | null;
}

export function conversationFor(reads: Reads, claim: ConversationClaim): string {
  const named = claim.conversationId ?? '';
  if (CONVERSATION_ID.test(named)) {
    if (mayContinue(reads, named, claim)) return named;
    const own = `${named}:${tagOf(claim.party)}`;
    if (CONVERSATION_ID.test(own) && mayContinue(reads, own, claim)) return own;
  }
  // The sender chose that, too.
  if (mayContinue(reads, claim.messageId, claim)) return claim.messageId;
  return `${claim.messageId}:${tagOf(claim.party)}`;
}

/** The id that this party chose for it, which others may have chosen as well. */
export function labelOf(conversationId: string, party: PartyKey): string {
  const own = `:${tagOf(party)}`;
  return conversationId.endsWith(own) ? conversationId.slice(0, -own.length) : conversationId;
}

function tagOf(party: PartyKey): string {
  return party.replace(/[^A-Za-z0-9]/g, '').slice(0, PARTY_CHARACTERS);
}

/** It is new, or this party has a part in it. What was said there may have been removed since. */
function mayContinue(reads: Reads, id: string, { party }: ConversationClaim): boolean {
  return reads.isPartOf(id, party, MESSAGES_LOOKED_AT_MAX) !== false;
}
