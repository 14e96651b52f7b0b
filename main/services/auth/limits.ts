// Every number that bounds who may call and for how long, with what happens beyond it.

/** A page's session ends this long after the login, whatever it does; then it logs in again. */
export const UI_SESSION_MAX_MS = 12 * 60 * 60_000;
/** A page's session that asks for nothing this long has ended. */
export const UI_SESSION_IDLE_MAX_MS = 30 * 60_000;
/**
 * A token got with the owner passphrase ends after this: one command at a terminal, not a session.
 */
export const OWNER_TOKEN_MAX_MS = 5 * 60_000;
/**
 * Sessions (page and owner tokens) alive at once; a login beyond them ends the one that was used
 * longest ago.
 */
export const SESSIONS_MAX = 32;
/** The last use of a token is written down at most this often. */
export const LAST_USED_WRITE_INTERVAL_MS = 60_000;

/** A login code ends after this; then a new one is needed. */
export const LOGIN_CODE_MAX_MS = 90_000;
/** After this many wrong tries at one code it is void. */
export const LOGIN_CODE_FAILURES_MAX = 5;
/** Login codes out at once; a further one makes the oldest void. */
export const LOGIN_CODES_MAX = 8;

/** Passphrase tries that may wait in one line; one more is refused with a time to come back. */
export const PASSPHRASE_TRIES_WAITING_MAX = 8;
/**
 * A wrong passphrase holds the next try this long: at most one guess a second in each of the lines,
 * by everybody in it together.
 */
export const PASSPHRASE_FAILURE_DELAY_MS = 1_000;
/** After so many wrong ones in a row a line stays closed for longer, doubling each time. */
export const PASSPHRASE_FAILURES_FREE = 5;
/**
 * No line stays closed for longer than this, ms: short where any program could close it to others,
 * and none at all for the owner's own.
 */
export const PASSPHRASE_BACK_OFF_MAX_MS = { owner: 0, page: 60_000, anyone: 10_000 } as const;
/** scrypt's cost: about 0.1 s and 32 MiB for one try on a small machine. */
export const PASSPHRASE_SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;
