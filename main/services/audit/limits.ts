// What bounds the audit log's signatures and checks. Every number says what it bounds. Owns no
// behaviour.

/** The longest that a row stands unsigned. */
export const SIGN_INTERVAL_MS = 60_000;

/** How long a row of a person's act may stay unsigned; what comes meanwhile is signed with it. */
export const SIGN_SOON_MS = 1_000;

/** So many new rows are signed at once, without waiting for the interval. */
export const SIGN_ROWS_MAX = 1_000;

/**
 * How often the vault's counter is raised at most: a call of the keychain is some ms of another
 * thread.
 */
export const COUNT_PAUSE_MS = 5_000;

/**
 * The first pause before the vault is asked again to take a count that it refused; each is twice
 * the last.
 */
export const REFUSED_PAUSE_MIN_MS = 60_000;

/** The longest of those pauses. */
export const REFUSED_PAUSE_MAX_MS = 3_600_000;

/** Rows checked in one turn of the event loop: a few milliseconds. */
export const WALK_ROWS_MAX = 500;

/** Signatures read at once, and checked in one turn. */
export const WALK_SIGNATURES_MAX = 50;

/**
 * The longest that a stopping hub waits for the vault to take the last count; a count that is
 * behind by one loses nothing.
 */
export const STOP_COUNT_MAX_MS = 2_000;

/** Rows in one piece of an export. */
export const EXPORT_ROWS_MAX = 200;
