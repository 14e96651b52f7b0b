// An endpoint of a model on loopback that says what a test tells it to: as OpenAI's chat/completions
// below /v1, as Ollama's /api/chat, or as something that is broken. Keeps what it was asked.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ModelAsked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly system: string;
  readonly user: string;
}

export type ModelSays =
  | {
      readonly says: string;
      /** In the whole; null: it does not say. */
      readonly tokens?: number | null;
      readonly isCut?: true;
    }
  | { readonly status: number; readonly location?: string; readonly body?: string }
  | 'endless'
  | 'silent';

export class ModelDouble {
  readonly asked: ModelAsked[] = [];
  /** Calls whose connection was closed before they were answered. */
  brokenOff = 0;
  /** Calls that are not answered yet. */
  answering = 0;
  says: (asked: ModelAsked) => ModelSays = () => ({ says: 'INFORM: Yes' });
  delayMs = (): number => 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.answering += 1;
      response.on('close', () => {
        this.answering -= 1;
        if (!response.writableFinished) this.brokenOff += 1;
      });
      // Whoever asks may be killed while it does.
      text(request).then(
        (body) => this.#answer(request, response, body),
        () => undefined,
      );
    });
  }

  static async start(): Promise<ModelDouble> {
    const double = new ModelDouble();
    double.#server.listen(0, '127.0.0.1');
    await once(double.#server, 'listening');
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse, body: string): void {
    const { model, messages } = JSON.parse(body) as {
      readonly model: string;
      readonly messages: readonly { readonly content: string }[];
    };
    const [system, user] = messages.map(({ content }) => content);
    const { authorization } = headers;
    const asked = { path: url, authorization, model, system: system ?? '', user: user ?? '' };
    this.asked.push(asked);
    const said = this.says(asked);
    setTimeout(() => say(response, url, said), this.delayMs());
  }
}

function say(response: ServerResponse, url: string, said: ModelSays): void {
  if (said === 'silent') return;
  if (said === 'endless') return endless(response);
  if ('status' in said) {
    const { status, location, body = '' } = said;
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(url === '/api/chat' ? ofOllama(said) : ofOpenAi(said)));
}

type Said = Extract<ModelSays, { readonly says: string }>;

function ofOpenAi({ says, tokens = 10, isCut }: Said): object {
  const usage =
    tokens === null
      ? {}
      : { usage: { prompt_tokens: tokens - 1, completion_tokens: 1, total_tokens: tokens } };
  const message = { role: 'assistant', content: says };
  const choice = { index: 0, message, finish_reason: isCut === true ? 'length' : 'stop' };
  return { id: 'chatcmpl-1', object: 'chat.completion', choices: [choice], ...usage };
}

function ofOllama({ says, tokens = 10, isCut }: Said): object {
  const counts = tokens === null ? {} : { prompt_eval_count: tokens - 1, eval_count: 1 };
  const message = { role: 'assistant', content: says };
  return { message, done: true, done_reason: isCut === true ? 'length' : 'stop', ...counts };
}

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    if (!response.destroyed)
      response.write('{"choices":['.padEnd(65_536, ' '), () => setImmediate(more));
  };
  more();
}
