// Every bound of the mDNS adapter in one place: what it limits, and what happens beyond it. It must
// never hold logic.

/**
 * A datagram above this is dropped unread: one Ethernet frame holds all we look for, and it bounds
 * the work of a compressed name.
 */
export const PACKET_SIZE_MAX_BYTES = 1_500;
/**
 * A packet that claims more questions and records than this in all is dropped before it is decoded.
 */
export const PACKET_RECORDS_MAX = 96;
/**
 * A query with more questions than this is dropped: each question may cost one multicast answer.
 */
export const PACKET_QUESTIONS_MAX = 24;

/** Packets taken from one source address; the rest is dropped. */
export const SOURCE_PACKETS = { burst: 80, perMinute: 1_200 } as const;
/** Packets taken on one interface from all sources together. */
export const LINK_PACKETS = { burst: 400, perMinute: 9_000 } as const;

/**
 * Instances remembered at once on all interfaces; beyond it only a paired hub gets in, in the place
 * of one that is not.
 */
export const INSTANCES_MAX = 256;
/** Instances one source address may announce on one interface; more are ignored. */
export const INSTANCES_PER_SOURCE_MAX = 16;
/**
 * Instances of this hub's own id, which another start announces: they get in when the table is
 * full, and beyond this the oldest of the source that has the most goes.
 */
export const OWN_ID_INSTANCES_MAX = 16;
/** Places of this hub's own id that are handed on, of one source and in all; more are ignored. */
export const OWN_ID_PLACES_PER_SOURCE_MAX = 4;
export const OWN_ID_PLACES_MAX = 16;
/** Answers to others' questions on one interface; more questions stay unanswered. */
export const ANSWERS = { burst: 40, perMinute: 1_200 } as const;
/** Addresses kept of one instance and family, and handed on for one hub; more are ignored. */
export const ADDRESSES_MAX = 8;
/** Strings and bytes read of one TXT record; a longer record is treated as none. */
export const TXT_STRINGS_MAX = 32;
export const TXT_SIZE_MAX_BYTES = 1_024;
/**
 * Longest instance label in bytes (RFC 1035, one label); a longer one is replaced by the neutral
 * label.
 */
export const LABEL_SIZE_MAX_BYTES = 63;
/**
 * Questions sent because of one packet; further gaps wait for the next packet or the next round.
 */
export const FOLLOW_UP_QUESTIONS_MAX = 8;
/** How often an incomplete instance is asked for, and the least time in between. */
export const FOLLOW_UP_TRIES_MAX = 3;
export const FOLLOW_UP_INTERVAL_MS = 1_000;

/** Network interfaces used at once; further ones are left alone. */
export const LINKS_MAX = 16;
/**
 * How often the computer's addresses are read and the table is swept: a change is noticed within
 * this time.
 */
export const POLL_INTERVAL_MS = 4_000;
/** When the network is asked again after the first time, then every ASK_INTERVAL_MS. */
export const ASK_AGAIN_AFTER_MS = [1_000, 3_000, 9_000] as const;
export const ASK_INTERVAL_MS = 60_000;
/** The second announcement follows the first by this much (RFC 6762, 8.3). */
export const ANNOUNCE_AGAIN_MS = 1_000;
/** Our announcement changes and is repeated this often: at most 30 s, PROTOCOL.md, Discovery. */
export const FRESHEN_INTERVAL_MS = 25_000;
/** An interface whose socket failed is tried again after this. */
export const LINK_RETRY_MS = 30_000;
/**
 * After so many packets in a row that did not leave, an interface counts as one that does not work.
 */
export const SEND_FAILURES_MAX = 2;
/** Longest wait for an announcement or a goodbye to leave. */
export const SEND_WAIT_MAX_MS = 1_000;

/**
 * Lifetime of the records that name this hub's address and port (RFC 6762, 10), and of the pointer
 * to them, in seconds.
 */
export const RECORD_TTL_S = 120;
export const POINTER_TTL_S = 4_500;
/**
 * An instance not heard for this long is lost, whatever lifetime it claimed: we ask every minute.
 */
export const INSTANCE_TTL_MAX_MS = 240_000;
/**
 * Lowest port a hub found on the network may name; lower ones come from a person's configuration
 * only.
 */
export const PEER_PORT_MIN = 1_024;
