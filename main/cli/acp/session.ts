// One session with a program that speaks the Agent Client Protocol: starts it in a folder, gives it
// our server under a name that nobody could guess, puts it into a mode in which it asks before it
// acts, and tells it one fixed sentence. The protocol's library is not used: what is needed of it
// are five calls, and it brings a second schema library and an HTTP server along. No word of
// another hub passes here, and nothing is offered but the answer to what it asks.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { UNDER_RUNNER } from '../hook-input.ts';
import { ProgramGroup, type GroupMark } from '../program-run.ts';
import { AcpConnection, AcpError } from './connection.ts';
import { signInOf } from './sign-in.ts';
import { answerTo, cardOf, isOurTool, type Decision, type ToolCall } from './permission.ts';

/** From its start to a session; the first start of some unpacks a lot. */
const START_MAX_MS = 90_000;
/** How long it may take to stop by itself once it was asked to. */
const STOP_MAX_MS = 2_000;
/** Calls of tools whose facts are kept; the oldest are forgotten. */
const CALLS_KEPT_MAX = 256;
/** Of one call; no card shows more, so it is not allowed. */
const CALL_MAX_CHARACTERS = 262_144;
/** What is asked at once; more is not allowed. */
const ASKED_MAX = 8;
const PROTOCOL_VERSION = 1;
/** Of claude-agent-acp, whose sessions open without a sign-in. */
const SIGN_IN_NOTICE = '_auth/status_update';
/** In which they ask a person, and not a model. The first that is offered is set. */
const ASKING_MODES: readonly unknown[] = ['default', 'read-only'];
/**
 * opencode has no such mode and asks about nothing by itself: with this it asks about all but
 * reading. The others do not know it.
 */
const ASKING = {
  OPENCODE_PERMISSION: JSON.stringify({
    '*': 'ask',
    read: 'allow',
    glob: 'allow',
    grep: 'allow',
    list: 'allow',
    todoread: 'allow',
    todowrite: 'allow',
  }),
};

/**
 * Codex gives a server a second, and then begins without its tools. With this, codex-acp opens the
 * session once our server has started or failed. The others do not know it.
 */
const SERVERS_FIRST = { mcpStartupAwaitTimeoutMs: START_MAX_MS };

/** It never came to a session, so nothing was done. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
  readonly needsSignIn: boolean;

  constructor(sentence: string, needsSignIn = false) {
    super(sentence);
    this.needsSignIn = needsSignIn;
  }
}

export function notSignedIn(program: string): NotStarted {
  return new NotStarted(
    `"${program}" wants its person to sign in first. ${signInOf(program)}`,
    true,
  );
}

/** Our server, as the program starts it. */
export interface OwnServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly tools: readonly string[];
}

export interface Sitting {
  readonly words: readonly string[];
  readonly folder: string;
  /** null: it is only looked whether a session opens. */
  readonly server: OwnServer | null;
  /** Whether a person here allows this; never rejects. */
  readonly ask: (
    wanted: { readonly tool: string; readonly input: JsonObject },
    signal: AbortSignal,
  ) => Promise<boolean>;
  /** What it does now, by the protocol's kinds of tools. */
  readonly does: (kind: string) => void;
}

export class AcpSession {
  readonly #sitting: Sitting;
  readonly #name = `axon${randomBytes(8).toString('hex')}`;
  readonly #group: ProgramGroup;
  readonly #line: AcpConnection;
  /** null: more was said than a card shows. */
  readonly #calls = new Map<string, ToolCall | null>();
  /** Aborted: what it asks from now on is not even put before anybody. */
  readonly #over = new AbortController();
  #id: string | undefined;
  #asked = 0;
  #hasBegun = false;
  #isSignedOut = false;
  #tokens = 0;

  private constructor(sitting: Sitting) {
    this.#sitting = sitting;
    this.#group = new ProgramGroup(sitting.words, sitting.folder, surroundings());
    const { stdout, stdin } = this.#group.child;
    this.#line = new AcpConnection(stdout, stdin, {
      request: (method, params) => this.#request(method, params),
      notice: (method, params) => this.#notice(method, params),
    });
    void this.#group.exited.then(() => this.#line.close('The program ended.'));
  }

  /** @throws NotStarted; then nothing of it runs any more */
  static async start(sitting: Sitting, signal: AbortSignal): Promise<AcpSession> {
    const session = new AcpSession(sitting);
    const late = AbortSignal.any([signal, AbortSignal.timeout(START_MAX_MS)]);
    try {
      await Promise.race([session.#open(), givenUp(late)]);
      return session;
    } catch (error) {
      await session.end();
      throw session.#whyNot(error);
    }
  }

  /** By which a later process finds it again. */
  get mark(): GroupMark | undefined {
    return this.#group.mark;
  }

  /** As the program says by itself; what needs its person's sign-in may say so only when asked. */
  get isSignedOut(): boolean {
    return this.#isSignedOut;
  }

  /** Whether a tool was called: from then on nobody knows what was done. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** What it cost at least, by its own count. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Resolves when its turn is over. @throws AcpError */
  async prompt(text: string): Promise<void> {
    const turn = await this.#call('session/prompt', { prompt: [{ type: 'text', text }] });
    const { totalTokens } = isJsonObject(turn.usage) ? turn.usage : {};
    // Of the session so far.
    if (Number.isSafeInteger(totalTokens))
      this.#tokens = Math.max(this.#tokens, totalTokens as number); // an integer
  }

  /** Asks it to stop, and ends it with all that it started. Never rejects. */
  async end(): Promise<void> {
    const isOpen = this.#id !== undefined && !this.#over.signal.aborted;
    this.#over.abort();
    if (isOpen) {
      this.#line.notify('session/cancel', { sessionId: this.#id });
      await Promise.race([this.#group.exited, wait(STOP_MAX_MS)]);
    }
    await this.#group.end();
    this.#line.close('The program was ended.');
  }

  async #open(): Promise<void> {
    const { protocolVersion: version } = await this.#line.call('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    if (version !== PROTOCOL_VERSION)
      throw new AcpError('It speaks another version of the Agent Client Protocol.', 0);
    const { folder: cwd, server } = this.#sitting;
    const mcpServers = server === null ? [] : [this.#serverAsTold(server)];
    const params = { cwd, mcpServers, _meta: SERVERS_FIRST };
    const opened = await this.#line.call('session/new', params);
    if (typeof opened.sessionId !== 'string') throw new AcpError('It opened no session.', 0);
    this.#id = opened.sessionId;
    const mode = askingMode(opened);
    if (mode !== undefined) await this.#call('session/set_mode', { modeId: mode });
  }

  #serverAsTold({ command, args, env }: OwnServer): JsonObject {
    const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
    return { name: this.#name, command, args: [...args], env: variables };
  }

  #call(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#line.call(method, { sessionId: this.#id, ...params });
  }

  #notice(method: string, params: JsonObject | null): void {
    const { sessionId, update, authStatus } = params ?? {};
    if (method === SIGN_IN_NOTICE && isJsonObject(authStatus))
      this.#isSignedOut = authStatus.kind === 'none';
    if (method !== 'session/update') return;
    // It may tell of anything.
    if (params === null) this.#hasBegun = true;
    if (sessionId !== this.#id || !isJsonObject(update)) return;
    const { sessionUpdate, toolCallId, ...call } = update;
    const isNew = sessionUpdate === 'tool_call';
    if (!isNew && sessionUpdate !== 'tool_call_update') return;
    this.#hasBegun = true;
    if (typeof toolCallId !== 'string') return;
    this.#keep(toolCallId, call, isNew);
    const isOurs = JSON.stringify(call).includes(this.#name);
    if (isNew && typeof call.kind === 'string' && !isOurs) this.#sitting.does(call.kind);
  }

  /** @param isNew nothing that was said under this id before is about it */
  #keep(id: string, said: ToolCall, isNew: boolean): void {
    const before = isNew ? {} : this.#calls.get(id);
    this.#calls.delete(id);
    this.#calls.set(id, before === null ? null : shown({ ...before, ...said }));
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > CALLS_KEPT_MAX && oldest !== undefined) this.#calls.delete(oldest);
  }

  #request(method: string, params: JsonObject): Promise<JsonObject> | undefined {
    if (method !== 'session/request_permission') return undefined;
    return this.#decide(params).then((decision) => answerTo(params, decision));
  }

  async #decide(params: JsonObject): Promise<Decision> {
    const { signal } = this.#over;
    const { sessionId, toolCall } = params;
    if (signal.aborted || sessionId !== this.#id || !isJsonObject(toolCall)) return 'cancelled';
    const { toolCallId, ...said } = toolCall;
    const known = typeof toolCallId === 'string' ? this.#calls.get(toolCallId) : undefined;
    const { tools = [] } = this.#sitting.server ?? {};
    if (isOurTool(params, known ?? {}, { server: this.#name, tools })) return 'allow';
    const whole = known === null ? null : shown({ ...known, ...said });
    if (whole === null || this.#asked >= ASKED_MAX) return 'reject';
    this.#asked += 1;
    try {
      const isAllowed = await this.#sitting.ask(cardOf(whole), signal);
      if (signal.aborted) return 'cancelled';
      return isAllowed ? 'allow' : 'reject';
    } finally {
      this.#asked -= 1;
    }
  }

  #whyNot(error: unknown): NotStarted {
    const program = this.#sitting.words[0] ?? '';
    if (!(error instanceof AcpError)) return new NotStarted(String((error as Error).message));
    if (error.needsSignIn) return notSignedIn(program);
    const [said = ''] = this.#group.errors.printed().text.split('\n').slice(-1);
    const why = error.isGone ? said : error.message;
    return new NotStarted(`"${program}" cannot be started${why === '' ? '.' : `: ${why}`}`);
  }
}

/** Nothing else of ours: our server gets what it needs by itself. */
function surroundings(): NodeJS.ProcessEnv {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('AXON_'));
  return { ...ASKING, ...Object.fromEntries(env), ...UNDER_RUNNER };
}

/** null: it is more than a card shows. */
function shown(call: ToolCall): ToolCall | null {
  return JSON.stringify(call).length > CALL_MAX_CHARACTERS ? null : call;
}

function askingMode({ modes }: JsonObject): unknown {
  const list: unknown = isJsonObject(modes) ? modes.availableModes : [];
  const offered = Array.isArray(list) ? list.filter(isJsonObject).map(({ id }) => id) : [];
  return ASKING_MODES.find((mode) => offered.includes(mode));
}

/** @throws NotStarted once the signal comes */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void =>
      reject(new NotStarted('The program did not come to a session in time.'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
