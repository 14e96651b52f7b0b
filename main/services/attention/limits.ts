// Every number that bounds what disturbs a household, with what happens beyond it. Values only.

/**
 * Refusals of one hub (declined, or too many) within FLOOD_WINDOW_MS after which it may not notify
 * and muting it is offered.
 */
export const REFUSALS_BEFORE_MUTE_OFFER = 3;
/** Refusals older than this do not count; a flood that ended this long ago is forgotten. */
export const FLOOD_WINDOW_MS = 600_000;
/** The count of a flood is told to the pages at most this often, however fast it grows. */
export const FLOOD_NOTICE_INTERVAL_MS = 1_000;

/** Native notifications due per party: one in this time. */
export const ATTENTION_INTERVAL_MS = 60_000;
