// Every number that bounds the work of this hub's agents, with what happens beyond it. Values only.

/** Requests of one party, queries and delegations together, that may wait for a person; then `overloaded`. */
export const PENDING_PER_PARTY_MAX = 5;
/** Requests of everybody that may wait for a person; the next is answered `overloaded`. */
export const PENDING_TOTAL_MAX = 50;
/** Queries that may be open at once, waiting for an agent or a person; the next is answered `overloaded`. */
export const OPEN_QUERIES_MAX = 512;
/** Of those, queries of one party; the next is answered `overloaded`, so that nobody takes all the places. */
export const OPEN_QUERIES_PER_PARTY_MAX = 64;
/** Items that may wait in one agent's inbox; a request beyond it is `overloaded`, a notification is not put into that inbox. */
export const INBOX_QUEUED_MAX = 1_000;
/** Hand-outs of one item before it goes to the dead list. */
export const DELIVERY_ATTEMPTS_MAX = 8;
/** Lease of an item whose agent did not ask for another. */
export const LEASE_DEFAULT_MS = 60_000;
/** Longest lease that may be asked for; one that a clock set back would make longer ends after this. */
export const LEASE_MAX_MS = 600_000;
/** Claims of one agent that may wait at once; the next is answered `overloaded`. */
export const CLAIM_WAITERS_PER_AGENT_MAX = 32;
/** Readers that may wait for one task to end; the next gets the task as it is. */
export const TASK_WAITERS_MAX = 64;

/** How often what has passed of the deadlines is written down, so that a crash and a jump of the wall clock lose at most this. */
export const ELAPSED_CHECKPOINT_INTERVAL_MS = 30_000;
/** How long after its deadline a delegation that another hub accepted may still be reported: as long as that hub's outbox lives. */
export const LATE_RESULT_GRACE_MS = 86_400_000;
/** A delegation's ack, a cancel's ack (PROTOCOL.md, Streams and frames). */
export const ACK_TIMEOUT_MS = 10_000;
/** Added to a query's own deadline while its answer travels. */
export const ANSWER_TRAVEL_MS = 2_000;
/** How long a result that was on its way may take, after the other hub said that it has nothing open of what is called off. */
export const CANCEL_SETTLE_MS = 30_000;
/** Waits between tries of a delegation whose ack was lost. */
export const RESEND_BACKOFF = { firstMs: 2_000, maxMs: 60_000, jitter: 0.3 } as const;
/** Tasks sent and not yet ended, over all agents; the next send is `overloaded`. */
export const OUTGOING_OPEN_MAX = 1_000;

/** How long a result waits for its peer; then the feed says so and it is given up (PROTOCOL.md, Delegation states). */
export const OUTBOX_LIFETIME_MS = 86_400_000;
/** Reports that may wait for one peer's receipt; beyond it that peer's requests are `overloaded` until it takes what it has asked for. */
export const OUTBOX_PER_PARTY_MAX = 1_000;
/** Cancels that may wait for one peer's answer; beyond it that peer is not told, and what it has ends there by its deadline. */
export const CANCELS_PER_PARTY_MAX = 1_000;
/** Cancels on their way to one peer at once; the next leaves when one of them was answered. */
export const CANCELS_AT_ONCE_MAX = 4;
/** No cancel leaves for so long after the peer said that these are too many: by then it takes five more. */
export const CANCELS_REFUSED_PAUSE_MS = 10_000;
/** Rows of the outbox that are read at once. */
export const OUTBOX_PAGE = 64;
/** How long this hub has run is written down at most this often while nothing else of the outbox is. */
export const UPTIME_WRITE_INTERVAL_MS = 60_000;
/** Waits between tries of one outbox message. */
export const OUTBOX_BACKOFF = { firstMs: 5_000, maxMs: 300_000, jitter: 0.3 } as const;

/** The furthest time that another hub's word puts its people off; what it says beyond that counts as this. */
export const HELD_SAID_MAX_MS = 31 * 86_400_000;
/** Native notifications due per party: one in this time. */
export const ATTENTION_INTERVAL_MS = 60_000;
/** A program that called within this time counts as online; the longest poll is 55 s. */
export const PRESENCE_WINDOW_MS = 90_000;
/** The last call is written down at most this often per agent. */
export const LAST_CALL_WRITE_INTERVAL_MS = 60_000;
/** Agents of this hub; registering more is refused. */
export const AGENTS_MAX = 64;
/** First-time programs that may wait for a person; the next is `overloaded`. */
export const REGISTRATIONS_PENDING_MAX = 8;
/** A first-time program's request is forgotten after this. */
export const REGISTRATION_LIFETIME_MS = 600_000;
/** Wrong codes for one request before it is declined. */
export const REGISTRATION_FAILURES_MAX = 5;

/** Reason of a cancel that is kept and passed on; cut with a mark beyond, so that the report of the end still fits its message. */
export const CANCEL_REASON_MAX_CHARACTERS = 2_000;
/** Text of one feed item; cut with a mark beyond. */
export const FEED_TEXT_MAX_CHARACTERS = 4_000;
/** Results that match no delegation, per peer: counted and dropped beyond, so that a peer cannot fill the disk with ids. */
export const UNMATCHED_RATE = { burst: 20, perMinute: 30 } as const;
/** Rates of one agent of this hub towards another: those of a peer. */
export const LOCAL_RATE = { burst: 60, perMinute: 240 } as const;
/** A query or a notification that comes again within this time is one that came already. */
export const RECENT_MESSAGE_WINDOW_MS = 600_000;
/** Of those, over all peers, how many are remembered; beyond it the oldest is forgotten. */
export const RECENT_MESSAGES_MAX = 10_000;
/** A delegation or a query that comes within this time after its cancel was overtaken by it, and is not begun. */
export const CANCELLED_ID_WINDOW_MS = 600_000;
/** Ids called off before they came, of one peer or agent, how many are remembered; beyond it its oldest is forgotten. */
export const CANCELLED_IDS_PER_PARTY_MAX = 500;
/** The same of all of them together; beyond it the oldest of all is forgotten. */
export const CANCELLED_IDS_MAX = 10_000;
/** An Idempotency-Key answers the same for this long. */
export const IDEMPOTENCY_WINDOW_MS = 86_400_000;
/** Entries of one conversation that are shown at once, the newest. */
export const CONVERSATION_ENTRIES_MAX = 500;
/** Words of one entry of a conversation, as much as a message can hold; data has the bound of the feed. Cut with a mark beyond. */
export const ENTRY_TEXT_MAX_CHARACTERS = 65_536;
/** Words and fields of all entries of a conversation that are shown at once, and again of its tasks. The newest have them first. */
export const CONVERSATION_TEXT_MAX_CHARACTERS = 1_000_000;
/** What an entry shows of itself where the newer ones have taken all of that. */
export const ENTRY_TEXT_MIN_CHARACTERS = 200;
/** Longest title of a conversation; cut beyond. */
export const TITLE_MAX_CHARACTERS = 120;
/** A peer's capabilities are asked for again at most this often because of a name we do not know. */
export const REFRESH_INTERVAL_MS = 1_000;
/** A delegation waits at most this long for that answer; its own ack is due within ten seconds. */
export const REFRESH_WAIT_MS = 4_000;
