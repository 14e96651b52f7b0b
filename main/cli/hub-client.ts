// The command line's line to its hub: finds it by the runtime file, and sends operations over
// kept-alive connections, on each of which it has proven first that it wrote that file. Knows no
// command and prints nothing.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ERRORS } from '../../preload/contract/errors.ts';
import type { Problem } from '../../preload/contract/errors.ts';
import { httpRequestOf } from '../../preload/contract/http-form.ts';
import type { HttpRequestForm } from '../../preload/contract/http-form.ts';
import type {
  OperationInput,
  OperationName,
  OperationResult,
} from '../../preload/contract/operations.ts';
import { AppError } from '../lib/app-error.ts';
import { BODY_SIZE_MAX_BYTES, tooLarge } from '../lib/body-size.ts';
import { SOCKET_NAME } from '../lib/data-folder.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { VERSION } from '../lib/version.ts';
import { NotTheHub, ProvenAgent, type HubPlace } from './proven-agent.ts';

/** Longer than the longest wait the hub offers by itself (55 s). */
const CALL_TIMEOUT_MS = 65_000;
/** What a call that names its own deadline is given on top of it. */
const DEADLINE_MARGIN_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const HEALTH: HttpRequestForm = { method: 'GET', path: '/health', body: null };
/** An answer longer than this is not read to its end. */
const ANSWER_SIZE_MAX_BYTES = 64 * 1024 * 1024;

/** How long a hub may ask to wait while it starts, and how often it is asked. */
const STARTING_RETRY_MAX_MS = 2_000;
const STARTING_TRIES_MAX = 10;

/** A refusal that came from the hub, as it came. */
export class HubProblem extends Error {
  override readonly name = 'HubProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** A token, and what to say where the hub does not take it. */
interface GivenToken {
  readonly text: string;
  readonly notTaken: Pick<Problem, 'detail' | 'hint'> | null;
}

export class HubClient {
  readonly facts: HubPlace;
  readonly #home: string;
  readonly #agent: ProvenAgent;
  readonly #token: GivenToken | null;
  readonly #userAgent: string;

  private constructor(
    home: string,
    facts: HubPlace,
    agent: ProvenAgent,
    token: GivenToken | null,
    userAgent: string,
  ) {
    this.#home = home;
    this.facts = facts;
    this.#agent = agent;
    this.#token = token;
    this.#userAgent = userAgent;
  }

  /**
   * Finds the hub of this data folder and checks that it is the one. Throws `hub_unreachable`,
   * and AbortError with the signal.
   */
  static async connect(home: string, signal?: AbortSignal): Promise<HubClient> {
    const facts = readRuntimeFile(home);
    if (facts.socket !== null) {
      try {
        return await HubClient.#connectBy(facts, home, signal);
      } catch {
        // Nobody answers there, or not this hub: the port is asked, and says what is wrong.
      }
    }
    return HubClient.#connectBy({ ...facts, socket: null }, home, signal);
  }

  static async #connectBy(
    facts: HubPlace,
    home: string,
    signal: AbortSignal | undefined,
  ): Promise<HubClient> {
    signal?.throwIfAborted();
    const agent = new ProvenAgent(facts);
    const client = new HubClient(home, facts, agent, null, `axon/${VERSION}`);
    try {
      // Any request has the proof before it.
      await client.#send(HEALTH, CONNECT_TIMEOUT_MS, signal);
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /**
   * The same line, speaking for this token.
   * @param notTaken what to say where the hub does not take it
   */
  withToken(token: string, notTaken: GivenToken['notTaken'] = null): HubClient {
    return this.#with({ text: token, notTaken }, this.#userAgent);
  }

  /** The same line, which says of itself that it is this program. */
  withUserAgent(userAgent: string): HubClient {
    return this.#with(this.#token, userAgent);
  }

  #with(token: GivenToken | null, userAgent: string): HubClient {
    return new HubClient(this.#home, this.facts, this.#agent, token, userAgent);
  }

  /**
   * A new line to the hub of the same folder, for the same token: it may have started again at
   * another port. Throws `hub_unreachable`.
   */
  async again(signal?: AbortSignal): Promise<HubClient> {
    return (await HubClient.connect(this.#home, signal)).#with(this.#token, this.#userAgent);
  }

  /**
   * Throws HubProblem for a refusal, `payload_too_large` for what no hub takes, `hub_unreachable`
   * or `timeout` when there was no answer.
   */
  async call<Name extends OperationName>(
    name: Name,
    params: OperationInput<Name>,
    signal?: AbortSignal,
  ): Promise<OperationResult<Name>> {
    const form = httpRequestOf(name, { ...params });
    // A hub that refuses it ends the connection, and what it says may be lost in that.
    if (Buffer.byteLength(form.body ?? '') > BODY_SIZE_MAX_BYTES) throw tooLarge();
    for (let tries = 1; ; tries++) {
      const { status, body } = await this.#send(form, timeoutOf(params), signal);
      const answer = readJson(body);
      if (status >= 200 && status < 300 && answer !== undefined)
        return answer as OperationResult<Name>;
      // A hub that is just starting is ready in a moment; one that waits for its owner says to come
      // back much later.
      const isStarting =
        isProblem(answer) &&
        answer.code === 'hub_locked' &&
        (answer.retry_after_ms ?? Infinity) <= STARTING_RETRY_MAX_MS;
      if (isStarting && tries < STARTING_TRIES_MAX)
        await setTimeout(answer.retry_after_ms, undefined, { signal });
      else throw failureOf(answer, status, this.#token);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    form: HttpRequestForm,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: string }> {
    const headers: Record<string, string> = {
      host: this.#agent.host,
      accept: 'application/json',
      'user-agent': this.#userAgent,
    };
    if (form.body !== null) {
      headers['content-type'] = 'application/json';
      // Node writes neither a length nor chunks for a DELETE by itself: its body would be read as
      // the next request.
      headers['content-length'] = String(Buffer.byteLength(form.body));
    }
    if (this.#token !== null) headers['authorization'] = `Bearer ${this.#token.text}`;
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(failureOnTheWay(error, this.facts.port));
      const sent = request(
        {
          method: form.method,
          path: form.path,
          agent: this.#agent,
          headers,
          signal,
        },
        (response) => {
          const parts: Buffer[] = [];
          let size = 0;
          response.on('data', (part: Buffer) => {
            size += part.byteLength;
            if (size > ANSWER_SIZE_MAX_BYTES)
              response.destroy(new RangeError('the answer is too long'));
            else parts.push(part);
          });
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              body: Buffer.concat(parts).toString('utf8'),
            }),
          );
          response.on('error', fail);
        },
      );
      sent.setTimeout(timeoutMs, () =>
        sent.destroy(
          new AppError('timeout', 'The hub did not answer in time.', { failedBy: 'timeout' }),
        ),
      );
      sent.on('error', fail);
      // A request that has no connection yet hears of the signal only once it has one.
      const giveUp = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', giveUp);
      sent.on('close', () => signal?.removeEventListener('abort', giveUp));
      sent.end(form.body ?? undefined);
    });
  }
}

/** How long to wait for an answer, ms: a call that names a deadline may take that long. */
function timeoutOf(params: object): number {
  const deadlineMs =
    'deadline_ms' in params && typeof params.deadline_ms === 'number' ? params.deadline_ms : 0;
  return Math.max(CALL_TIMEOUT_MS, deadlineMs + DEADLINE_MARGIN_MS);
}

/**
 * Reads hub.json: private to this user, never through a link, and never waiting for whoever writes
 * into a pipe.
 */
function readRuntimeFile(home: string): HubPlace {
  const path = join(home, 'hub.json');
  let text: string;
  try {
    const descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const found = fstatSync(descriptor);
      if (!found.isFile())
        throw new AppError(
          'hub_unreachable',
          `"${path}" is not a regular file, so it is not believed.`,
        );
      const { mode, uid } = found;
      const isMine = process.getuid === undefined || uid === process.getuid();
      if (!isMine || (process.platform !== 'win32' && (mode & 0o077) !== 0)) {
        throw new AppError(
          'hub_unreachable',
          `"${path}" is not private to you, so it is not believed.`,
        );
      }
      text = readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('hub_unreachable', `No hub is running with the data folder ${home}.`, {
      hint: 'Start one with "axon hub", or name the data folder of the one that runs: --home FOLDER, or AXON_HOME.',
    });
  }
  const value = readJson(text);
  if (
    isJsonObject(value) &&
    typeof value['port'] === 'number' &&
    typeof value['boot_secret'] === 'string'
  ) {
    return {
      port: value['port'],
      bootSecret: value['boot_secret'],
      socket: socketIn(home),
    };
  }
  throw new AppError('hub_unreachable', `"${path}" is not what a running hub writes there.`, {
    hint: 'Start the hub again with "axon hub": it writes the file anew.',
  });
}

/** The hub's socket, where it has one. The folder is private, and never left through a link. */
function socketIn(home: string): string | null {
  const path = join(home, SOCKET_NAME);
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true ? path : null;
}

/** Whether it kept a call from the hub before anything of the call was sent. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'hub_unreachable') return false;
  const { cause } = error;
  return (
    cause instanceof NotTheHub ||
    (cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect')
  );
}

/** What kept a call from its answer; that it was given up is none. */
function failureOnTheWay(cause: Error, port: number): Error {
  if (cause instanceof AppError || cause.name === 'AbortError') return cause;
  if (cause instanceof NotTheHub) {
    return new AppError(
      'hub_unreachable',
      `What answers at port ${port} did not prove that it is your hub. Nothing secret was sent to it.`,
      { hint: 'Find out what listens there. After an update, start the hub again.', cause },
    );
  }
  return new AppError(
    'hub_unreachable',
    `Nothing answers at 127.0.0.1:${port}; the hub seems to have stopped.`,
    {
      hint: 'Start it again with "axon hub".',
      cause,
    },
  );
}

function failureOf(answer: unknown, status: number, token: GivenToken | null): Error {
  if (isProblem(answer))
    return new HubProblem(
      answer.code === 'unauthenticated'
        ? { ...answer, ...hintWithoutHttp(answer), ...token?.notTaken }
        : answer,
    );
  return new AppError('internal', `The hub gave an answer that cannot be read (HTTP ${status}).`);
}

/** Whoever types commands sends no headers. */
function hintWithoutHttp({ hint }: Problem): Pick<Problem, 'hint'> {
  return hint?.includes('Authorization') === true
    ? { hint: 'Connect the agent again: "axon agents connect NAME"; a person runs "axon login".' }
    : {};
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return (
    isJsonObject(value) &&
    typeof value['code'] === 'string' &&
    Object.hasOwn(ERRORS, value['code']) &&
    typeof value['detail'] === 'string'
  );
}
