// What bounds a call of a webhook, with what happens beyond each. Values only.

/** A call that took longer is given up, whatever came of it. */
export const CALL_MAX_MS = 5_000;
/** Bytes of an answer that are read, and of its head; at more the connection is closed. */
export const ANSWER_MAX_BYTES = 4_096;
