// Errors across the wire (PROTOCOL.md, Errors): ours become one of the wire's codes and a sentence
// that says what to try; a peer's becomes an AppError in our own words, with the peer's sentence
// kept apart as untrusted, escaped text.
import { ERRORS, type ErrorCode, type WireErrorCode } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';
import { showHidden } from '../lib/hidden-characters.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
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
const UNREADABLE = { code: 'internal', message: '', retryable: false, decision: null } as const;
const INTERNAL_MESSAGE =
  'Something broke in this hub while it worked on the message. Try again in a minute.';

/** The payload of an `error` for `error`. What is `internal` says nothing of our insides. */
export function errorPayload(error: AppError): ErrorPayload & JsonObject {
  const code = wireCode(error.code);
  if (code === 'internal') return { code, message: INTERNAL_MESSAGE, retryable: true };
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  const { decision } = error.data;
  return {
    code,
    message: message.slice(0, ERROR_MESSAGE_MAX_CHARACTERS).toWellFormed(),
    retryable: ERRORS[code].retryable,
    ...(isJsonObject(decision) ? { decision } : {}),
  };
}

/**
 * What a peer's `error` means here. `data.untrusted.message` is the peer's own sentence, escaped;
 * `data.retryable` what it says of trying again.
 */
export function readError(payload: JsonObject): AppError {
  const parsed = parseError(payload);
  const { code, message, retryable, decision } = parsed.ok ? parsed.value : UNREADABLE;
  return new AppError(code, `The other hub answered: ${ERRORS[code].title.toLowerCase()}.`, {
    failedBy: 'peer',
    data: {
      retryable,
      untrusted: {
        message: showHidden(message),
        ...(decision === null ? {} : { decision: writeDecision(decision) }),
      },
    },
  });
}

function wireCode(code: ErrorCode): WireErrorCode {
  return isWireCode(code) ? code : (NEAREST[code] ?? 'internal');
}

function isWireCode(code: ErrorCode): code is WireErrorCode {
  return 'wire' in ERRORS[code];
}
