// Every number that bounds the localhost door, with what happens beyond it.

/** A request whose headers are not complete by then is answered 408 and closed. */
export const HEADERS_TIMEOUT_MS = 5_000;
/** A request whose body is not complete by then is answered 408 and closed. */
export const REQUEST_TIMEOUT_MS = 15_000;
/** How often the two times above are looked at. */
export const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** An idle connection is kept this long for the next request. */
export const KEEP_ALIVE_TIMEOUT_MS = 30_000;
/** All header lines together; beyond it 431. */
export const HEADER_SIZE_MAX_BYTES = 8_192;
/** Header lines; beyond it 431. */
export const HEADERS_MAX = 50;
/**
 * Connections at once; a further one is closed by the system. More than the agents and silent
 * sockets can fill.
 */
export const CONNECTIONS_MAX = 512;
/**
 * Connections that carry no authenticated request just now; the one that has waited longest gives
 * way to a new one.
 */
export const UNPROVEN_CONNECTIONS_MAX = 96;
/** Requests on one connection before it is closed. */
export const REQUESTS_PER_CONNECTION_MAX = 10_000;
/** The request line's target; beyond it 400. */
export const URL_LENGTH_MAX = 4_096;
export const JSON_DEPTH_MAX = 32;
export const JSON_NODES_MAX = 8_192;
export const JSON_KEYS_PER_OBJECT_MAX = 256;

/** Event streams of one token; a further one gets 429. */
export const STREAMS_PER_TOKEN_MAX = 4;
/** Event streams of all agents together, and of all pages together; a further one gets 429. */
export const STREAMS_MAX = 32;
/** A comment on every silent stream this often, so that both ends notice a dead line. */
export const STREAM_HEARTBEAT_MS = 15_000;
/**
 * Bytes a stream's reader may be behind when there is more to tell it; beyond it the stream is cut
 * and the reader resumes from its last id.
 */
export const STREAM_BACKLOG_MAX_BYTES = 262_144;
/** Inbox items claimed in one go for a stream. */
export const STREAM_BATCH_MAX = 16;
/** Items leased to an agent and not yet acknowledged; a stream delivers no more until some are. */
export const STREAM_LEASED_MAX = 32;

/** Characters of an Idempotency-Key; beyond it 400. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 128;
