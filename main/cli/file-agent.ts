// `axon listen --file`: an agent that is a file of a person's. Each item is asked of the model that
// the file names, once; what the hub was not told of it after a kill may have been done, and is not
// done again.
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWork } from '../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { followsOf } from '../dialects/dialect.ts';
import { FIPA } from '../dialects/fipa.ts';
import { AGENT_FILE_MAX_BYTES, readAgentFile, type AgentFile } from '../lib/agent-file.ts';
import { AppError } from '../lib/app-error.ts';
import { decodeText, firstLine } from '../lib/decode-text.ts';
import { whyUnread } from '../lib/why-unread.ts';
import { CallNotes, untilTomorrowMs } from './call-notes.ts';
import { holdAgent } from './held-name.ts';
import { readHookInput, readInput } from './hook-input.ts';
import type { HubClient } from './hub-client.ts';
import { privateFolder } from './kept-json.ts';
import { listen, type Lease, type Worked, type Worker } from './listen.ts';
import { ANSWER_MAX_TOKENS, askModel, type ModelEnd } from './model-call.ts';
import { failure, questionOf, readAnswer, repliesOf, whole } from './model-words.ts';
import { quoted } from './quoted-text.ts';
import { refusal } from './refusal.ts';
import { runnerLine, type RunnerLine } from './runner-line.ts';
import { readSecretFile, type Session } from './session.ts';
import type { Terminal } from './terminal.ts';

export interface FileOptions {
  /** "-": the text and the key come on standard input, as {"text":...,"key":...}. */
  readonly file: string;
  /** "-": on the first line of standard input. */
  readonly keyFile?: string | undefined;
  /** The host of an endpoint that is not on this computer, as a person names it. */
  readonly leavesTo?: string | undefined;
  readonly once: boolean;
}

/** Runs until it is interrupted, or after one item with `once`. Returns the exit code. */
export async function listenByFile(
  session: Session,
  terminal: Terminal,
  options: FileOptions,
): Promise<number> {
  const gone = new AbortController();
  const runner = runnerLine(() => gone.abort());
  try {
    const { text, key } = await readGiven(options);
    const read = readAgentFile(text);
    if (!read.ok) throw refusal('bad_request', `"${options.file}" is no agent. ${read.error}`);
    const file = read.value;
    checkHost(file, options.leavesTo);
    const client = await session.asAgent();
    const agent = await offer(client, file);
    await holdAgent(session.home, agent);
    const notes = new CallNotes(join(privateFolder(session.home, 'file-agents'), `${agent}.json`));
    const { model, endpoint, budget } = file;
    terminal.note(
      `${model} at ${endpoint.url}, at most ${budget} tokens a day; ${notes.today.tokens} are counted today.`,
    );
    const worker = new FileWorker(file, key, notes, terminal, runner);
    const { once } = options;
    return await listen(client, terminal, { worker, domains: [], once, gone: gone.signal });
  } catch (error) {
    if (error instanceof AppError)
      runner.tell({ state: 'cannot_start', why: error.message, tokens: 0 });
    throw error;
  }
}

/** Exported for tests. */
export class FileWorker implements Worker {
  readonly kinds = ['query', 'delegate', 'notify'] as const;
  readonly left: Worker['left'];
  readonly #file: AgentFile;
  readonly #key: string | null;
  readonly #notes: CallNotes;
  readonly #terminal: Pick<Terminal, 'note'>;
  readonly #runner: RunnerLine;
  #tellsTomorrow = false;

  constructor(
    file: AgentFile,
    key: string | null,
    notes: CallNotes,
    terminal: Pick<Terminal, 'note'>,
    runner: RunnerLine,
  ) {
    this.#file = file;
    this.#key = key;
    this.#notes = notes;
    this.#terminal = terminal;
    this.#runner = runner;
    this.#tell();
    const { left } = notes;
    if (left === null) return;
    const { isBegun: mayHaveRun, ...lease } = left;
    this.left = { lease, mayHaveRun };
  }

  taking(lease: Lease): void {
    this.#notes.taking(lease);
  }

  settled(): void {
    this.#notes.settled();
    this.#tell();
  }

  async work(
    item: DeliveryDto,
    stopped: AbortSignal,
    cancelled: AbortSignal,
  ): Promise<Worked | 'undone' | 'may have run'> {
    if (stopped.aborted && !cancelled.aborted) return 'undone';
    if (this.#usedUp !== null) {
      this.#terminal.note(this.#usedUp);
      return { answers: [whole({ ...failure(this.#usedUp), code: 'rejected' })] };
    }
    const leftMs = item.deadline_at === null ? Infinity : item.deadline_at - Date.now();
    const waitMs = Math.min(this.#file.timeoutMs, Math.max(0, Math.ceil(leftMs)));
    const late = AbortSignal.timeout(waitMs);
    this.#tell('works');
    const end = await this.#ask(item, AbortSignal.any([stopped, late]));
    if (end.kind === 'said') return this.#worked(item, end);
    if (cancelled.aborted)
      return { answers: [whole({ ...failure('It was cancelled.'), code: 'cancelled' })] };
    if (stopped.aborted) return 'may have run';
    if (late.aborted) {
      const sentence = `Its model did not answer within ${Math.ceil(waitMs / 1_000)} seconds.`;
      this.#terminal.note(sentence);
      return { answers: [whole(failure(`${sentence} It is not asked again.`))] };
    }
    return this.#worked(item, end);
  }

  /** A sentence; null: there is something left of today's tokens. */
  get #usedUp(): string | null {
    const { budget } = this.#file;
    if (this.#notes.today.tokens < budget) return null;
    return `The ${budget} tokens that this agent may use in a day are used up. It answers again tomorrow, by UTC.`;
  }

  #tell(state: 'waits' | 'works' = 'waits'): void {
    const { tokens } = this.#notes.today;
    const isUsedUp = state === 'waits' && this.#usedUp !== null;
    this.#runner.tell({ state: isUsedUp ? 'used_up' : state, why: null, tokens });
    if (!isUsedUp || this.#tellsTomorrow) return;
    this.#tellsTomorrow = true;
    setTimeout(() => this.#tomorrow(), untilTomorrowMs()).unref();
  }

  #tomorrow(): void {
    this.#tellsTomorrow = false;
    this.#tell();
  }

  async #ask(item: DeliveryDto, signal: AbortSignal): Promise<ModelEnd> {
    const { endpoint, model } = this.#file;
    const question = questionOf(this.#file, item, randomBytes(16).toString('hex'));
    // No token is shorter than a byte.
    const most = Buffer.byteLength(question.system + question.user) + ANSWER_MAX_TOKENS;
    this.#notes.begin(most);
    const end = await askModel({ endpoint, model, key: this.#key, ...question }, signal);
    const isUnsent = end.kind === 'failed' && end.isUnsent;
    this.#notes.ended(isUnsent ? 0 : end.tokens);
    const of = `${this.#notes.today.tokens} of ${this.#file.budget} tokens are counted today`;
    this.#terminal.note(
      end.tokens === null && !isUnsent
        ? `what this call cost was not said, so it counts as ${most} tokens; ${of}`
        : `${isUnsent ? 0 : end.tokens} tokens; ${of}`,
    );
    return end;
  }

  #worked(item: DeliveryDto, end: ModelEnd): Worked {
    if (end.kind === 'failed') {
      this.#terminal.note(`the model: ${end.why}`);
      return { answers: [whole(failure(`Its model gave no answer. ${end.why}`, end.tokens))] };
    }
    const said = readAnswer(end.text);
    if (!isWork(item.kind)) {
      this.#terminal.note('to a notice nobody awaits an answer; the model said:');
      for (const line of quoted(end.text)) this.#terminal.note(line);
      return { answers: [] };
    }
    if (said.ok) {
      const follows = followsOf(item.untrusted.payload);
      return { answers: repliesOf(said.value, end.tokens, follows) };
    }
    this.#terminal.note(said.error);
    for (const line of quoted(end.text)) this.#terminal.note(line);
    return { answers: [whole(failure(said.error, end.tokens))] };
  }
}

async function readGiven({
  file,
  keyFile,
}: FileOptions): Promise<{ readonly text: string; readonly key: string | null }> {
  if (file === '-') {
    const { text, key = null } = (await readHookInput(process.stdin)) ?? {};
    if (typeof text !== 'string' || (key !== null && typeof key !== 'string'))
      throw refusal('bad_request', 'Standard input holds no {"text":"...","key":"..."}.');
    return { text, key: key === null ? null : checkKey(key, 'on standard input') };
  }
  const text = readText(file);
  if (keyFile === undefined) return { text, key: null };
  if (keyFile !== '-')
    return { text, key: checkKey(readSecretFile(keyFile, 'bad_request').trim(), `in ${keyFile}`) };
  const given = firstLine((await readInput(process.stdin)) ?? '').trim();
  return { text, key: checkKey(given, 'on standard input') };
}

function readText(path: string): string {
  let bytes: Uint8Array;
  try {
    if (!statSync(path).isFile()) throw refusal('bad_request', `"${path}" is no file.`);
    bytes = readFileSync(path);
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw refusal('bad_request', `The file "${path}" cannot be read: ${whyUnread(cause)}.`);
  }
  if (bytes.byteLength > AGENT_FILE_MAX_BYTES)
    throw refusal(
      'bad_request',
      `The file "${path}" is longer than ${AGENT_FILE_MAX_BYTES} bytes.`,
    );
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw refusal('bad_request', `The file "${path}" ${decoded.error}.`);
  return decoded.value.text;
}

/** What stands in a header. */
function checkKey(key: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw refusal(
    'bad_request',
    `There is no key ${where}, or it holds something else than plain characters.`,
  );
}

function checkHost({ endpoint }: AgentFile, leavesTo: string | undefined): void {
  const { isLoopback, host, written } = endpoint;
  if (isLoopback || leavesTo === host) return;
  throw refusal(
    'bad_request',
    `The endpoint ${written} is not on this computer: whatever this agent is asked would leave to ${host}.`,
    `If you want that, say so: --leaves-to ${host}`,
  );
}

/** The agent of this token, which from now on offers what the file says. */
async function offer(client: HubClient, file: AgentFile): Promise<string> {
  const { token } = await client.call('hub.whoami', {});
  if (token.agent === null) throw refusal('forbidden', 'Only an agent can listen.');
  const { name, connected_as: asked } = await client.call('agents.get', { name: token.agent });
  if (file.name !== name && file.name !== asked) {
    throw refusal(
      'bad_request',
      `The file is of "${file.name}", and whoever speaks here is "${name}".`,
      `Connect it with "axon agents connect ${file.name}", and say --as ${file.name}.`,
    );
  }
  const { areas: domains, capabilities, model } = file;
  await client.call('agents.update', {
    name,
    domains: [...domains],
    capabilities: [...capabilities],
    model,
    dialect: FIPA.name,
  });
  return name;
}
