// Errors across the wire (PROTOCOL.md, Errors): ours become one of the wire's codes and a sentence
// that says what to try; a peer's becomes an AppError in our own words, with the peer's sentence
// kept apart as untrusted, escaped text.
import { isOneOf } from '../../preload/contract/closed-lists.ts';
import { ENDERS } from '../../preload/contract/story.ts';
import { ERRORS, type ErrorCode, type WireErrorCode } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';
import { showHidden } from '../lib/hidden-characters.ts';
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
const UNREADABLE = {
  code: 'internal',
  message: '',
  retryable: false,
  decision: null,
  ended_by: null,
} as const;
const INTERNAL_MESSAGE =
  'Something broke in this hub while it worked on the message. Try again in a minute.';
const NOT_NOW_MESSAGE = 'This hub can take nothing just now. Try again in a minute.';

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
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  const { decision, ended_by: by } = error.data;
  return {
    code,
    message: shortened(message, ERROR_MESSAGE_MAX_CHARACTERS),
    retryable: ERRORS[code].retryable,
    ...(isJsonObject(decision) ? { decision } : {}),
    ...(isOneOf(ENDERS, by) ? { ended_by: by } : {}),
  };
}

/**
 * What a peer's `error` means here. `data.untrusted.message` is the peer's own sentence, escaped,
 * and `cause` the same as it came; `data.retryable` is what it says of trying again.
 */
export function readError(payload: JsonObject): AppError {
  const parsed = parseError(payload);
  const {
    code,
    message,
    retryable,
    decision,
    ended_by: by,
  } = parsed.ok ? parsed.value : UNREADABLE;
  const title = ERRORS[code].title.toLowerCase();
  const sentence =
    by === 'agent'
      ? 'The agent there could not do it.'
      : by === 'hub' && code === 'rejected'
        ? 'The other hub did not take it.'
        : `The other hub answered: ${title}.`;
  return new AppError(code, sentence, {
    failedBy: 'peer',
    data: {
      retryable,
      untrusted: {
        message: showHidden(message),
        ...(decision === null ? {} : { decision: writeDecision(decision) }),
        ...(by === null ? {} : { ended_by: by }),
      },
    },
    cause: message,
  });
}

function wireCode(code: ErrorCode): WireErrorCode {
  return isWireCode(code) ? code : (NEAREST[code] ?? 'internal');
}

function isWireCode(code: ErrorCode): code is WireErrorCode {
  return 'wire' in ERRORS[code];
}
