// Every number that bounds the household's rules, with what happens beyond it. Values only. How
// long a rule of a card lasts stands in the contract, because the card says it.

/**
 * Rules that have not ended, paused ones too; making one more is refused until some are taken away.
 */
export const RULES_MAX = 500;
/** A rule for one conversation ends when nothing has come in it for this long. */
export const CONVERSATION_IDLE_MS = 7_200_000;
/** The furthest time a rule may be made until; a later one is refused. */
export const UNTIL_MAX_MS = 31_622_400_000;
/** The furthest time that "until" on a card may reach; a later one is refused. */
export const CARD_UNTIL_MAX_MS = 2_678_400_000;
/** How long after it was taken away a rule can be given back. */
export const RESTORE_WINDOW_MS = 300_000;
/**
 * How often at least expired rules are looked for, so that no jump of a clock leaves one in force.
 */
export const SWEEP_INTERVAL_MS = 3_600_000;
/** How long after a look that failed, as on a full disk, the next one follows. */
export const SWEEP_RETRY_MS = 10_000;
