// What bounds the store. Every number says what it bounds and what happens beyond it. Owns no
// behaviour.

/** Works in one commit; the next ones wait for the next turn of the event loop. */
export const BATCH_WORKS_MAX = 64;

/**
 * Of the works in one commit, one in so many is a record nobody waits for, while there is one:
 * promised works alone never starve them.
 */
export const BATCH_BEHIND_EVERY = 8;

/**
 * Time one commit's works may take before it is closed; the rest waits for the next turn. Bounds
 * the stall of the event loop.
 */
export const BATCH_DURATION_MAX_MS = 4;

/**
 * Works waiting for a commit; beyond it `write` refuses with `overloaded` and nothing is queued.
 */
export const WRITE_QUEUE_MAX = 10_000;

/** Records nobody waits for; beyond it the newest is dropped, counted and logged. */
export const WRITE_BEHIND_QUEUE_MAX = 10_000;

/** The longest that a record nobody waits for stays in memory only. */
export const WRITE_BEHIND_DELAY_MAX_MS = 50;

/**
 * How long a commit waits for another connection of this database; then it fails with
 * `storage_failed`.
 */
export const BUSY_TIMEOUT_MS = 2_000;

/** Page cache of the connection, in KiB: history beyond it is read from the disk. */
export const CACHE_SIZE_KIB = 8 * 1024;

/** The log file is cut back to this size after a checkpoint. */
export const WAL_SIZE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Lines of SQLite's own check that are looked through for damage; a database with as many is not
 * started with.
 */
export const DAMAGE_LINES_MAX = 10_000;

/** Rows one page may ask for; a larger limit is cut. */
export const PAGE_ROWS_MAX = 1_000;
/**
 * The longest text that is read from deflated bytes: several times the longest message, with every
 * letter of it escaped.
 */
export const LONG_TEXT_MAX_BYTES = 4 * 1024 * 1024;
/** Pages of the search index that one step of clearing writes: a few milliseconds. */
export const SEARCH_MERGE_PAGES = 8;
/**
 * A larger database is read through for damage only after a hub that did not stop in order: that
 * takes two seconds a gigabyte, and more on a slow disk. Its header, its schema and whether it can
 * be written are always looked at.
 */
export const READ_THROUGH_ALWAYS_MAX_BYTES = 200_000_000;
