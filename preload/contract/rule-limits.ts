// How long a rule made on a card lasts: the hub ends it by these numbers, and the card says them before anybody presses. Values only.

/** A rule for one conversation ends after this at the latest. */
export const CONVERSATION_LIFE_MS = 43_200_000;
/** How long "always" lasts when its owner says nothing else. */
export const ALWAYS_LIFE_MS = 2_592_000_000;
