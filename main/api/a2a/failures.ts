// What went wrong, in the two forms in which A2A tells it. Its own reasons come from its
// specification; any other refusal of the hub keeps its code.
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { BadParameters } from '../dispatch.ts';
import { problemOf } from '../problem.ts';
import { A2A_PATH } from './addresses.ts';
import { CARD_PATH } from './cards.ts';

interface Form {
  readonly rpc: number;
  readonly http: number;
  readonly status: string;
}

const FORMS = {
  INVALID_REQUEST: { rpc: -32600, http: 400, status: 'INVALID_ARGUMENT' },
  METHOD_NOT_FOUND: { rpc: -32601, http: 404, status: 'NOT_FOUND' },
  INVALID_PARAMS: { rpc: -32602, http: 400, status: 'INVALID_ARGUMENT' },
  TASK_NOT_FOUND: { rpc: -32001, http: 404, status: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: { rpc: -32002, http: 400, status: 'FAILED_PRECONDITION' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { rpc: -32003, http: 400, status: 'FAILED_PRECONDITION' },
  UNSUPPORTED_OPERATION: { rpc: -32004, http: 400, status: 'FAILED_PRECONDITION' },
  CONTENT_TYPE_NOT_SUPPORTED: { rpc: -32005, http: 400, status: 'INVALID_ARGUMENT' },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { rpc: -32007, http: 400, status: 'FAILED_PRECONDITION' },
  VERSION_NOT_SUPPORTED: { rpc: -32009, http: 400, status: 'FAILED_PRECONDITION' },
} as const satisfies Record<string, Form>;

export type A2aReason = keyof typeof FORMS;

/** A refusal that A2A has a name for. */
export class A2aRefusal extends AppError {
  readonly reason: A2aReason;

  constructor(reason: A2aReason, message: string, hint?: string) {
    const options = hint === undefined ? {} : { hint };
    super('bad_request', message, { ...options, failedBy: 'input' });
    this.reason = reason;
  }
}

export function nothingThere(path = ''): AppError {
  // As a client asks that was given the address of an agent without it.
  const slash = path.endsWith(CARD_PATH) ? 'The address of an agent ends with a slash. ' : '';
  return new AppError('not_found', 'There is nothing at this path.', {
    failedBy: 'input',
    hint: `${slash}GET ${A2A_PATH} lists the cards of the agents.`,
  });
}

const HUBS_OWN = -32000;
/** By the status over HTTP. */
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

interface Told extends Form {
  readonly message: string;
  readonly info: JsonObject;
}

function toldOf(error: AppError): Told {
  const reason = reasonOf(error);
  const { status, code, hint, retryable, retry_after_ms: waitMs } = problemOf(error);
  const form =
    reason === undefined
      ? { rpc: HUBS_OWN, http: status, status: STATUSES[status] ?? 'INTERNAL' }
      : FORMS[reason];
  const metadata = {
    retryable: String(retryable),
    ...(waitMs === undefined ? {} : { retry_after_ms: String(waitMs) }),
  };
  const words = error.code === 'idempotency_mismatch' ? SAME_ID : [error.message, hint ?? ''];
  return {
    ...form,
    message: words.join(' ').trim(),
    info: {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: reason ?? code.toUpperCase(),
      domain: reason === undefined ? 'axon-hub' : 'a2a-protocol.org',
      metadata,
    },
  };
}

/** Nobody who speaks A2A sends an Idempotency-Key. */
const SAME_ID = ['This messageId was used for another message.', 'Use a fresh one for each.'];

function reasonOf(error: AppError): A2aReason | undefined {
  if (error instanceof A2aRefusal) return error.reason;
  const isUnfit = error instanceof BadParameters || error.code === 'idempotency_mismatch';
  return isUnfit ? 'INVALID_PARAMS' : undefined;
}

/** `error` of a JSON-RPC answer. */
export function rpcError(error: AppError): JsonObject {
  const { rpc: code, message, info } = toldOf(error);
  return { code, message, data: [info] };
}

/** The body of a REST answer, and its status over HTTP. */
export function restError(error: AppError): { readonly http: number; readonly body: JsonObject } {
  const { http, status, message, info } = toldOf(error);
  return { http, body: { error: { code: http, status, message, details: [info] } } };
}
