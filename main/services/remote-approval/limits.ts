// Every number that bounds remote approval, with what happens beyond it. Values only.

/** What an adult's hub was not asked yet goes there again after this. */
export const ASK_AGAIN_INTERVAL_MS = 60_000;
/** A request with less time left is not put to an adult: nobody could read and decide it. */
export const TIME_LEFT_MIN_MS = 20_000;
/** An adult's own words why not, as they are kept and passed on; cut beyond. */
export const REASON_MAX_CHARACTERS = 2_000;
