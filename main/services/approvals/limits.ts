// The numbers that bound what waits for people, with what happens beyond each. Values only.

/**
 * Requests of one party, queries and delegations together, that may wait for a person; then
 * `overloaded`.
 */
export const PENDING_PER_PARTY_MAX = 5;
/** Requests of everybody that may wait for a person; the next is answered `overloaded`. */
export const PENDING_TOTAL_MAX = 50;
/**
 * The hub checks at least this often whether a hold is over, so that a clock that was set keeps
 * nothing held.
 */
export const HOLDS_LOOK_INTERVAL_MS = 60_000;
/** The next check after one that failed, as on a full disk. */
export const HOLDS_RETRY_MS = 5_000;
