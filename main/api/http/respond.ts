// Every answer of the localhost door is written here, so that each carries the same security
// headers, errors included. No CORS header is ever sent, nor a Server header.
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from '../../../preload/contract/content-security.ts';
import { ERRORS } from '../../../preload/contract/errors.ts';
import type { AppError } from '../../lib/app-error.ts';
import { BadParameters } from '../dispatch.ts';
import { problemOf } from '../problem.ts';

const SECURITY_PAIRS = Object.entries(SECURITY_HEADERS);

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value), headers };
}

const TOKEN_HINT =
  'Send "Authorization: Bearer <token>". A new agent gets one from POST /v1/agents.';
const EXAMPLES_HINT = 'GET /v1/examples shows complete requests.';

/** What to do about a refusal that is the same at every door, in the words of this one. */
function hintOf(error: AppError): string | undefined {
  if (error.hint !== undefined) return error.hint;
  if (error instanceof BadParameters) return EXAMPLES_HINT;
  return error.code === 'unauthenticated' ? TOKEN_HINT : undefined;
}

export function problemAnswer(error: AppError, status: number = ERRORS[error.code].status): Answer {
  const hint = hintOf(error);
  const problem = { ...problemOf(error), ...(hint === undefined ? {} : { hint }), status };
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.retryAfterMs !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  const allow = error.data['allow'];
  if (status === 405 && typeof allow === 'string') headers['allow'] = allow;
  return {
    status,
    type: 'application/problem+json; charset=utf-8',
    body: JSON.stringify(problem),
    headers,
  };
}

/** Writes the answer and ends it; nothing when the client is gone or was answered already. */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  for (const [name, value] of SECURITY_PAIRS) response.setHeader(name, value);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
}

/** The same answer as bytes, for a connection whose request could not be parsed. */
export function rawAnswer(error: AppError, status?: number): string {
  const answer = problemAnswer(error, status);
  const headers = [
    ...SECURITY_PAIRS,
    ...Object.entries(answer.headers ?? {}),
    ['content-type', answer.type],
    ['content-length', String(Buffer.byteLength(answer.body))],
    ['connection', 'close'],
  ];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}\r\n${head}\r\n${String(answer.body)}`;
}
