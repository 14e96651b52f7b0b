// The loop behind `axon listen`: claims an item, says "I have it", runs the program with the item on its standard input, and replies with
// what it printed. One item at a time. The item reaches the program as JSON on a pipe, never as an argument or through a shell.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { AppError } from '../lib/app-error.ts';
import { HubProblem } from './hub-client.ts';
import type { HubClient } from './hub-client.ts';
import type { Terminal } from './terminal.ts';

const CLAIM_WAIT_MS = 55_000;
/** Waits between tries while the hub cannot be reached. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
/** What the program prints beyond this is cut off: an outcome travels in one envelope. */
const OUTPUT_SIZE_MAX_BYTES = 48_000;
const ERROR_SIZE_MAX_BYTES = 4_000;

export interface ListenOptions {
  readonly words: readonly string[];
  readonly domains: readonly string[];
  readonly once: boolean;
}

interface ProgramEnd {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs until it is interrupted, or after one item with `once`. Returns the exit code. */
export async function listen(client: HubClient, terminal: Terminal, options: ListenOptions): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const { token } = await client.call('hub.whoami', {});
    if (token.agent === null) throw new AppError('forbidden', 'Only an agent can listen.', { failedBy: 'input' });
    await offerDomains(client, token.agent, options.domains);
    terminal.note(`Listening as ${token.agent}. Stop with Ctrl+C.`);
    return await work(client, terminal, options, stop.signal);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function work(client: HubClient, terminal: Terminal, options: ListenOptions, signal: AbortSignal): Promise<number> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const { items } = await client.call('inbox.claim', { max: 1, wait_ms: CLAIM_WAIT_MS, kinds: ['delegate', 'query'] }, signal);
      failures = 0;
      for (const item of items) {
        await handle(client, terminal, item, options.words);
        if (options.once) return 0;
      }
    } catch (error) {
      if (signal.aborted) return 0;
      if (!isPassing(error)) throw error;
      const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(failures++, 6));
      terminal.note(`The hub does not answer; trying again in ${Math.ceil(waitMs / 1000)} s.`);
      await pause(waitMs, signal);
    }
  }
  return 0;
}

async function handle(client: HubClient, terminal: Terminal, item: DeliveryDto, words: readonly string[]): Promise<void> {
  await client.call('inbox.ack', { delivery: item.delivery_id });
  terminal.note(`${item.kind} from ${item.trust.peer_name} (${item.delivery_id})`);
  const end = await runProgram(words, `${JSON.stringify(item)}\n`);
  const said = end.output.trim();
  const answer =
    end.exitCode === 0
      ? { status: 'completed' as const, outcome: said, summary: said, data: objectIn(said) }
      : { status: 'failed' as const, outcome: said, error: end.errors.trim() || `The program ended with exit code ${end.exitCode}.` };
  try {
    const { state } = await client.call('inbox.reply', { delivery: item.delivery_id, ...answer });
    terminal.note(`replied: ${state}`);
  } catch (error) {
    // It was cancelled or came too late meanwhile: nothing to do but to say so.
    if (!(error instanceof HubProblem)) throw error;
    terminal.note(`the reply was not taken: ${error.problem.detail}`);
  }
}

function runProgram(words: readonly string[], input: string): Promise<ProgramEnd> {
  const [program = '', ...parameters] = words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'pipe'], shell: false, windowsHide: true });
    const output = new Kept(OUTPUT_SIZE_MAX_BYTES);
    const errors = new Kept(ERROR_SIZE_MAX_BYTES);
    child.stdout.on('data', (part: Buffer) => output.add(part));
    child.stderr.on('data', (part: Buffer) => errors.add(part));
    child.on('error', (cause) =>
      reject(new AppError('bad_request', `The program "${program}" cannot be started.`, { failedBy: 'input', cause })),
    );
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output: output.text(), errors: errors.text() }));
    // A program that does not read its input closes the pipe: its own business.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** The first bytes of a stream, up to a limit. */
class Kept {
  readonly #max: number;
  readonly #parts: Buffer[] = [];
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(part: Buffer): void {
    const room = this.#max - this.#size;
    if (room <= 0) return;
    this.#parts.push(part.subarray(0, room));
    this.#size += Math.min(room, part.byteLength);
  }

  text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }
}

async function offerDomains(client: HubClient, agent: string, domains: readonly string[]): Promise<void> {
  if (domains.length === 0) return;
  const now = await client.call('agents.get', { name: agent });
  const known = now.domains.map(({ domain }) => domain);
  if (domains.every((domain) => known.includes(domain))) return;
  await client.call('agents.update', { name: agent, domains: [...new Set([...known, ...domains])] });
}

/** What the program printed, when it is a JSON object: then it is also the answer's data. */
function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof HubProblem) return error.problem.retryable;
  return error instanceof AppError && (error.code === 'hub_unreachable' || error.code === 'timeout');
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal }).catch(() => undefined);
}
