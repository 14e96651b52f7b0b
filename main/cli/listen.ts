// The loop behind `axon listen`: claims an item, says "I have it", runs the program with the item
// on its standard input, and replies with what it printed. One item at a time; a cancel of it ends
// the program, and work that is done is told however often the hub was away. The item reaches the
// program as JSON on a pipe, never as an argument or through a shell.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { DELIVERY_KINDS, isWork } from '../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import type { ErrorCode } from '../../preload/contract/errors.ts';
import type { OperationInput, OperationResult } from '../../preload/contract/operations.ts';
import { AppError } from '../lib/app-error.ts';
import { HubProblem } from './hub-client.ts';
import type { HubClient } from './hub-client.ts';
import { interruptible } from './context.ts';
import { nameOfOffer, type OfferedDomain } from './option-values.ts';
import type { Terminal } from './terminal.ts';
import { refusal } from './refusal.ts';

const CLAIM_WAIT_MS = 55_000;
const WORK_KINDS = DELIVERY_KINDS.filter(isWork);
/** Refusals that no later try can mend. */
const FATAL: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'forbidden']);
/** Waits between tries while the hub cannot be reached. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
/** What the program prints beyond this is cut off: an outcome travels in one envelope. */
const OUTPUT_SIZE_MAX_BYTES = 48_000;
const ERROR_SIZE_MAX_BYTES = 4_000;

export interface ListenOptions {
  readonly words: readonly string[];
  readonly domains: readonly OfferedDomain[];
  readonly once: boolean;
}

interface ProgramEnd {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
  readonly cancelled: boolean;
}

/** Runs until it is interrupted, or after one item with `once`. Returns the exit code. */
export async function listen(
  client: HubClient,
  terminal: Terminal,
  options: ListenOptions,
): Promise<number> {
  const { token } = await client.call('hub.whoami', {});
  if (token.agent === null) throw refusal('forbidden', 'Only an agent can listen.');
  const added = await offerDomains(client, token.agent, options.domains);
  if (added.length > 0)
    terminal.note(
      `${token.agent} did not offer ${added.join(', ')} until now; it does from now on.`,
    );
  terminal.note(`Listening as ${token.agent}. Stop with Ctrl+C.`);
  const run = (signal: AbortSignal): Promise<number> =>
    new Listener(client, terminal, options, signal).run();
  return interruptible(run);
}

class Listener {
  readonly #terminal: Terminal;
  readonly #options: ListenOptions;
  readonly #signal: AbortSignal;
  #client: HubClient;

  constructor(client: HubClient, terminal: Terminal, options: ListenOptions, signal: AbortSignal) {
    this.#client = client;
    this.#terminal = terminal;
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<number> {
    try {
      while (!this.#signal.aborted) {
        const claimed = await this.#steadily('inbox.claim', {
          max: 1,
          wait_ms: CLAIM_WAIT_MS,
          kinds: [...WORK_KINDS, 'cancel'],
        });
        for (const item of claimed?.items ?? []) {
          if (item.kind === 'cancel') await this.#settle(item);
          else if ((await this.#handle(item)) && this.#options.once) return 0;
        }
      }
      return 0;
    } finally {
      this.#client.close();
    }
  }

  /** True when the item was worked on. */
  async #handle(item: DeliveryDto): Promise<boolean> {
    if ((await this.#steadily('inbox.ack', leaseOf(item))) === undefined) return false;
    this.#terminal.note(`${item.kind} from ${item.trust.peer_name} (${item.delivery_id})`);
    const over = new AbortController();
    // A failure here shows in the next call too, where it is told.
    const watch = this.#watchForCancel(item, over).catch(() => undefined);
    const end = await runProgram(this.#options.words, `${JSON.stringify(item)}\n`, over.signal);
    over.abort();
    await watch;
    // Work that is done must be told, however often the hub is away in between.
    const replied = await this.#steadily('inbox.reply', { ...leaseOf(item), ...answerOf(end) });
    if (replied !== undefined) this.#terminal.note(`replied: ${replied.state}`);
    return true;
  }

  /** While the program runs: a cancel of its task ends it. */
  async #watchForCancel(item: DeliveryDto, over: AbortController): Promise<void> {
    const signal = AbortSignal.any([over.signal, this.#signal]);
    while (!signal.aborted) {
      const claimed = await this.#steadily(
        'inbox.claim',
        { max: 4, wait_ms: CLAIM_WAIT_MS, kinds: ['cancel'] },
        signal,
      );
      for (const cancel of claimed?.items ?? []) {
        await this.#settle(cancel);
        if (cancel.task_id === null || cancel.task_id !== item.task_id) continue;
        this.#terminal.note('it was cancelled, so the program is ended');
        over.abort();
      }
    }
  }

  async #settle(item: DeliveryDto): Promise<void> {
    await this.#steadily('inbox.ack', leaseOf(item));
  }

  /**
   * Calls until the hub answers, with pauses that grow. Undefined when the hub refuses an item for
   * good (it was cancelled or came too late) or the listener is being ended. Throws for a token
   * that is no longer any good.
   */
  async #steadily<Name extends 'inbox.claim' | 'inbox.ack' | 'inbox.reply'>(
    name: Name,
    params: OperationInput<Name>,
    signal: AbortSignal = this.#signal,
  ): Promise<OperationResult<Name> | undefined> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await this.#client.call(name, params, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof HubProblem && !error.problem.retryable) {
          if (name === 'inbox.claim' || FATAL.has(error.problem.code)) throw error;
          this.#terminal.note(`the hub did not take it: ${error.problem.detail}`);
          return undefined;
        }
        if (!isPassing(error)) throw error;
        await this.#pause(failures, signal, error);
      }
    }
    return undefined;
  }

  async #pause(failures: number, signal: AbortSignal, error: unknown): Promise<void> {
    const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(failures, 6));
    const why =
      error instanceof HubProblem
        ? error.problem.detail.replace(/\.$/, '')
        : 'The hub does not answer';
    this.#terminal.note(`${why}; trying again in ${Math.ceil(waitMs / 1000)} s.`);
    await wait(waitMs, undefined, { signal }).catch(() => undefined);
    // It may have started again at another port.
    const next = await this.#client.again().catch(() => undefined);
    if (next === undefined) return;
    this.#client.close();
    this.#client = next;
  }
}

/**
 * Names the item and which attempt at it: after this one has ended the work is another listener's.
 */
function leaseOf(item: DeliveryDto): { readonly delivery: string; readonly attempt: number } {
  return { delivery: item.delivery_id, attempt: item.attempt };
}

function answerOf(end: ProgramEnd): Omit<OperationInput<'inbox.reply'>, 'delivery' | 'attempt'> {
  const said = end.output.trim();
  if (end.exitCode === 0)
    return { status: 'completed', outcome: said, summary: said, data: objectIn(said) };
  if (end.cancelled)
    return { status: 'failed', outcome: said, error: 'It was cancelled.', code: 'cancelled' };
  return {
    status: 'failed',
    outcome: said,
    error: end.errors.trim() || `The program ended with exit code ${end.exitCode}.`,
  };
}

/**
 * Runs the program to its end. One that cannot be started is an end too: the asker must hear of it.
 */
function runProgram(
  words: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const [program = '', ...parameters] = words;
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
    });
    const output = new Kept(OUTPUT_SIZE_MAX_BYTES);
    const errors = new Kept(ERROR_SIZE_MAX_BYTES);
    const end = (exitCode: number, said: string): void =>
      resolve({ exitCode, output: output.text(), errors: said, cancelled: signal.aborted });
    signal.addEventListener('abort', () => child.kill(), { once: true });
    child.stdout.on('data', (part: Buffer) => output.add(part));
    child.stderr.on('data', (part: Buffer) => errors.add(part));
    child.on('error', () => end(1, `The program "${program}" cannot be started.`));
    child.on('close', (code) => end(code ?? 1, errors.text()));
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

/** Offers these too, and leaves hidden what else the agent does not offer. Returns what is new. */
async function offerDomains(
  client: HubClient,
  agent: string,
  domains: readonly OfferedDomain[],
): Promise<readonly string[]> {
  if (domains.length === 0) return [];
  const now = await client.call('agents.get', { name: agent });
  const offered = now.domains
    .filter((entry) => entry.offered !== false)
    .map(({ domain }) => domain);
  const isNew = (domain: string): boolean => !offered.includes(domain);
  if (domains.some((offer) => typeof offer !== 'string' || isNew(offer)))
    await client.call('agents.update', { name: agent, domains: [...offered, ...domains] });
  return [...new Set(domains.map(nameOfOffer))].filter(isNew);
}

/** What the program printed, when it is a JSON object: then it is also the answer's data. */
function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof HubProblem) return error.problem.retryable;
  return (
    error instanceof AppError && (error.code === 'hub_unreachable' || error.code === 'timeout')
  );
}
