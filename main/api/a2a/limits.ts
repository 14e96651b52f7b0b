// The numbers that bound the A2A door, with what happens beyond each. Values only.

/**
 * A client that waits for the end of its task is answered with the task as it is after this: HTTP
 * clients give up after five minutes without an answer.
 */
export const WAIT_MS_MAX = 240_000;
/** Parts of one message; beyond it the message does not fit. */
export const PARTS_MAX = 64;
/** Characters of the id of a message; beyond it the message does not fit. */
export const MESSAGE_ID_MAX = 256;
/** The newest tasks of a client that are looked through for those to list; older ones are not. */
export const LISTED_TASKS_MAX = 1_000;
/** A page of the list; A2A says how long it is, and how long at most. */
export const LIST_PAGE = 50;
export const LIST_PAGE_MAX = 100;
