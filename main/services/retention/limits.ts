// What bounds the removing of old words. Every number says what it bounds. Owns no behaviour.
import { KEEP_CHANGE_PAUSE_MINUTES } from '../../../preload/contract/keep-limits.ts';

/** A hub that has just started has better things to do, and may not have been told the time yet. */
export const FIRST_LOOK_MS = 600_000;
/**
 * How often the clock is looked at and the running since counted, so that a hub which is killed after its first look loses no more of it
 * than this; and how soon a removal that failed is tried again.
 */
export const LOOK_INTERVAL_MS = 300_000;
/** From one removal to the next, but for one that a change of how long words are kept makes due. */
export const PURGE_INTERVAL_MS = 86_400_000;

/** Nothing is removed so soon after a person changed how long words are kept: one slip of the hand must not cost years of them. */
export const CHANGE_PAUSE_MS = KEEP_CHANGE_PAUSE_MINUTES * 60_000;

/** However far the wall clock jumps, it is followed this many times as fast as the hub itself runs: thirty days a day. So a hub
 *  keeps up with the calendar that runs 48 minutes of each day. */
export const BELIEF_RATE = 30;
/** No record is older than this, 2026-01-01: what an unset clock wrote does not say when a hub began. */
export const FIRST_RECORD_MS = 1_767_225_600_000;

/** Rows looked at in one commit: a few milliseconds of it, and a few megabytes with the longest of words. */
export const CHUNK_ROWS = 50;
/** Between two commits, for everybody else. */
export const CHUNK_PAUSE_MS = 20;
