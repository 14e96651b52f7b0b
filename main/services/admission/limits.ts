// The numbers that bound this room, with what happens beyond each. Values only.

/**
 * Reports that may wait for one peer's receipt; beyond it that peer's requests are `overloaded`
 * until it takes what it has asked for.
 */
export const OUTBOX_PER_PARTY_MAX = 1_000;
/**
 * Reason of a cancel that is kept and passed on; cut with a mark beyond, so that the report of the
 * end still fits its message.
 */
export const CANCEL_REASON_MAX_CHARACTERS = 2_000;
/**
 * How many ids that were cancelled before they came are remembered per peer or agent; beyond it the
 * oldest is forgotten.
 */
export const CANCELLED_IDS_PER_PARTY_MAX = 500;
/**
 * A peer's capabilities are asked for again at most this often because of a name we do not know.
 */
export const REFRESH_INTERVAL_MS = 1_000;
/** A delegation waits at most this long for that answer; its own ack is due within ten seconds. */
export const REFRESH_WAIT_MS = 4_000;
/** How much of each of these requests is shown beside its outcome; the rest is cut with a mark. */
export const TRIAL_TEXT_MAX_CHARACTERS = 200;
/**
 * The last requests that a rule is tried on before it is made; what came before is not looked at.
 */
export const TRIALS_MAX = 20;
/** How far back turns between two agents count; what is older is forgotten. */
export const TURNS_WINDOW_MS = 3_600_000;
/**
 * Turns of two agents that are remembered, more than any setting asks for; beyond it the oldest go.
 */
export const TURNS_KEPT_MAX = 101;
/**
 * Requests and notices of that time that a hub reads when it starts, and what people decided last;
 * what is older counts no more.
 */
export const TURNS_READ_MAX = 1_000;
export const TURN_DECISIONS_READ_MAX = 200;
/**
 * Agents here, each with a hub or another agent, whose turns are counted; beyond it the oldest go.
 */
export const TURN_PAIRS_MAX = 1_000;
/** Agents of one hub that are told apart; those beyond it count as all of them. */
export const TURN_NAMES_MAX = 32;
