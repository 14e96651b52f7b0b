// The numbers that bound this room, with what happens beyond each. Values only.

/** Text of one feed item; cut with a mark beyond. */
export const FEED_TEXT_MAX_CHARACTERS = 4_000;
/** Conversations under one label that are named. */
export const LINKED_MAX = 20;
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
/**
 * A conversation with nothing open is archived this long after its last message. The next message
 * brings it back.
 */
export const ARCHIVED_AFTER_MS = 30 * 86_400_000;
/** How often it is looked whether the index is behind: what was said is found so much later. */
export const INDEX_LOOK_MS = 500;
/** Messages that one commit takes into the index: a few milliseconds. */
export const INDEX_MESSAGES = 4;
/** Between two of them, for everybody else. */
export const INDEX_PAUSE_MS = 5;
/** Words of one search; the others are refused. */
export const SEARCH_WORDS_MAX = 16;
/** A shorter word is found as a whole only: too many begin like it. */
export const BEGINNING_MIN_CHARACTERS = 3;
/** How long one search looks through messages; then it says from where to go on. */
export const SEARCH_BUDGET_MS = 40;
/** Messages or tasks of a conversation that are read at once. */
export const ROWS_AT_ONCE = 8;
/**
 * After so many turns of the event loop the walk through an agent's messages ends, some seconds
 * later. What is older stays unfound.
 */
export const AGENT_TURNS_MAX = 500;
/** Messages that are asked of the index at once. */
export const SEARCH_SEQS = 200;
/** Messages of one piece of an exported conversation: a few megabytes at the most. */
export const EXPORT_MESSAGES = 50;
/** How much of its message a hit shows: so much before the first word found, and so much in all. */
export const SNIPPET_BEFORE_CHARACTERS = 40;
export const SNIPPET_MAX_CHARACTERS = 160;
