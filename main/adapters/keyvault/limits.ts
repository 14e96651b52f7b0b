// What bounds the vaults. Owns no behaviour.

/**
 * The longest one call of the keychain is waited for, a person typing its password included; beyond
 * it the vault answers `locked`.
 */
export const KEYCHAIN_TIMEOUT_MS = 30_000;

/**
 * A seed file is 44 characters and perhaps a line end; a longer one is not read and counts as
 * damaged.
 */
export const SEED_FILE_SIZE_MAX_BYTES = 128;

/**
 * The rollback counter's file holds one short line; a longer one is not read and counts as damaged.
 */
export const COUNTER_FILE_SIZE_MAX_BYTES = 128;

/**
 * Calls of the keychain that may be open at once. A second one is begun only when the first has
 * outlived the time limit, because a keychain that died under a prompt never answers; beyond it the
 * vault answers `locked`. Each open call holds one of four threads.
 */
export const KEYCHAIN_OPEN_CALLS_MAX = 2;
