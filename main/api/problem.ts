// Turns anything thrown into the one error form a client sees. Owns the rule that only {code,
// message, hint, data} of an AppError leaves the process. Anything else becomes `internal` without
// words of its own, and its text goes to the log.
import { ERRORS } from '../../preload/contract/errors.ts';
import type { Problem } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { Log } from '../ports/log.ts';
import type { Caller } from './caller.ts';

const NOT_NOW_RETRY_MS = 60_000;

export function problemOf(error: AppError): Problem {
  const { status } = ERRORS[error.code];
  return {
    type: `urn:axon:problem:${error.code}`,
    title: titleOf(error),
    status,
    detail: error.message,
    code: error.code,
    retryable: error.retryable,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(error.retryAfterMs) }),
    ...(Object.keys(error.data).length === 0 ? {} : { data: error.data }),
  };
}

/** Of what was stopped, or refused by a hub itself, nobody declined anything. */
function titleOf({ code, data: { ended_by, decision, untrusted } }: AppError): string {
  if (code !== 'rejected') return ERRORS[code].title;
  const said = isJsonObject(untrusted) ? untrusted : { ended_by, decision };
  if (isJsonObject(said.decision) && said.decision.stopped !== undefined) return 'Stopped';
  return said.ended_by === 'hub' ? 'Not taken' : ERRORS[code].title;
}

/**
 * What this caller is told of it. How the owner's disk is, where it is and what is on it is for
 * people: anybody else gets a plain refusal, to try again later.
 */
export function toldTo(caller: Caller, error: unknown): unknown {
  const isPerson = caller.kind === 'ui' || caller.kind === 'owner';
  if (isPerson || !(error instanceof AppError) || error.code !== 'storage_failed') return error;
  return new AppError('overloaded', 'This hub can take nothing just now.', {
    hint: 'Try again in a minute. The page of the hub tells its owner why.',
    retryAfterMs: NOT_NOW_RETRY_MS,
    cause: error,
  });
}

/** The AppError itself, or `internal` for anything unforeseen, which is logged with its stack. */
export function appErrorOf(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error;
  log.error('unforeseen failure', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new AppError('internal', 'Something broke inside the hub. Its log says more.');
}
