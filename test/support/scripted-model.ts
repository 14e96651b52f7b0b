// A model on loopback that says what a script says, so that a real coding agent runs without one.
// It answers Anthropic's messages API and OpenAI's responses API in their streaming forms: one tool
// call a turn, then a closing text. The agent runs the tools for real and sends back what they gave.
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
      /** A tool of the agent's own, or of another server that has tools of the same names. */
      readonly of?: 'agent' | 'other server';
    }
  | { readonly says: string };
/**
 * Each turn is made from all that the tools gave before it, and from what else was said. The last
 * one repeats until it says.
 */
export type Script = readonly ((results: readonly Result[], said: readonly string[]) => Turn)[];

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** What an agent tells its model, whichever API it speaks. */
interface Asked {
  readonly model: string;
  /** By the name that a call has to say. */
  readonly tools: readonly ToolName[];
  readonly results: readonly Result[];
  readonly said: readonly string[];
}
interface ToolName {
  readonly name: string;
  readonly namespace?: string;
}

interface Api {
  readonly path: RegExp;
  readonly read: (body: never) => Asked;
  readonly events: (model: string, call: Call, index: number) => readonly Event[];
}
type Call =
  | { readonly tool: ToolName; readonly input: Readonly<Record<string, unknown>> }
  | { readonly says: string };

export class ScriptedModel {
  /** What the agent's tools gave, as it told the model. */
  results: readonly Result[] = [];
  /** What else it told the model. */
  said: readonly string[] = [];
  readonly #script: Script;
  readonly #server: Server;

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        const api = APIS.find(({ path }) => path.test(request.url ?? ''));
        if (api === undefined) {
          response.writeHead(404).end();
          return;
        }
        try {
          const events = this.#answer(api, JSON.parse(body) as never);
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

  static async start(script: Script): Promise<ScriptedModel> {
    const model = new ScriptedModel(script);
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
  #answer({ read, events }: Api, body: never): readonly Event[] {
    const { model, tools, results, said } = read(body);
    // Where two servers have it, ours in a session that we opened has the longer name.
    const [inbox, other] = tools
      .filter(({ name }) => name.endsWith(INBOX))
      .toSorted((one, two) => lengthOf(two) - lengthOf(one));
    if (inbox === undefined) return events(model, { says: 'A title' }, 0);
    this.results = results;
    this.said = said;
    const done = results.length;
    const turn = (this.#script[done] ?? this.#script.at(-1))?.(results, said);
    if (turn === undefined) throw new RangeError('there is no script');
    if ('says' in turn) return events(model, turn, done);
    const server = turn.of === 'other server' ? other : inbox;
    const prefix = server?.name.slice(0, -INBOX.length) ?? '';
    const tool =
      turn.of === 'agent' ? { name: turn.tool } : { ...server, name: prefix + turn.tool };
    return events(model, { tool, input: turn.input }, done);
  }
}

/** One of our server's tools, by which its others are known. */
const INBOX = 'axon_inbox';
const lengthOf = ({ name, namespace = '' }: ToolName): number => name.length + namespace.length;

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}
interface Messages {
  readonly model: string;
  readonly messages: readonly { readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string }[];
}

const textIn = (content: string | readonly Block[] = ''): string =>
  typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');

/** OpenClaw puts the same before it in another form. */
function resultIn(said: string): Result {
  return jsonOf(said) ?? jsonOf(said.slice(said.lastIndexOf('\n') + 1)) ?? { said };
}

function jsonOf(text: string): Result | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ANTHROPIC: Api = {
  path: /^\/v1\/messages(\?|$)/,
  read: ({ model, messages, tools = [] }: Messages) => ({
    model,
    tools,
    results: messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content
            .filter(({ type }) => type === 'tool_result')
            .map((block) => resultIn(textIn(block.content))),
    ),
    said: messages.flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map((part) => part.text ?? ''),
    ),
  }),
  events: (model, call, index) => {
    const isCall = 'tool' in call;
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${index}`, type: 'message', role: 'assistant', model, content: [] };
    const start = isCall
      ? { type: 'tool_use', id: `toolu_${index}`, name: call.tool.name, input: {} }
      : { type: 'text', text: '' };
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
      : { type: 'text_delta', text: call.says };
    const end = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
    return [
      { type: 'message_start', message: { ...message, stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: end, usage },
      { type: 'message_stop' },
    ];
  },
};

interface Responses {
  readonly model: string;
  readonly input: readonly {
    readonly type: string;
    readonly content?: readonly Block[];
    readonly output?: string | readonly Block[];
  }[];
  readonly tools?: readonly {
    readonly name?: string;
    readonly tools?: readonly { readonly name: string }[];
  }[];
}

/** What Codex puts before what a tool gave. */
const TIMED = /^Wall time: [^\n]*\nOutput:\n/;

const OPENAI: Api = {
  path: /^\/v1\/responses(\?|$)/,
  read: ({ model, input, tools = [] }: Responses) => ({
    model,
    tools: tools.flatMap(({ name = '', tools: inner }) =>
      inner === undefined ? { name } : inner.map((tool) => ({ name: tool.name, namespace: name })),
    ),
    results: input
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => resultIn(textIn(output).replace(TIMED, ''))),
    said: input.filter(({ type }) => type === 'message').map(({ content }) => textIn(content)),
  }),
  events: (_model, call, index) => {
    const id = `item_${index}`;
    const item =
      'tool' in call
        ? {
            type: 'function_call',
            id,
            call_id: `call_${index}`,
            ...call.tool,
            arguments: JSON.stringify(call.input),
          }
        : {
            type: 'message',
            id,
            role: 'assistant',
            content: [{ type: 'output_text', text: call.says }],
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id: `resp_${index}`, usage };
    return [
      { type: 'response.created', response: { id: response.id } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
  },
};

const APIS: readonly Api[] = [ANTHROPIC, OPENAI];
