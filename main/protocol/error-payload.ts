// Errors across the wire (PROTOCOL.md, Errors): ours become one of the wire's codes and a sentence
// that says what to try; a peer's becomes an AppError in our own words, with the peer's sentence
// kept apart as untrusted, escaped text.
import { isOneOf } from '../../preload/contract/closed-lists.ts';
import { ENDERS } from '../../preload/contract/story.ts';
import { ERRORS, type ErrorCode, type WireErrorCode } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';
import { showHidden, showHiddenIn } from '../lib/hidden-characters.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { shortened } from '../lib/shortened.ts';
import { ERROR_MESSAGE_MAX_CHARACTERS } from './limits.ts';
import { writeDecision } from './decision.ts';
import { parseError, type ErrorPayload } from './payloads.ts';

/**
 * Codes of our own doors that have a near relative on the wire; every other local code is
 * `internal` there.
 */
const NEAREST: Partial<Readonly<Record<ErrorCode, WireErrorCode>>> = {
  bad_request: 'invalid_envelope',
  payload_too_large: 'invalid_envelope',
  forbidden: 'not_authorized',
  unsupported_feature: 'unknown_kind',
  peer_unreachable: 'peer_not_found',
  storage_failed: 'overloaded',
  identity_locked: 'overloaded',
  hub_locked: 'overloaded',
};
/** What fails here for a while: nothing more of it is another hub's business. */
const OUR_TROUBLE: ReadonlySet<ErrorCode> = new Set([
  'storage_failed',
  'identity_locked',
  'hub_locked',
]);
const INTERNAL_MESSAGE =
  'Something broke in this hub while it worked on the message. Try again in a minute.';
const NOT_NOW_MESSAGE = 'This hub can take nothing just now. Try again in a minute.';

/** What the other side says of a failure, as it came: the cause of its error. */
export class Said {
  readonly message: string;
  /** What came of it all the same; empty: that is not said. */
  readonly outcome: string;
  readonly data: unknown;
  /** The same in the dialect of the agent that wrote it. */
  readonly origin: JsonObject | null;

  constructor(
    message: string,
    more: {
      readonly outcome?: string;
      readonly data?: unknown;
      readonly origin?: JsonObject | null | undefined;
    } = {},
  ) {
    const { outcome = '', data = null, origin = null } = more;
    this.message = message;
    this.outcome = outcome;
    this.data = data;
    this.origin = origin;
  }
}

/**
 * The payload of an `error` for `error`. What is `internal` says nothing of our insides; an agent's
 * own words about its failure are none.
 */
export function errorPayload(error: AppError): ErrorPayload & JsonObject {
  const code = wireCode(error.code);
  if (code === 'internal' && error.failedBy !== 'peer')
    return { code, message: INTERNAL_MESSAGE, retryable: true };
  if (OUR_TROUBLE.has(error.code))
    return { code, message: NOT_NOW_MESSAGE, retryable: ERRORS[code].retryable };
  const { decision, ended_by: by } = error.data;
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  const said = by === 'agent' && error.cause instanceof Said ? error.cause : undefined;
  return {
    code,
    message: said?.message ?? shortened(message, ERROR_MESSAGE_MAX_CHARACTERS),
    retryable: error.retryable,
    ...(said === undefined ? {} : besideWords(said)),
    ...(isJsonObject(decision) ? { decision } : {}),
    ...(isOneOf(ENDERS, by) ? { ended_by: by } : {}),
  };
}

function besideWords({ outcome, data, origin }: Said): JsonObject {
  return {
    ...(outcome === '' ? {} : { outcome }),
    ...(data === null ? {} : { data }),
    ...(origin === null ? {} : { origin }),
  };
}

/**
 * What a peer's `error` means here. `data.untrusted` has the peer's own words, escaped, and `cause`
 * the same as they came; `data.retryable` is what it says of trying again.
 */
export function readError(payload: JsonObject): AppError {
  const { code, message, retryable, decision, ended_by: by, ...more } = parseError(payload).value;
  const isAgents = by === 'agent';
  const said = new Said(message, isAgents ? more : {});
  const sentence = isAgents
    ? 'The agent did not do it.'
    : decision?.stopped !== undefined
      ? 'A person there stopped it.'
      : by === 'hub' && code === 'rejected'
        ? 'The other hub did not take it.'
        : refusedThere(code, decision?.by === 'person');
  return new AppError(isAgents && code === 'internal' ? 'agent_failed' : code, sentence, {
    failedBy: 'peer',
    data: {
      retryable,
      untrusted: {
        message: showHidden(message),
        ...(said.outcome === '' ? {} : { outcome: showHidden(said.outcome) }),
        ...(said.data === null ? {} : { data: showHiddenIn(said.data) }),
        ...(decision === null ? {} : { decision: writeDecision(decision) }),
        ...(by === null ? {} : { ended_by: by }),
      },
    },
    cause: said,
  });
}

/** Who declined it is told; of all else, the code in words. */
function refusedThere(code: WireErrorCode, isPersons: boolean): string {
  if (code !== 'rejected') return `The other hub answered: ${ERRORS[code].title.toLowerCase()}.`;
  return isPersons ? 'A person there declined it.' : 'The other hub declined it.';
}

/** The same without the message in a dialect, which is not its agent's. */
export function withoutOrigin(error: AppError, { message, ...more }: Said): AppError {
  return new AppError(error.code, error.message, {
    failedBy: error.failedBy,
    data: error.data,
    cause: new Said(message, { ...more, origin: null }),
  });
}

/** The nearest code that travels. */
export function wireCode(code: ErrorCode): WireErrorCode {
  return isWireCode(code) ? code : (NEAREST[code] ?? 'internal');
}

function isWireCode(code: ErrorCode): code is WireErrorCode {
  return 'wire' in ERRORS[code];
}
