// The numbers that bound this room, with what happens beyond each. Values only.

/** Text of one feed item; cut with a mark beyond. */
export const FEED_TEXT_MAX_CHARACTERS = 4_000;
/** Entries of one conversation that are shown at once, the newest. */
export const CONVERSATION_ENTRIES_MAX = 500;
/**
 * Words of one entry of a conversation, as much as a message can hold; data has the bound of the
 * feed. Cut with a mark beyond.
 */
export const ENTRY_TEXT_MAX_CHARACTERS = 65_536;
/**
 * Words and fields of all entries of a conversation that are shown at once, and again of its tasks.
 * The newest have them first.
 */
export const CONVERSATION_TEXT_MAX_CHARACTERS = 1_000_000;
/** What an entry shows of itself where the newer ones have taken all of that. */
export const ENTRY_TEXT_MIN_CHARACTERS = 200;
