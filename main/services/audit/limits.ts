// What bounds the audit's signatures and checks. Every number says what it bounds. Owns no behaviour.

/** The longest that a row of what nobody here did in person stands unsigned, and how often the vault's count is raised for it at most. */
export const SEAL_INTERVAL_MS = 60_000;

/** The longest that a row of what a person did stands unsigned; what comes meanwhile is signed with it. */
export const SEAL_SOON_MS = 1_000;

/** How often the vault's count is raised for what people did at most: a call of the keychain is some ms of another thread. */
export const COUNT_SOON_MS = 5_000;

/** So many new rows are signed at once, without waiting for the interval. */
export const SEAL_ROWS_MAX = 1_000;

/** The first pause before the vault is asked again to take a count that it refused; each is twice the last. */
export const COUNT_PAUSE_MIN_MS = 60_000;

/** The longest of those pauses. */
export const COUNT_PAUSE_MAX_MS = 3_600_000;

/** How often the owner's word is tried again because a row of the hub came in between its look at the record and the signature. */
export const CONFIRM_COMMITS_MAX = 16;

/** How often a stopping hub signs what was written behind meanwhile, before it ends all the same. */
export const STOP_SEALS_MAX = 5;

/** Unsigned rows that are remembered one by one; where more wait, a change among the older ones shows, but not at which row. */
export const WRITTEN_ROWS_MAX = 4_096;

/** Ranges of rows that another program added are remembered and put on record; rows beyond are counted. */
export const ADDED_RANGES_MAX = 64;

/** Places that do not fit are remembered and put on record, and a check ends at so many that nobody has meant: it is worth little then. */
export const FLAWS_MAX = 32;

/** Rows, and signatures, below the numbers that a hub gives that are looked at byte by byte, and as many above; more are counted. */
export const OUTSIDE_MAX = 200;

/** Ranges of added rows that a sentence names; rows beyond are counted. */
export const ADDED_SAID_MAX = 16;

/** Rows checked in one turn of the event loop: a few milliseconds. */
export const WALK_ROWS_MAX = 500;

/** Signatures checked in one turn. */
export const WALK_SEALS_MAX = 50;

/** The longest that a stopping hub waits for the vault to take the last count; a count that is behind by one loses nothing. */
export const STOP_COUNT_MAX_MS = 2_000;

/** Rows in one piece of an export. */
export const EXPORT_ROWS_MAX = 200;
