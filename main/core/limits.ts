// The limits of what the core decides, one sentence each: what it bounds, and what happens beyond
// it.

/**
 * The longest pause, mute or snooze. A later end is refused; an end that is further off by now
 * counts as over.
 */
export const DO_NOT_DISTURB_MAX_MS = 31 * 86_400_000;
/**
 * So far may a wall clock go back, as a time server sets it, before what began later than now
 * counts as over.
 */
export const CLOCK_SET_BACK_MAX_MS = 60_000;
/** A domain; a longer one is no domain and matches nothing. */
export const DOMAIN_MAX_CHARACTERS = 64;
/**
 * A name another hub or agent gives itself, in characters as people count them; a longer one is
 * hidden.
 */
export const NAME_MAX_GRAPHEMES = 32;
/** Names and domains listed in the sentence of a refused route; the rest is left out. */
export const ROUTE_HINTS_MAX = 20;
/**
 * The canonical text of an approval, in bytes. Escaping makes one byte of a message eight at most,
 * and the text stands in it twice, so no message that was accepted can come near.
 */
export const APPROVAL_VIEW_SIZE_MAX_BYTES = 2_097_152;
