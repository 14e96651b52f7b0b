// What a decision in words may hold: the same bounds for the page, the command line and the hub. Values only.

/** What a person answers in their own words, in UTF-16 units: written out as escapes it still fits into one message. */
export const ANSWER_MAX_CHARACTERS = 8_000;
/** The id of an option that is chosen. */
export const OPTION_ID_MAX_CHARACTERS = 64;
