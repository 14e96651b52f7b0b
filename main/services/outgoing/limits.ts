// The numbers that bound this room, with what happens beyond each. Values only.

/** Readers that may wait for one task to end; the next gets the task as it is. */
export const TASK_WAITERS_MAX = 64;
/** A delegation's ack, a cancel's ack (PROTOCOL.md, Streams and frames). */
export const ACK_TIMEOUT_MS = 10_000;
/** Added to a query's own deadline while its answer travels. */
export const ANSWER_TRAVEL_MS = 2_000;
/**
 * How long a result may still arrive after the other hub said that nothing of the cancelled task is
 * open.
 */
export const CANCEL_SETTLE_MS = 30_000;
/** Waits between tries of a delegation whose ack was lost. */
export const RESEND_BACKOFF = { firstMs: 2_000, maxMs: 60_000, jitter: 0.3 } as const;
/** Tasks sent and not yet ended, over all agents; the next send is `overloaded`. */
export const OUTGOING_OPEN_MAX = 1_000;
/**
 * How long a result waits for its peer; then the feed says so and it is given up (PROTOCOL.md,
 * Delegation states).
 */
export const OUTBOX_LIFETIME_MS = 86_400_000;
/**
 * Cancels that may wait for one peer's answer; beyond it that peer is not told, and what it has
 * ends there by its deadline.
 */
export const CANCELS_PER_PARTY_MAX = 1_000;
/** Cancels on their way to one peer at once; the next leaves when one of them was answered. */
export const CANCELS_AT_ONCE_MAX = 4;
/**
 * No cancel is sent for so long after the peer said that these are too many: by then it accepts
 * five more.
 */
export const CANCELS_REFUSED_PAUSE_MS = 10_000;
/** Rows of the outbox that are read at once. */
export const OUTBOX_PAGE = 64;
/**
 * How long this hub has run is written down at most this often while nothing else of the outbox is.
 */
export const UPTIME_WRITE_INTERVAL_MS = 60_000;
/** Waits between tries of one outbox message. */
export const OUTBOX_BACKOFF = { firstMs: 5_000, maxMs: 300_000, jitter: 0.3 } as const;
/** The longest wait that another hub can announce to people here; a longer one counts as this. */
export const HELD_SAID_MAX_MS = 31 * 86_400_000;
/**
 * Results that match no delegation, per peer; more are dropped without a trace, so that a peer
 * cannot fill the disk with ids.
 */
export const UNMATCHED_RATE = { burst: 20, perMinute: 30 } as const;
/**
 * Rates of one agent of this hub towards another: those of a peer's queries, for delegations too.
 */
export const LOCAL_RATE = { burst: 60, perMinute: 240 } as const;
/** The newest tasks by which it is judged how reliable somebody is; older ones do not count. */
export const JUDGED_TASKS_MAX = 200;
/** How long such a count is reused. */
export const RECORD_LIFETIME_MS = 300_000;
/** Areas or capabilities that a refusal names; more would only fill the screen. */
export const OFFERED_SHOWN_MAX = 20;
/** Hubs that a refusal names as those that could; the rest is left out. */
export const COULD_SHOWN_MAX = 5;
/** Agents of one hub that get a message to all who offer something. */
export const BROADCAST_AGENTS_MAX = 16;
/** Words of the tasks of one page, with those of their results; beyond it the page ends. */
export const TASKS_TEXT_MAX_CHARACTERS = 1_000_000;
/** Tasks that are read at once for a page. */
export const TASKS_AT_ONCE = 4;
