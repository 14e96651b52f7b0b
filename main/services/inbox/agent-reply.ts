// An agent's report about an item, in the two forms it takes on the wire. Pure.
import type { ReplyStatus, TerminalTaskState } from '../../../preload/contract/closed-lists.ts';
import {
  ERRORS,
  isErrorCode,
  readWireErrorCode,
  type WireErrorCode,
} from '../../../preload/contract/errors.ts';
import { UNSAID } from '../../../preload/contract/strings/story.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { Said } from '../../protocol/error-payload.ts';
import type { ResultWords } from '../tasks/task-endings.ts';

/** POST /inbox/{delivery}/reply. */
export interface AgentReply {
  readonly status: ReplyStatus;
  readonly outcome?: string | undefined;
  readonly summary?: string | undefined;
  readonly data?: unknown;
  readonly error?: string | null | undefined;
  readonly code?: string | undefined;
  /** Of a failure: whether the same may work later. */
  readonly retryable?: boolean | undefined;
  readonly tokens_used?: number | undefined;
  readonly truncated: boolean;
  /** The reply as it was written in a dialect. */
  readonly origin?: JsonObject;
}

/** The payload of a `result`. A failure without words of its own gets a plain sentence. */
export function resultOf(reply: AgentReply): ResultWords {
  const outcome = reply.outcome ?? reply.summary ?? '';
  const data = reply.data ?? null;
  const { tokens_used, origin, retryable, truncated } = reply;
  const rest = {
    ...(tokens_used === undefined ? {} : { tokens_used }),
    ...(truncated ? { truncated } : {}),
    ...(origin === undefined ? {} : { origin }),
  };
  if (!isFailure(reply.status))
    return { status: reply.status, outcome, data, error: reply.error ?? null, ...rest };
  const unsaid = reply.status === 'cancelled' ? UNSAID.stopped : UNSAID.failed;
  const error = reply.error ?? (outcome === '' ? unsaid : outcome);
  const named = codeOf(reply);
  // A failure without a code is that of the work: it was tried, and did not succeed.
  const code = reply.status === 'failed' && reply.code === undefined ? {} : { code: named };
  // What was too much or too late may work another time, unless its agent says otherwise.
  const isUsual = named !== 'internal' && ERRORS[named].retryable;
  const again = retryable ?? (isUsual ? true : undefined);
  return {
    status: 'failed',
    outcome,
    data,
    error,
    ...code,
    ...(again === undefined ? {} : { retryable: again }),
    ...rest,
  };
}

/** The payload of a `response`. */
export function responseOf(reply: AgentReply): Readonly<Record<string, unknown>> {
  const summary = reply.summary ?? reply.outcome ?? '';
  const data = reply.data ?? null;
  return {
    data,
    // Every response has a line for people.
    summary: summary.trim() !== '' ? summary : data === null ? UNSAID.nothing : UNSAID.data,
    tokens_used: reply.tokens_used ?? 0,
    // It has no word for how far it went.
    truncated: reply.truncated || reply.status === 'partial',
    ...(reply.origin === undefined ? {} : { origin: reply.origin }),
  };
}

/** The error that whoever asked gets in place of a `response`. */
export function errorOf(reply: AgentReply): AppError {
  const { error, outcome, data, retryable, origin } = resultOf(reply);
  const named = codeOf(reply);
  const code = named === 'internal' ? 'agent_failed' : named;
  const message = error ?? outcome;
  return new AppError(code, message, {
    failedBy: 'peer',
    data: { ended_by: 'agent', retryable: retryable ?? ERRORS[code].retryable },
    cause: new Said(message, { outcome: outcome === message ? '' : outcome, data, origin }),
  });
}

/** The code of a failure. */
export function codeOf({ status, code }: AgentReply): WireErrorCode {
  if (status === 'cancelled') return 'cancelled';
  return isErrorCode(code) ? readWireErrorCode(code) : 'internal';
}

export function endStateOf(reply: AgentReply): TerminalTaskState {
  if (!isFailure(reply.status)) return reply.status;
  return codeOf(reply) === 'cancelled' ? 'cancelled' : 'failed';
}

/**
 * What nobody stopped does not end as cancelled: its agent failed.
 * @param isStopAsked whoever asked cancelled it, or a person here stopped it
 * @throws AppError conflict
 */
export function checkStop(reply: AgentReply, isStopAsked: boolean): void {
  if (isStopAsked || endStateOf(reply) !== 'cancelled') return;
  throw inputError('conflict', 'Nobody asked for this to stop, so it is not cancelled.', {
    hint: 'Reply with status "failed" and say in "error" why it is not done.',
  });
}

export function isFailure(status: ReplyStatus): status is 'failed' | 'cancelled' {
  return status === 'failed' || status === 'cancelled';
}
