// The doors by which agents of two paired hubs ask, cancel, work and stop: HTTP, MCP, the terminal,
// and each language. What an asker reads comes back as its sentences.
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text as wordsIn } from 'node:stream/consumers';
import type { Client } from '@a2a-js/sdk/client';
import { headlineOf, stopOf, wholeOf } from '../../preload/contract/strings/story.ts';
import type { DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import type { StoryDto } from '../../preload/contract/story.ts';
import { objectOf } from '../../main/dialects/members.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { a2aClient, type BindingName } from './a2a-clients.ts';
import { callTool, MCP_ACCEPT, toolCall } from './mcp-calls.ts';
import { Program, type Ended } from './programs.ts';
import { atDoor } from './raw-peer.ts';
import { DIALECTS, type DialectName } from './seed-messages.ts';
import type { TestHub } from './test-hub.ts';

export const DOORS = ['http', 'mcp', 'cli', ...DIALECTS] as const;
export type DoorName = (typeof DOORS)[number];
export type How = 'obeys' | 'completes' | 'fails' | 'gives it back';

export interface Asked {
  readonly id: string;
  /** Its id in the language of whoever asked. */
  readonly native: string;
}

/** How it stands, and what became of a stop where the headline does not say it. */
export function sentencesOf(story: StoryDto): string {
  return [...new Set([headlineOf(story), stopOf(story) ?? headlineOf(story)])].join(' ');
}

let messages = 0;
const newId = (dialect: string): string =>
  `${dialect === 'claude-crunch' ? 'MSG-' : 'm-'}${++messages}`;

/** A question that is open. */
export interface Asking {
  /** Its id in the language of whoever asks. */
  readonly native: string;
  /** All that whoever asks is told at its end; nothing, once that one has hung up. */
  readonly told: Promise<string>;
  readonly hangUp: () => void;
}

interface Language {
  readonly request: (id: string, to: string, task: string) => JsonObject;
  /** null: all that it asks for is work. */
  readonly question: ((id: string, to: string, words: string) => JsonObject) | null;
  /** null: it has no word for it. */
  readonly cancel: ((id: string, asked: string) => JsonObject) | null;
  readonly answer: (id: string, to: JsonObject, isDone: boolean) => JsonObject;
}

/** `words` of a result, of work or of a cancel. */
export const WORDS = 'As far as I came.';
/** Time enough for a person, as everywhere but on the wire. */
const QUESTION_MS = 600_000;
const ELIZA = { mcp_version: '0.1.0' } as const;
const LANGUAGES: Readonly<Record<DialectName, Language>> = {
  'claude-crunch': {
    request: (id, to, task) => ({ id, type: 'REQUEST', to, payload: { action: task } }),
    question: null,
    cancel: null,
    answer: (id, { id: asked, from }, isDone) => ({
      id,
      type: 'RESPONSE',
      to: from,
      correlation_id: asked,
      payload: { status: isDone ? 'SUCCESS' : 'FAILED', result: { summary: WORDS } },
    }),
  },
  'fipa-acl': {
    request: (id, to, task) => ({
      performative: 'REQUEST',
      receiver: to,
      content: task,
      reply_with: id,
    }),
    question: (id, to, words) => ({
      performative: 'QUERY',
      receiver: to,
      content: words,
      reply_with: id,
    }),
    cancel: (id, asked) => ({ performative: 'CANCEL', in_reply_to: asked, reply_with: id }),
    answer: (_id, { reply_with: asked }, isDone) => ({
      performative: isDone ? 'INFORM' : 'FAILURE',
      content: WORDS,
      in_reply_to: asked,
    }),
  },
  elizaos: {
    request: (id, to, task) => ({
      ...ELIZA,
      message_id: id,
      performative: 'TASK_REQUEST',
      receiver: { agent_id: to },
      payload: { task_description: task },
    }),
    question: (id, to, words) => ({
      ...ELIZA,
      message_id: id,
      performative: 'QUERY_REF',
      receiver: { agent_id: to },
      payload: { reference: words },
    }),
    cancel: (id, asked) => ({
      ...ELIZA,
      message_id: id,
      performative: 'CANCEL',
      in_reply_to: asked,
      payload: {},
    }),
    answer: (id, { message_id: asked }, isDone) => ({
      ...ELIZA,
      message_id: id,
      in_reply_to: asked,
      performative: isDone ? 'INFORM_RESULT' : 'FAILURE',
      payload: isDone
        ? { task_status: 'success', result_summary: WORDS }
        : { status: 'failure', error_text: WORDS },
    }),
  },
  'acp-draft': {
    request: (id, to, task) => ({ id, kind: 'delegate', to, payload: { task } }),
    question: (id, to, words) => ({ id, kind: 'query', to, payload: { question: words } }),
    cancel: (id, asked) => ({ id, kind: 'cancel', ref: asked, payload: {} }),
    answer: (id, { id: asked }, isDone) => ({
      id,
      kind: 'result',
      ref: asked,
      payload: { status: isDone ? 'completed' : 'failed', outcome: WORDS },
    }),
  },
};

/** One agent of one hub at its door. */
export class DoorAgent {
  readonly name: string;
  readonly door: DoorName;
  readonly #hub: TestHub;
  readonly #token: string;

  private constructor(hub: TestHub, door: DoorName, name: string, token: string) {
    this.#hub = hub;
    this.door = door;
    this.name = name;
    this.#token = token;
  }

  static async join(hub: TestHub, door: DoorName, name: string): Promise<DoorAgent> {
    const token = await hub.agent(name);
    const agent = new DoorAgent(hub, door, name, token);
    writeFileSync(agent.#tokenFile, token, { mode: 0o600 });
    if (agent.#language !== undefined)
      await agent.http(`/v1/agents/${name}`, { dialect: door }, 'PATCH');
    return agent;
  }

  async delegate(to: string, task: string): Promise<Asked> {
    const native = newId(this.door);
    const given = { to, task };
    if (this.#language !== undefined) {
      const posted = await this.#post(this.#language.request(native, to, task));
      return { id: String(objectOf(posted['report'])['id']), native };
    }
    const sent =
      this.door === 'mcp'
        ? await this.#tool('axon_delegate', given)
        : await this.http('/v1/delegate', given);
    return { id: String(objectOf(sent)['id']), native };
  }

  ask(to: string, question: string): Asking {
    const native = newId(this.door);
    const given = { to, question };
    if (this.door === 'cli') {
      const asking = Program.start('cli', ['query', to, question], this.#variables);
      const told = asking.ended().then(({ out, error }) => out + error);
      return { native, told, hangUp: () => asking.kill('SIGINT') };
    }
    const asks = this.#language?.question;
    const [path, body] =
      this.door === 'mcp'
        ? ['/mcp', toolCall('axon_query', given)]
        : typeof asks === 'function'
          ? ['/v1/messages', asks(native, to, question)]
          : ['/v1/query', { ...given, deadline_ms: QUESTION_MS }];
    const line = request({
      host: '127.0.0.1',
      port: this.#hub.port,
      path,
      method: 'POST',
      headers: {
        accept: MCP_ACCEPT,
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
      },
      agent: false,
    });
    const told = new Promise<string>((resolve) => {
      line.once('response', (answer) => resolve(wordsIn(answer).catch(() => '')));
      line.once('error', () => resolve(''));
    });
    line.end(JSON.stringify(body));
    return { native, told, hangUp: () => line.destroy() };
  }

  /** What whoever cancels is told of it. */
  async cancel({ id, native }: Asked): Promise<string> {
    if (this.door === 'cli') {
      const { out } = await this.#axon('cancel', id);
      return out.split('\n')[0] ?? '';
    }
    const cancel = this.#language?.cancel;
    const answer =
      this.door === 'mcp'
        ? await this.#tool('axon_cancel', { id })
        : typeof cancel === 'function'
          ? await this.#post(cancel(newId(this.door), native))
          : await this.http(`/v1/tasks/${id}/cancel`, {});
    const { untrusted, story, detail } = answer;
    const cameOfIt = objectOf(untrusted)['came_of_it'];
    if (typeof cameOfIt === 'string') return cameOfIt;
    return story === undefined ? String(detail) : sentencesOf(story as StoryDto);
  }

  /** How it stands, as the asker reads it. */
  async reads({ id }: Pick<Asked, 'id'>): Promise<string> {
    if (this.door === 'cli') {
      const [first = '', ...lines] = (await this.#axon('tasks', id)).out.split('\n');
      const stop = lines.find((line) => /^(Cancelled: |Asked |Stopped|Too late: )/.test(line));
      const timeless = stop
        ?.replace(/^Asked to stop, [^;]*;/, 'Asked to stop;')
        .replace(/ The stop was asked for, [^.]*\.$/, '');
      return [first.split('  ')[1], ...(timeless === undefined ? [] : [timeless])].join(' ');
    }
    const { story } = (await this.http(`/v1/tasks/${id}`)) as unknown as TaskDto;
    if (this.door === 'mcp') {
      const { came_of_it: said } = objectOf((await this.#tool('axon_task', { id }))['untrusted']);
      if (said !== wholeOf(story)) throw new Error(`MCP says: ${String(said)}`);
    }
    return sentencesOf(story);
  }

  /** The official client of A2A for one agent of another hub. */
  a2a(hub: string, agent: string, binding: BindingName): Promise<Client> {
    const address = `http://127.0.0.1:${this.#hub.port}/a2a/peers/${hub}/agents/${agent}`;
    return a2aClient(`${address}/.well-known/agent-card.json`, this.#token, binding);
  }

  async take(kind: 'query' | 'delegate' | 'cancel' | 'result'): Promise<DeliveryDto> {
    const claim = { max: 1, wait_ms: 20_000, kinds: [kind] };
    const { items } = await this.http('/v1/inbox/claim', claim);
    const [item] = items as readonly DeliveryDto[];
    if (item === undefined) throw new Error(`no ${kind} came to ${this.name}`);
    return item;
  }

  ack(item: DeliveryDto): Promise<JsonObject> {
    return this.http(`/v1/inbox/${item.delivery_id}/ack`, {});
  }

  /** Ends what it took, and puts a cancel of it away; what it is told of that. */
  async end(work: DeliveryDto, how: How): Promise<string> {
    if (how === 'gives it back')
      return JSON.stringify(await this.http(`/v1/inbox/${work.delivery_id}/nack`, {}));
    const cancel = how === 'obeys' ? await this.take('cancel') : undefined;
    if (this.#language === undefined) {
      const said = await this.#reply(work.delivery_id, how);
      if (cancel !== undefined) await this.ack(cancel);
      return said;
    }
    const { native } = (cancel ?? work).untrusted;
    const answer = this.#language.answer(newId(this.door), objectOf(native), how !== 'fails');
    return JSON.stringify(await this.#post(answer));
  }

  http(path: string, body?: JsonObject, method?: string): Promise<JsonObject> {
    return atDoor(this.#hub, this.#token, path, body, method);
  }

  async #reply(delivery: string, how: Exclude<How, 'gives it back'>): Promise<string> {
    const status = { obeys: 'cancelled', completes: 'completed', fails: 'failed' }[how];
    const reply = { status, outcome: WORDS };
    if (this.door === 'cli') {
      const { out, error } = await this.#axon('reply', delivery, WORDS, '--status', status);
      return out + error;
    }
    return JSON.stringify(
      this.door === 'mcp'
        ? await this.#tool('axon_reply', { delivery, ...reply })
        : await this.http(`/v1/inbox/${delivery}/reply`, reply),
    );
  }

  get #language(): Language | undefined {
    return DIALECTS.some((dialect) => dialect === this.door)
      ? LANGUAGES[this.door as DialectName] // one of them
      : undefined;
  }

  get #variables(): Readonly<Record<string, string>> {
    return { AXON_HOME: this.#hub.home, AXON_TOKEN_FILE: this.#tokenFile };
  }

  get #tokenFile(): string {
    return join(this.#hub.home, `${this.name}.secret`);
  }

  #post(message: JsonObject): Promise<JsonObject> {
    return this.http('/v1/messages', message);
  }

  #axon(...words: readonly string[]): Promise<Ended> {
    return Program.start('cli', words, this.#variables).ended();
  }

  /** What the tool gives; of a refusal its sentence, as `detail`. */
  async #tool(name: string, given: JsonObject): Promise<JsonObject> {
    const result = objectOf((await callTool(this.#hub, this.#token, name, given))['result']);
    if (result['isError'] !== true) return objectOf(result['structuredContent']);
    const [{ text = '' } = {}, said] = result['content'] as readonly { readonly text?: string }[];
    const { came_of_it: sentence } = objectOf(
      objectOf(JSON.parse(said?.text ?? '{}'))['untrusted'],
    );
    return { detail: sentence ?? text.replace(/ \([a-z_]+\)$/, '') };
  }
}
