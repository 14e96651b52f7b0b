// How much is kept, waited for and said at most: the same bounds for the page, the command line,
// the flags and the hub. Values only.

/** Of the handle of an agent; the hub makes none that is longer. */
export const AGENT_NAME_MAX = 64;
/**
 * Areas of one agent, those it offers no longer among them; one that would have more is refused.
 */
export const AGENT_AREAS_MAX = 64;
/** Of the example request of an area. */
export const EXAMPLE_MAX_CHARACTERS = 160;

/** The most quiet hours a household keeps. */
export const QUIET_PERIODS_MAX = 8;

/**
 * What a person answers in their own words, in UTF-16 units: written out as escapes it still fits
 * into one message.
 */
export const ANSWER_MAX_CHARACTERS = 8_000;
/**
 * Options of an escalation; more is refused, and so is one with fewer than two: that is no choice.
 */
export const OPTIONS_MAX = 12;
export const OPTIONS_MIN = 2;
/** The id of an option that is chosen. */
export const OPTION_ID_MAX_CHARACTERS = 64;

/**
 * How long a request waits for a person, in minutes, until the owner says otherwise: what comes in
 * the morning is there in the evening.
 */
export const APPROVALS_WAIT_MINUTES_DEFAULT = 720;
/** The shortest such wait; a shorter one is refused. */
export const APPROVALS_WAIT_MINUTES_MIN = 1;
/** The longest, as long as anybody who asks may wait; a longer one is refused. */
export const APPROVALS_WAIT_MINUTES_MAX = 1_440;

/**
 * How long a program waits for a person's word about what it wants to do, unless it says otherwise;
 * then nobody has spoken.
 */
export const PERMISSION_WAIT_MS = 50_000;
/** The longest such wait, of a program that has no terminal; a longer one is refused. */
export const PERMISSION_WAIT_MAX_MS = 600_000;

/** How often two agents go back and forth within an hour before a person is asked. */
export const TURNS_DEFAULT = 12;
/** Fewer is refused: a question back and its answer are no loop. */
export const TURNS_MIN = 4;
/** More is refused. */
export const TURNS_MAX = 100;

/** How often an agent is woken in a day, whatever wakes it, until the owner says otherwise. */
export const WAKES_DEFAULT = 50;
/** Fewer is refused: an agent without a hook and a webhook is woken by nothing. */
export const WAKES_MIN = 1;
/** More is refused. */
export const WAKES_MAX = 1_000;

/** How long the words of what ended are kept, in days, until somebody says otherwise. */
export const KEEP_MESSAGES_DAYS_DEFAULT = 365;
/** How long notices stay in the feed, in days, until somebody says otherwise. */
export const KEEP_FEED_DAYS_DEFAULT = 90;
/** The shortest time to keep either; a shorter one is refused. */
export const KEEP_DAYS_MIN = 1;
/** A hundred years: who wants to keep everything has that. */
export const KEEP_DAYS_MAX = 36_500;
/**
 * A time that was changed on the page removes nothing before this: whoever pressed the wrong one
 * can choose again.
 */
export const KEEP_CHANGE_PAUSE_MINUTES = 10;
/**
 * A clock that is further ahead of the last time the hub knows removes nothing until the owner
 * confirms the date.
 */
export const DATE_JUMP_DAYS_MAX = 60;

/** A rule for one conversation ends after this at the latest. */
export const CONVERSATION_LIFE_MS = 43_200_000;
/** How long "always" lasts when its owner says nothing else. */
export const ALWAYS_LIFE_MS = 2_592_000_000;
