// Asks one model one time, at one address: no proxy, no redirect, no second try, an answer of a
// bounded size, and an end by the caller's signal. Says whether anything was sent, since what was
// sent may have been done.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { loopbackLookup } from '../lib/loopback-lookup.ts';
import type { ModelEndpoint } from '../lib/model-endpoint.ts';

/** Asked of the model; what is longer comes cut, and is no answer. */
export const ANSWER_MAX_TOKENS = 4_096;
/** More than any such answer has, with all that stands around it. */
const BODY_MAX_BYTES = 1_048_576;

export interface ModelQuestion {
  readonly endpoint: ModelEndpoint;
  readonly model: string;
  readonly key: string | null;
  /** The words of the owner of the agent. */
  readonly system: string;
  readonly user: string;
}

export type ModelEnd =
  | { readonly kind: 'said'; readonly text: string; readonly tokens: number | null }
  /** A sentence; `isUnsent`: nothing of the question has reached anybody. */
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly tokens: number | null;
      readonly isUnsent: boolean;
    };

export async function askModel(asked: ModelQuestion, signal: AbortSignal): Promise<ModelEnd> {
  try {
    const { status, body } = await post(asked, signal);
    if (status >= 300 && status < 400) return failed('It redirects, which is not followed.');
    if (status !== 200) return failed(`It answered with HTTP ${status}.`);
    const value = readJson(body);
    if (value === undefined) return failed('Its answer is no JSON object.');
    return asked.endpoint.form === 'openai' ? openAiAnswer(value) : ollamaAnswer(value);
  } catch (cause) {
    if (signal.aborted) return failed('The call was ended.');
    if (cause instanceof TooLong)
      return failed(`Its answer has more than ${BODY_MAX_BYTES} bytes.`);
    if (!isUnsent(cause)) return failed('It broke off without an answer.');
    return { ...failed('Nothing answers there.'), isUnsent: true };
  }
}

class TooLong extends Error {}

function post(
  asked: ModelQuestion,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  const { endpoint, model, key, system, user } = asked;
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  const limit =
    endpoint.form === 'openai'
      ? { max_tokens: ANSWER_MAX_TOKENS }
      : { options: { num_predict: ANSWER_MAX_TOKENS } };
  const body = JSON.stringify({ model, messages, stream: false, ...limit });
  const isTls = endpoint.url.startsWith('https:');
  // One of its own: the usual one goes by what the environment says of proxies.
  const agent = isTls ? new HttpsAgent({ rejectUnauthorized: true }) : new HttpAgent();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'accept-encoding': 'identity',
    accept: 'application/json',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = (isTls ? httpsRequest : httpRequest)(
      endpoint.url,
      { method: 'POST', agent, headers, signal, ...loopbackLookup(endpoint.url) },
      (response) => void readBody(response).then(resolve, reject),
    );
    sent.on('error', reject);
    sent.on('close', () => agent.destroy());
    sent.end(body);
  });
}

async function readBody(
  response: IncomingMessage,
): Promise<{ readonly status: number; readonly body: string }> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    const bytes = Buffer.from(part as Uint8Array);
    size += bytes.byteLength;
    // Leaving the loop ends the connection.
    if (size > BODY_MAX_BYTES) throw new TooLong();
    parts.push(bytes);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') };
}

function openAiAnswer({ choices, usage }: JsonObject): ModelEnd {
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const { message, finish_reason: reason } = isJsonObject(choice) ? choice : {};
  const { prompt_tokens, completion_tokens, total_tokens } = isJsonObject(usage) ? usage : {};
  const tokens = count(total_tokens) ?? sum(prompt_tokens, completion_tokens);
  return ended(isJsonObject(message) ? message['content'] : undefined, reason === 'length', tokens);
}

function ollamaAnswer(answer: JsonObject): ModelEnd {
  const { message, done_reason, prompt_eval_count, eval_count } = answer;
  const text = isJsonObject(message) ? message['content'] : undefined;
  return ended(text, done_reason === 'length', sum(prompt_eval_count, eval_count));
}

function ended(text: unknown, isCut: boolean, tokens: number | null): ModelEnd {
  if (isCut) return { ...failed(`Its answer was cut off at ${ANSWER_MAX_TOKENS} tokens.`), tokens };
  if (typeof text !== 'string') return { ...failed('Its answer holds no text.'), tokens };
  return { kind: 'said', text, tokens };
}

/** Both must be told. */
function sum(prompt: unknown, answer: unknown): number | null {
  const [one, other] = [count(prompt), count(answer)];
  return one === null || other === null ? null : one + other;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function failed(why: string): ModelEnd & { readonly kind: 'failed' } {
  return { kind: 'failed', why, tokens: null, isUnsent: false };
}

function isUnsent(cause: unknown): boolean {
  const { syscall } = cause instanceof Error && 'syscall' in cause ? cause : {};
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

function readJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
