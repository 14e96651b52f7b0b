// Calls one agent of elsewhere: reads its card, and its methods over JSON-RPC. What it answers is
// outside text, bounded and read strictly. Says of each call whether the agent may have got it.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { Secret } from '../../lib/secret.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { CallOutside } from '../../ports/outside.ts';
import { AppError } from '../../lib/app-error.ts';
import { A2A_VERSION, readCard, type Card } from './card.ts';
import { CALL_MAX_MS, JSON_BOUNDS } from './limits.ts';

export type Called =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** It said that it did not do it. `code` is that of JSON-RPC, or the status over HTTP. */
  | { readonly kind: 'refused'; readonly code: number; readonly words: string }
  /** Nothing was sent. */
  | { readonly kind: 'not_there' }
  /** It may have got it. */
  | { readonly kind: 'unclear' };

const BOUNDS = { timeoutMs: CALL_MAX_MS, answerMaxBytes: JSON_BOUNDS.sizeMaxBytes };

export class A2aClient {
  readonly #call: CallOutside;
  readonly #token: Secret<string> | null;

  constructor(call: CallOutside, token: Secret<string> | null) {
    this.#call = call;
    this.#token = token;
  }

  /** @throws AppError bad_request, peer_unreachable */
  async card(address: URL, signal: AbortSignal): Promise<Card> {
    const answer = await this.#call(
      { url: address.href, method: 'GET', headers: this.#headers(), ...BOUNDS },
      signal,
    );
    if (answer.kind === 'not_there') throw noCard(address, NOT_THERE);
    if (answer.kind === 'unclear') throw noCard(address, NO_ANSWER);
    if (answer.status !== 200)
      throw new AppError(
        'peer_unreachable',
        answer.status >= 300 && answer.status < 400
          ? `${address.host} sends its callers elsewhere, which this hub does not follow.`
          : `${address.host} gave no card, but the status ${answer.status}.`,
        { failedBy: 'peer', ...(answer.status === 401 ? { hint: WANTS_TOKEN } : {}) },
      );
    if (answer.body === null) throw noCard(address, NO_END);
    return readCard(address, answer.body);
  }

  async rpc(
    endpoint: string,
    method: 'SendMessage' | 'GetTask' | 'CancelTask',
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<Called> {
    const answer = await this.#call(
      {
        url: endpoint,
        method: 'POST',
        headers: { ...this.#headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        ...BOUNDS,
      },
      signal,
    );
    if (answer.kind !== 'answered') return answer;
    const { status, body } = answer;
    if (body === null) return { kind: 'unclear' };
    const said = objectIn(body);
    if (isJsonObject(said?.error)) {
      const { code, message } = said.error;
      return { kind: 'refused', code: Number(code) || status, words: String(message ?? '') };
    }
    if (status === 200 && isJsonObject(said?.result))
      return { kind: 'result', result: said.result };
    // A redirect that is not followed and a refusal at the door did nothing; else it may have.
    if (status >= 300 && status < 500) return { kind: 'refused', code: status, words: '' };
    return { kind: 'unclear' };
  }

  #headers(): Readonly<Record<string, string>> {
    const version = { 'a2a-version': A2A_VERSION };
    const token = this.#token?.expose();
    return token === undefined ? version : { ...version, authorization: `Bearer ${token}` };
  }
}

function noCard({ host }: URL, why: string): AppError {
  return new AppError('peer_unreachable', `${host} gave no card. ${why}`, { failedBy: 'peer' });
}

const NOT_THERE =
  'No connection was made: nothing listens there, its name is not known, or its certificate is not trusted.';
const NO_ANSWER = 'It took the connection, but no answer came.';
const NO_END = 'Its answer was cut off, or is too long.';
const WANTS_TOKEN = 'It wants a token: put it into a file, and say --token-file FILE.';

function objectIn(body: Uint8Array): JsonObject | undefined {
  const parsed = parseStrictJson(body, JSON_BOUNDS);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}
