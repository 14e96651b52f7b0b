// What bounds a call of another program, with what happens beyond it. Values only.

/** Bytes of an answer that are read; a longer one counts as none. */
export const ANSWER_MAX_BYTES = 262_144;
/** Bytes of its head; at more the connection is closed. */
export const HEAD_MAX_BYTES = 8_192;
