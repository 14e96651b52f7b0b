// What names and times look like, for every side that reads one. How long a name may be is bounded
// by whoever reads it. Imports nothing.

/** The name of an agent: words of lower-case letters and digits, with ".", "_" or "-" between. */
export const AGENT_NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
/** A domain: up to six dot-separated lower-case words. */
export const DOMAIN_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*){0,5}$/;
/** A time of day: hours and minutes of a whole day, such as 21:30. */
export const TIME_OF_DAY = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;

/**
 * Text somebody else wrote, already escaped (core/text-escape): draw it as "said" words, never as
 * our own.
 */
export type OutsideText = string;
