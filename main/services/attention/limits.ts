// Every number that bounds what disturbs a household, with what happens beyond it. Values only.

/** Refusals of one hub (declined, or too many) within FLOOD_WINDOW_MS after which it makes no sound and muting it is offered. */
export const REFUSALS_BEFORE_MUTE_OFFER = 3;
/** Refusals older than this count for nothing; a flood that has been over for so long is forgotten. */
export const FLOOD_WINDOW_MS = 600_000;
/** The count of a flood is told to the pages at most this often, however fast it grows. */
export const FLOOD_TOLD_INTERVAL_MS = 1_000;
/** What has ended is looked for at least this often while something is put off, so that no jump of a clock leaves it so. */
export const CALM_LOOK_INTERVAL_MS = 60_000;
/** How long after a look that failed, as on a full disk, the next one follows. */
export const CALM_RETRY_MS = 5_000;
