// What a person is asked to choose among, and what a decision in words may hold: the same bounds for the page, the command line and the hub.
// Values only.

/** What a person answers in their own words, in UTF-16 units: written out as escapes it still fits into one message. */
export const ANSWER_MAX_CHARACTERS = 8_000;
/** Options of an escalation; more is refused, and so is one with fewer than two: that is no choice. */
export const OPTIONS_MAX = 12;
export const OPTIONS_MIN = 2;
/** The id of an option that is chosen. */
export const OPTION_ID_MAX_CHARACTERS = 64;

/** How long a request waits for a person, in minutes, until the owner says otherwise: what comes in the morning is there in the evening. */
export const APPROVALS_WAIT_MINUTES_DEFAULT = 720;
/** The shortest such wait; a shorter one is refused. */
export const APPROVALS_WAIT_MINUTES_MIN = 1;
/** The longest, as long as anybody who asks may wait; a longer one is refused. */
export const APPROVALS_WAIT_MINUTES_MAX = 1_440;
