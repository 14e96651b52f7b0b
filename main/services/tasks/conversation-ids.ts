// The conversation of a message. A party can only continue a conversation it is part of. The id of
// somebody else's conversation opens a new one, named after the message (PROTOCOL.md, Extensions,
// conversation/1).
import type { Reads } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';

/** An id that reads as one: it stands where no words of another hub may. */
const CONVERSATION_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** Messages of a conversation that are looked through for a party. */
const MESSAGES_LOOKED_AT_MAX = 200;

interface ConversationClaim {
  readonly party: PartyKey;
  readonly messageId: string;
  /** What the message names; null when it names none. */
  readonly conversationId: string | null;
}

export function conversationFor(reads: Reads, claim: ConversationClaim): string {
  const named = claim.conversationId ?? '';
  if (!CONVERSATION_ID.test(named)) return claim.messageId;
  const messages = reads.messages({ limit: MESSAGES_LOOKED_AT_MAX }, { conversationId: named });
  return messages.length === 0 || messages.some((message) => message.party === claim.party)
    ? named
    : claim.messageId;
}
