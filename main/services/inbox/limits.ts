// The numbers that bound this room, with what happens beyond each. Values only.

/**
 * Queries that may be open at once, waiting for an agent or a person; the next is answered
 * `overloaded`.
 */
export const OPEN_QUERIES_MAX = 512;
/**
 * Of those, queries of one party; the next is answered `overloaded`, so that nobody takes all the
 * places.
 */
export const OPEN_QUERIES_PER_PARTY_MAX = 64;
/** Hand-outs of one item before it goes to the dead list. */
export const DELIVERY_ATTEMPTS_MAX = 8;
/** Lease of an item whose agent did not ask for another. */
export const LEASE_DEFAULT_MS = 60_000;
/**
 * Longest lease that may be asked for; one that a clock set back would make longer ends after this.
 */
export const LEASE_MAX_MS = 600_000;
/** Ids of waiting items that are told at once; of more the newest, and of work the next ones. */
export const WAITING_IDS_MAX = 100;
/** Calls of one agent that may wait for its inbox; the next is answered `overloaded`. */
export const WAITERS_PER_AGENT_MAX = 32;
/** The next try when the store did not take the end of a lease. */
export const LEASE_RETRY_MS = 5_000;
/** Newest requests of an agent that a message in a dialect can refer to. */
export const OWN_TASKS_LOOKED_THROUGH = 200;
/** Items an agent was handed that an answer in a dialect is looked for among. */
export const OPEN_ITEMS_MAX = 256;
/** The newest items that an agent is done with, and may say of that they make no sense. */
export const SEEN_ITEMS_MAX = 50;
/** Items that may wait in one agent's inbox; a request beyond it is `overloaded`. */
export const INBOX_QUEUED_MAX = 1_000;
/**
 * Beyond so many of them no notification is put into that inbox: whoever takes none of them, as a
 * program that is started for work alone, still gets work.
 */
export const NOTICES_QUEUED_MAX = 500;
/** How long an agent that looks by itself is given to take an item before its webhook is called. */
export const WEBHOOK_SETTLE_MS = 1_000;
/** The next look while a hook waits in its place, or the wake-ups of the day are used up. */
export const WEBHOOK_LOOK_AGAIN_MS = 60_000;
/** A call of a webhook that took longer is given up, whatever came of it. */
export const WEBHOOK_CALL_MAX_MS = 5_000;
/** Bytes of its answer that are read; its status is all that is wanted. */
export const WEBHOOK_ANSWER_MAX_BYTES = 4_096;
/** After a call that did not wake; the items wait all the while. */
export const WEBHOOK_BACKOFF = { firstMs: 30_000, maxMs: 3_600_000, jitter: 0.2 } as const;
