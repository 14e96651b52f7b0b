// How long words are kept, as a person or a setting may say it: the same bounds for the page, the flags and the hub. Values only.

/** How long the words of what ended are kept, in days, until somebody says otherwise. */
export const KEEP_MESSAGES_DAYS_DEFAULT = 365;
/** How long notices stay in the feed, in days, until somebody says otherwise. */
export const KEEP_FEED_DAYS_DEFAULT = 90;
/** The shortest time to keep either; a shorter one is refused. */
export const KEEP_DAYS_MIN = 1;
/** A hundred years: who wants to keep everything has that. */
export const KEEP_DAYS_MAX = 36_500;
/** A time that was changed on the page removes nothing before this: whoever pressed the wrong one can choose again. */
export const KEEP_CHANGE_PAUSE_MINUTES = 10;
/** A clock that is further ahead of the last time the hub knows removes nothing until the owner confirms the date. */
export const DATE_JUMP_DAYS_MAX = 60;
