// The numbers that bound the ledger of tasks, with what happens beyond each. Values only.

/**
 * How often what has passed of the deadlines is written down, so that a crash and a jump of the
 * wall clock lose at most this.
 */
export const ELAPSED_CHECKPOINT_INTERVAL_MS = 30_000;
/**
 * How long after its deadline a delegation that another hub accepted may still be reported: as long
 * as that hub's outbox lives.
 */
export const LATE_RESULT_GRACE_MS = 86_400_000;
/**
 * For so long ids are remembered that may not come again: of queries and notifications, and of
 * requests that were cancelled before they came.
 */
export const RECENT_ID_WINDOW_MS = 600_000;
/** Of either, over all peers, how many are remembered; beyond it the oldest is forgotten. */
export const RECENT_IDS_MAX = 10_000;
/** An Idempotency-Key answers the same for this long. */
export const IDEMPOTENCY_WINDOW_MS = 86_400_000;
/** Of how many agents the name and the end are known; beyond it the oldest is forgotten. */
export const GENERATIONS_MAX = 1_000;
/** Longest title of a conversation; cut beyond. */
export const TITLE_MAX_CHARACTERS = 120;

/**
 * How long after a confirmed restore a request is refused that was sent before it. Longer than any
 * hub sends a request again; no longer, for the sake of hubs whose clock is wrong.
 */
export const RESTORED_WINDOW_MS = 7 * 24 * 60 * 60_000;
