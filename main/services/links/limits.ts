// Every number that bounds what stands between hubs, with what happens beyond it. Rates are
// starting values, per peer.

/**
 * A connection whose hello has not been done after this long is closed with "too slow"
 * (PROTOCOL.md, hello).
 */
export const HELLO_TIMEOUT_MS = 5_000;
/**
 * Reply time of ping, discover, pair, cancel and of a delegate's ack (PROTOCOL.md, Streams and
 * frames).
 */
export const REPLY_TIMEOUT_MS = 10_000;
/** This many malformed messages within a minute close the connection with "malformed". */
export const MALFORMED_PER_MINUTE_MAX = 20;
/** After such a close the key is refused for this long, doubling up to the maximum. */
export const COOL_OFF_FIRST_MS = 60_000;
export const COOL_OFF_MAX_MS = 3_600_000;
/** Keys with a cool-off that are remembered; beyond it the oldest is forgotten. */
export const COOL_OFF_KEYS_MAX = 1_024;

/** Waiting times between dials of one peer. */
export const DIAL_BACKOFF = { firstMs: 1_000, maxMs: 30_000, jitter: 0.3 } as const;
/** Dials at once over all peers; the others wait their turn. */
export const DIALS_IN_FLIGHT_MAX = 4;
/** One address gets this long before the next one is tried (PROTOCOL.md, Connection). */
export const DIAL_TIMEOUT_MS = 10_000;
/**
 * The least time for one address, however many share a round: on a bad line the validation of our
 * address takes most of it.
 */
export const DIAL_EACH_MIN_MS = 2_500;
/** Addresses tried in one round of dialling a peer; the rest is left out. */
export const DIAL_ADDRESSES_MAX = 4;
/**
 * A hint that resets the waiting time does so at most this often per peer, so that forged hints
 * make no storm.
 */
export const DIAL_RESET_INTERVAL_MS = 1_000;
/** A host name of a static peer is looked up again after this long. */
export const RESOLVE_AGAIN_AFTER_MS = 60_000;
/** Bounds one lookup; beyond it the name counts as unknown for this round. */
export const RESOLVE_TIMEOUT_MS = 5_000;
/** A network change makes everybody dial again; chance spreads that over this long. */
export const NETWORK_CHANGE_SPREAD_MS = 500;

/** A connection that is not used for sending any more is closed after this long without traffic. */
export const DRAIN_IDLE_MS = 2_000;
/** Before one of two connections is given up, the other must answer a ping within this. */
export const KEEP_CHECK_TIMEOUT_MS = 2_000;

/**
 * How often it is looked whether time has run on without us, and how much of it counts as a sleep
 * of the computer.
 */
export const RESUME_TICK_MS = 5_000;
export const RESUME_GAP_MS = 10_000;

/**
 * A peer is pinged on connecting and then at this distance (PROTOCOL.md, Envelope: at most every 5
 * minutes).
 */
export const PING_INTERVAL_MS = 300_000;

/** What an online peer can do is asked again, at the next ping, once it is older than this. */
export const CAPABILITIES_AGE_MAX_MS = 3_600_000;
/**
 * A peer that did not tell its capabilities is asked again this often, with growing waits, and then
 * at the next ping.
 */
export const LEARN_AGAIN_MAX = 5;
export const LEARN_BACKOFF = { firstMs: 1_000, maxMs: 30_000, jitter: 0 } as const;

/**
 * Requests that may wait on a connection for our own hello to be answered; more get not_authorized.
 */
export const WAITING_FOR_HELLO_MAX = 32;
/**
 * Requests (hello, ping, pair) that a key which is not paired may make: a burst, then a steady rate
 * a minute; more get rate_limited.
 */
export const UNPAIRED_REQUESTS = { burst: 30, perMinute: 60 } as const;

/**
 * Default rates per paired peer; beyond them the message is answered rate_limited (retryable), or
 * dropped when it is one-way.
 */
export const PEER_RATES = {
  delegate: { burst: 6, perMinute: 12 },
  query: { burst: 60, perMinute: 240 },
  notify: { burst: 60, perMinute: 240 },
  cancel: { burst: 30, perMinute: 30 },
} as const;
/** Bytes a peer may make us store a day; beyond them `overloaded` until the bucket fills again. */
export const STORED_BYTES_PER_DAY_MAX = 5 * 1024 * 1024;

/**
 * Hubs remembered from the home network; paired ones are never pushed out, of the others the one
 * not heard for longest goes.
 */
export const NEARBY_MAX = 256;
/** Addresses kept of one hub on the network. */
export const NEARBY_ADDRESSES_MAX = 8;
/** Hubs that the owner named by address and key before pairing; beyond it peers.add is refused. */
export const STATIC_HUBS_MAX = 64;
/** Peers whose rows are kept, tombstones included; pairing beyond it is refused. */
export const PEERS_MAX = 1_024;
/** The owner's own name for a hub. */
export const PETNAME_LENGTH_MAX = 64;
/** Longest name text kept of what a peer says of itself; longer is cut. */
export const ADVERTISED_TEXT_MAX = 256;
/** Names in the hint when a recipient is unknown; the others are left out. */
export const NAMES_IN_HINT_MAX = 16;
/** Announcements come in bursts; what changed is shown once per this many ms. */
export const NEARBY_PUBLISH_DELAY_MS = 100;
/**
 * A connection that lived at least this long was a good one: the next dial starts with the shortest
 * wait.
 */
export const STABLE_AFTER_MS = 30_000;
/**
 * A connection of a key that is not paired is closed after this long without traffic, unless a
 * pairing holds it.
 */
export const STRANGER_IDLE_MS = 60_000;
/**
 * While a person has pairing open, hubs nearby are dialled, this many at once; the others wait
 * their turn.
 */
export const INTRODUCTIONS_AT_ONCE = 8;
/** What dialling one of them may take over all its addresses. */
export const INTRODUCTION_WITHIN_MS = 3_000;
/** How often idle strangers are looked for. */
export const STRANGER_SWEEP_MS = 15_000;

/**
 * A connection without hello is asked hello in return after this long, unless its key is known to
 * say hello by itself.
 */
export const HELLO_IN_RETURN_AFTER_MS = 1_000;
/**
 * Questions to peers of the reference profile that wait for their answer, to all of them together;
 * more are `overloaded`.
 */
export const REFERENCE_QUESTIONS_MAX = 256;

/** One try to reach another hub with the key of this one; and the least time between two. */
export const COPY_DIAL_TIMEOUT_MS = 5_000;
/** How often it is looked whether a copy of this hub that was met is still there. */
export const COPY_LOOK_AGAIN_MS = 60_000;
/**
 * A place where a copy was met counts as empty after so many looks in vain in a row. A copy that
 * can only dial, from behind a NAT, is heard of more often than that.
 */
export const COPY_LOOKS_IN_VAIN_MAX = 3;
/** Places remembered where a copy was met; beyond it the one that was silent for longest goes. */
export const COPY_PLACES_MET_MAX = 4;
