// A model on loopback that says what a script says, so that a real coding agent runs without one.
// It answers Anthropic's messages API in its streaming form: one tool call a turn, then a closing
// text. The agent runs the tools for real and sends back what they gave.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a tool of the hub gave. */
export type Result = Readonly<Record<string, unknown>>;
export type Turn =
  | {
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** A tool of the agent's own, and not of our server. */
      readonly isOwn?: true;
    }
  | { readonly says: string };
/**
 * Each turn is made from all that the tools gave before it, and from what else was said. The last
 * one repeats until it says.
 */
export type Script = readonly ((results: readonly Result[], said: readonly string[]) => Turn)[];

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string }[];
}

export class ScriptedModel {
  /** What the agent's tools gave, as it told the model. */
  results: readonly Result[] = [];
  /** What else it told the model. */
  said: readonly string[] = [];
  readonly #script: Script;
  /** How the agent calls the tools of our server. */
  readonly #prefix: string;
  readonly #server: Server;

  private constructor(script: Script, prefix: string) {
    this.#script = script;
    this.#prefix = prefix;
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        if (!/^\/v1\/messages(\?|$)/.test(request.url ?? '')) {
          response.writeHead(404).end();
          return;
        }
        try {
          const events = this.#answer(JSON.parse(body));
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const event of events)
            response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
          response.end();
        } catch (cause) {
          // The agent gives up and prints it.
          const error = { type: 'invalid_request_error', message: `the script: ${String(cause)}` };
          response.writeHead(400, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ type: 'error', error }));
        }
      });
    });
  }

  static async start(script: Script, prefix: string): Promise<ScriptedModel> {
    const model = new ScriptedModel(script, prefix);
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Whatever the agent asks without our tools, such as a title, has no part in the script. */
  #answer({ model, messages, tools = [] }: Asked): readonly Event[] {
    if (!tools.some(({ name }) => name.startsWith(this.#prefix)))
      return eventsOf(model, { says: 'A title' }, 0);
    this.results = messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(isResult).map(readResult),
    );
    this.said = messages.flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map((part) => part.text ?? ''),
    );
    const done = this.results.length;
    const turn = (this.#script[done] ?? this.#script.at(-1))?.(this.results, this.said);
    if (turn === undefined) throw new RangeError('there is no script');
    return eventsOf(
      model,
      'tool' in turn && turn.isOwn !== true ? { ...turn, tool: this.#prefix + turn.tool } : turn,
      done,
    );
  }
}

const isResult = ({ type }: Block): boolean => type === 'tool_result';

function readResult({ content = '' }: Block): Result {
  const said = typeof content === 'string' ? content : content.map((part) => part.text).join('');
  // OpenClaw puts the same before it in another form.
  return jsonOf(said) ?? jsonOf(said.slice(said.lastIndexOf('\n') + 1)) ?? { said };
}

function jsonOf(text: string): Result | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventsOf(model: string, turn: Turn, index: number): readonly Event[] {
  const isCall = 'tool' in turn;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${index}`, type: 'message', role: 'assistant', model, content: [] };
  const start = isCall
    ? { type: 'tool_use', id: `toolu_${index}`, name: turn.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
    : { type: 'text_delta', text: turn.says };
  const end = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage },
    { type: 'message_stop' },
  ];
}
