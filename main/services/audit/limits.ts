// What bounds the audit's signatures and checks. Every number says what it bounds. Owns no behaviour.

/** The longest that a new row stands unsigned while the hub runs, and the shortest time between two raises of the counter in the vault. */
export const SEAL_INTERVAL_MS = 60_000;

/** So many new rows are signed at once, without waiting for the interval. */
export const SEAL_ROWS_MAX = 1_000;

/** The longest pause before the vault is asked again to take a count that it refused; the first is the interval, and each is twice the last. */
export const COUNT_PAUSE_MAX_MS = 3_600_000;

/** Rows checked in one turn of the event loop: a few milliseconds. */
export const WALK_ROWS_MAX = 500;

/** Signatures checked in one turn. */
export const WALK_SEALS_MAX = 50;

/** The longest that a stopping hub waits for the vault to take the last count; a count that is behind by one loses nothing. */
export const STOP_COUNT_MAX_MS = 2_000;

/** Rows in one piece of an export. */
export const EXPORT_ROWS_MAX = 200;
