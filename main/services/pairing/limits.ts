// Every number that bounds pairing, with what happens beyond it (PROTOCOL.md, Pairing).

/** From the offer to the last typed digit; then the pairing has failed and its id is burnt. */
export const PAIRING_DURATION_MS = 300_000;
/** A person may keep it open this long at once. */
export const WINDOW_DURATION_MAX_MINUTES = 30;
/** This many failed checks within FAILURES_WITHIN_MS close pairing for LOCK_DURATION_MS. */
export const FAILURES_MAX = 3;
export const FAILURES_WITHIN_MS = 600_000;
export const LOCK_DURATION_MS = 600_000;
/**
 * Requests that wait for a person at once; one more gets overloaded, and its hub asks again every
 * OFFER_AGAIN_AFTER_MS.
 */
export const OFFERS_WAITING_MAX = 6;
/**
 * When all places are full, the oldest request that nobody opened for so long gives way to the next
 * hub that asks.
 */
export const OFFER_PLACE_KEPT_MS = 30_000;
/**
 * An offer that found pairing closed or busy is made again at this distance, until the pairing's
 * time is up.
 */
export const OFFER_AGAIN_AFTER_MS = 3_000;
/**
 * Dialling the hub that a person chose may take so long over all its addresses, or DIAL_EACH_MIN_MS
 * for each if that is more; then the pairing ends with what to look at.
 */
export const REACH_WITHIN_MS = 8_000;
/**
 * A hub that asked while pairing was closed counts as asking for so long after its last try: three
 * times OFFER_AGAIN_AFTER_MS and a little.
 */
export const ASKING_REMEMBERED_MS = 10_000;
/** Hubs remembered as asking: one is named by its label, from the second on they are "several". */
export const ASKING_HUBS_MAX = 2;
/** Own confirmations are sent again for this long, counted from our own check. */
export const CONFIRM_RESEND_MS = 600_000;
/**
 * The other side's confirmation is accepted for this long after our own check: its typing and its
 * resending together.
 */
export const CONFIRM_ACCEPT_MS = 900_000;
/** Waiting times between two tries to deliver a confirmation. */
export const CONFIRM_BACKOFF = { firstMs: 1_000, maxMs: 15_000, jitter: 0.2 } as const;
/** Checks that passed here and are not settled on both sides; the oldest gives way. */
export const UNSETTLED_MAX = 16;
/**
 * Ids that were used; an offer with one of them is refused. The oldest is forgotten, long after its
 * 5 minutes.
 */
export const BURNT_IDS_MAX = 256;
/** An invitation holds this long, and for one hub. */
export const INVITATION_DURATION_MS = 300_000;
/** Invitations that are open at once; one more is refused with "revoke one first". */
export const INVITATIONS_MAX = 8;
/** Addresses in the link: more would make its picture hard to read. */
export const INVITATION_ADDRESSES_MAX = 3;
/** A longer text is no invitation. */
export const INVITATION_LINK_MAX_CHARACTERS = 1_024;
/**
 * A pairing that ended stays listed with its reason this long, unless a person puts it away or
 * begins another one with that hub.
 */
export const ENDED_SHOWN_MS = 300_000;
