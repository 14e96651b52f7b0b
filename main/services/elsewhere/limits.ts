// The numbers that bound this room, with what happens beyond each. Values only.

/** Agents of elsewhere that this hub calls; the next is `overloaded`. */
export const A2A_AGENTS_MAX = 16;
/** A call that took longer is given up, whatever came of it. */
export const CALL_MAX_MS = 30_000;
/** So long a hub that stops waits for the answer to what it has just sent. */
export const STOP_GRACE_MS = 2_000;
/** Items of one agent that are under way at once; the others wait in its inbox. */
export const ITEMS_AT_ONCE = 4;
/** Waits between looks at a card that cannot be read. */
export const CARD_BACKOFF = { firstMs: 2_000, maxMs: 300_000, jitter: 0.3 } as const;
/** Waits between looks at a task there. */
export const TASK_BACKOFF = { firstMs: 500, maxMs: 15_000, jitter: 0.3 } as const;
/** Characters of an answer that are passed on; what is longer is cut, and says so. */
export const ANSWER_MAX_CHARACTERS = 40_000;
/** Of what it says went wrong. */
export const ERROR_MAX_CHARACTERS = 4_000;
/** Bytes of an answer that did not fit into a message between hubs; cut to them, it does. */
export const ANSWER_FITS_BYTES = 55_000;
/** Characters of what it says meanwhile; what is longer is cut. */
export const PROGRESS_MAX_CHARACTERS = 1_000;
/** Characters of a name and of a description on a card; what is longer is cut. */
export const NAME_MAX_CHARACTERS = 64;
export const DESCRIPTION_MAX_CHARACTERS = 500;
/** Skills of a card that are shown. */
export const SKILLS_SHOWN_MAX = 20;
/** Bounds of the JSON of an answer; what is beyond them cannot be read. */
export const JSON_BOUNDS = {
  sizeMaxBytes: 262_144,
  depthMax: 32,
  nodesMax: 8_192,
  keysPerObjectMax: 256,
} as const;
