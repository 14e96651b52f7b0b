// The numbers that bound callers at every door, with what happens beyond each.

/**
 * Requests of one token that may be under way at once, long waits among them; beyond it
 * `rate_limited`.
 */
export const CONCURRENT_PER_TOKEN_MAX = 32;
/**
 * Requests of all agents together that may be under way at once; beyond it `rate_limited`. The rest
 * of the connections is for people.
 */
export const CONCURRENT_AGENTS_MAX = 256;
/**
 * Searches and lists of one agent under way at once, and of all agents; beyond it `rate_limited`.
 * One of them is at work, the others wait.
 */
export const READS_PER_AGENT_MAX = 8;
export const READS_OF_AGENTS_MAX = 64;
/**
 * Between two of them. The answer to a person takes many turns of the event loop, and each of them
 * would wait for the end of another read.
 */
export const REST_BETWEEN_READS_MS = 25;
/**
 * Requests without a token under way at once, by everybody together, counted from when they are
 * whole; beyond it `rate_limited`. Logging in is not among them: it has a pace of its own.
 */
export const CONCURRENT_ANONYMOUS_MAX = 16;
/**
 * Requests of one token that may come at once, in seconds of its rate (a setting, 100 a second);
 * beyond it `rate_limited` with the time to wait.
 */
export const TOKEN_BURST_SECONDS = 4;
/**
 * Refused tokens answered at once, by everybody together: 5 a second; further refusals come a
 * second late. A valid token never waits.
 */
export const REFUSAL_RATE = { burst: 5, perMinute: 300 } as const;
export const REFUSAL_DELAY_MS = 1_000;
/** Delayed refusals held at once; a further one is cut off without an answer. */
export const REFUSALS_HELD_MAX = 64;
/** An answer is kept this long for a repeated Idempotency-Key. */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60_000;
/** Answers kept for the repeated keys of one caller; beyond it the oldest is forgotten. */
export const IDEMPOTENCY_ANSWERS_PER_CALLER_MAX = 128;
/** An answer longer than this is not kept: a repeat runs again. */
export const IDEMPOTENCY_ANSWER_SIZE_MAX = 16_384;
