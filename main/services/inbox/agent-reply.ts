// An agent's report about an item, in the two forms it takes on the wire. Pure.
import type { ResultStatus, TerminalTaskState } from '../../../preload/contract/closed-lists.ts';
import {
  isErrorCode,
  readWireErrorCode,
  type WireErrorCode,
} from '../../../preload/contract/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { ResultWords } from '../tasks/task-endings.ts';

/** POST /inbox/{delivery}/reply. */
export interface AgentReply {
  readonly status: ResultStatus;
  readonly outcome?: string | undefined;
  readonly summary?: string | undefined;
  readonly data?: unknown;
  readonly error?: string | null | undefined;
  readonly code?: string | undefined;
  readonly tokens_used?: number | undefined;
  readonly truncated: boolean;
  /** The reply as it was written in a dialect. */
  readonly origin?: JsonObject;
}

/** The payload of a `result`. A failure without words of its own gets a plain sentence. */
export function resultOf(reply: AgentReply): ResultWords {
  const outcome = reply.outcome ?? reply.summary ?? '';
  const data = reply.data ?? null;
  const { tokens_used, origin } = reply;
  const rest = {
    ...(tokens_used === undefined ? {} : { tokens_used }),
    ...(origin === undefined ? {} : { origin }),
  };
  if (reply.status !== 'failed')
    return { status: reply.status, outcome, data, error: reply.error ?? null, ...rest };
  const error = reply.error ?? (outcome === '' ? 'The agent could not do it.' : outcome);
  return { status: 'failed', outcome, data, error, code: codeOf(reply), ...rest };
}

/** Stands for the line that every response has for people, where the agent gave none. */
const NO_SUMMARY = 'Answered with data.';

/** The payload of a `response`. */
export function responseOf(reply: AgentReply): Readonly<Record<string, unknown>> {
  const summary = reply.summary ?? reply.outcome ?? '';
  return {
    data: reply.data ?? null,
    summary: summary.trim() === '' ? NO_SUMMARY : summary,
    tokens_used: reply.tokens_used ?? 0,
    truncated: reply.truncated,
    ...(reply.origin === undefined ? {} : { origin: reply.origin }),
  };
}

export function codeOf(reply: AgentReply): WireErrorCode {
  return isErrorCode(reply.code) ? readWireErrorCode(reply.code) : 'internal';
}

export function endStateOf(reply: AgentReply): TerminalTaskState {
  if (reply.status !== 'failed') return reply.status;
  return codeOf(reply) === 'cancelled' ? 'cancelled' : 'failed';
}
