// Every limit of the wire format, one sentence each: what it bounds, and what happens beyond it.
// Values only, no behaviour. PROTOCOL.md repeats them in its tables; a test keeps the two equal.
import type { JsonLimits } from '../lib/strict-json.ts';

/**
 * One message with all its fields, in UTF-8 bytes; a longer one is refused by the receiver and
 * never sent by us.
 */
export const ENVELOPE_SIZE_MAX_BYTES = 65_536;
/**
 * Objects and arrays inside one another, the envelope itself counting as 1; deeper is
 * `invalid_envelope`.
 */
export const ENVELOPE_DEPTH_MAX = 32;
/** JSON values in one message; more is `invalid_envelope`. */
export const ENVELOPE_NODES_MAX = 4096;
/** Members of one object; more is `invalid_envelope`. */
export const ENVELOPE_KEYS_PER_OBJECT_MAX = 256;
export const ENVELOPE_JSON_LIMITS: JsonLimits = {
  sizeMaxBytes: ENVELOPE_SIZE_MAX_BYTES,
  depthMax: ENVELOPE_DEPTH_MAX,
  nodesMax: ENVELOPE_NODES_MAX,
  keysPerObjectMax: ENVELOPE_KEYS_PER_OBJECT_MAX,
};
/** The name of a kind; a longer one is `invalid_envelope`. */
export const KIND_MAX_CHARACTERS = 64;
/** The largest time a calendar can show, ms since 1970; a later `ts` is `invalid_envelope`. */
export const TIMESTAMP_MAX_MS = 8_640_000_000_000_000;

/** How long a query waits when it does not say. */
export const QUERY_DEADLINE_DEFAULT_MS = 30_000;
/**
 * The longest time a query or a delegation may take, and a delegation's time when it does not say;
 * longer is cut to it.
 */
export const DEADLINE_MAX_MS = 86_400_000;
/** The name of an agent behind a hub (`route.from`, `route.to`); longer is refused. */
export const AGENT_NAME_MAX_CHARACTERS = 64;
/** The name of a person who answered (`answered_by`); longer reads as none. */
export const PERSON_NAME_MAX_CHARACTERS = 64;
/** Options of an escalation: the command line counts them, too. */
export { OPTIONS_MAX, OPTIONS_MIN } from '../../preload/contract/limits.ts';
/** The label of an option; longer is refused. */
export const OPTION_LABEL_MAX_CHARACTERS = 200;
/** What speaks for an option, and as many against it; more is refused. */
export const OPTION_POINTS_MAX = 8;
/** One of these points; longer is refused. */
export const OPTION_POINT_MAX_CHARACTERS = 500;
/** A name, a key or an id in a remote approval; longer is refused. */
export const QUESTION_NAME_MAX_CHARACTERS = 1024;
/** A conversation's id; longer is refused. */
export const CONVERSATION_ID_MAX_CHARACTERS = 128;
/** A capability's name; longer is refused. */
export const CAPABILITY_MAX_CHARACTERS = 128;
/** A notification's topic; longer is refused. */
export const TOPIC_MAX_CHARACTERS = 256;
/** A notification's tag; longer is refused. */
export const TAG_MAX_CHARACTERS = 64;
/** Entries of one list in `capabilities`; more is refused. */
export const CAPABILITY_LIST_MAX = 256;
/** One entry of such a list; longer is refused. */
export const CAPABILITY_ENTRY_MAX_CHARACTERS = 256;
/** Versions in a hello; a longer list counts as naming none. */
export const HELLO_VERSIONS_MAX = 16;
/** Features and extensions that are read from a hello; the rest is ignored. */
export const HELLO_FEATURES_MAX = 64;
/** One feature or extension; a longer one is ignored. */
export const HELLO_FEATURE_MAX_CHARACTERS = 64;
/** The message of an error that we send; cut beyond. */
export const ERROR_MESSAGE_MAX_CHARACTERS = 2000;

/** Bytes of a pairing id; any other length is refused. */
export const PAIRING_ID_BYTES = 16;
/** Bytes of a pairing nonce; any other length is refused. */
export const PAIRING_NONCE_BYTES = 32;
/** The secret of an invitation, and the id that stands for it in an offer. */
export const PAIRING_SECRET_BYTES = 16;
export const INVITATION_ID_BYTES = 16;
/** Bytes of a commitment, a transcript and a public key. */
export const HASH_BYTES = 32;
/** Bytes of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64;
/**
 * The canonical text of what a side says of itself while pairing, in bytes; a longer one is
 * refused.
 */
export const PAIRING_META_MAX_BYTES = 1024;
/** The reason in an `abort`; cut beyond. */
export const PAIRING_REASON_MAX_CHARACTERS = 200;
