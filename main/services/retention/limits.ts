// What bounds the removing of old words. Every number says what it bounds. Owns no behaviour.
import { KEEP_CHANGE_PAUSE_MINUTES } from '../../../preload/contract/limits.ts';

/** A hub that has just started has better things to do, and may not have been told the time yet. */
export const FIRST_PURGE_MS = 600_000;
/**
 * From one removal to the next, unless a person changes something in between. A removal that failed
 * waits as long.
 */
export const PURGE_INTERVAL_MS = 86_400_000;

/**
 * Nothing is removed so soon after a person changed how long words are kept: one slip of the hand
 * must not cost years of them.
 */
export const CHANGE_PAUSE_MS = KEEP_CHANGE_PAUSE_MINUTES * 60_000;

/**
 * What programs of this computer asked to do, with their arguments, is kept no longer than this.
 */
export const PERMISSIONS_KEPT_MS = 7 * 86_400_000;

/** Whoever confirms a date has seen it within this time. */
export const DATE_SEEN_MS = 86_400_000;

/**
 * Rows looked at in one commit: a few milliseconds of it, and a few megabytes with the longest of
 * words.
 */
export const CHUNK_ROWS = 50;
/** Between two commits, for everybody else. */
export const CHUNK_PAUSE_MS = 20;
