// The numbers that bound this room, with what happens beyond each. Values only.

/** A program that called within this time counts as online; the longest poll is 55 s. */
export const PRESENCE_WINDOW_MS = 90_000;
/** A hook that has not looked again within this time waits no more. */
export const HOOK_GONE_AFTER_MS = 15_000;
/** The last call is written down at most this often per agent. */
export const LAST_CALL_WRITE_INTERVAL_MS = 60_000;
/** How an agent is connected is noted anew at most this often. */
export const LINE_CHANGE_INTERVAL_MS = 5_000;
/** What a program calls itself is cut after this. */
export const PROGRAM_MAX_CHARACTERS = 64;
/** Agents of this hub; registering more is refused. */
export const AGENTS_MAX = 64;
/** First-time programs that may wait for a person; the next is `overloaded`. */
export const REGISTRATIONS_PENDING_MAX = 8;
/** A first-time program's request is forgotten after this. */
export const REGISTRATION_LIFETIME_MS = 600_000;
/** Wrong codes for one request before it is declined. */
export const REGISTRATION_FAILURES_MAX = 5;
/** The waits before a runner that ended is started again. */
export const RUNNER_RESTART = { firstMs: 2_000, maxMs: 300_000, jitter: 0.2 } as const;
/** One that ran so long is started again as if it had never ended. */
export const RUNNER_STEADY_MS = 60_000;
/** What a runner says of itself is cut after this. */
export const RUNNER_WHY_MAX_CHARACTERS = 300;
