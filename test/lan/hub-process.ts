// A built headless hub on one computer of the test network, in a data folder that outlives it:
// started, asked through its own HTTP API, killed at any moment and started again. It is the real
// program and talks to nothing but its real doors.
import { watch } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERRORS, type Problem } from '../../preload/contract/errors.ts';
import { httpRequestOf } from '../../preload/contract/http-form.ts';
import type {
  OperationInput,
  OperationName,
  OperationResult,
} from '../../preload/contract/operations.ts';
import { EventReader } from '../support/event-reader.ts';
import { LoopbackClient } from './loopback-client.ts';
import type { Environment, LineProcess } from './line-process.ts';
import { NODE_BINARY, REPOSITORY_ROOT, type Computer } from './namespaces.ts';

const HUB_PROGRAM = join(REPOSITORY_ROOT, 'out', 'main', 'headless.js');
const CLI_PROGRAM = join(REPOSITORY_ROOT, 'out', 'main', 'cli.js');
const START_MS = 20_000;
const CALL_TIMEOUT_MS = 65_000;
/**
 * Without a session bus there is no keychain: the identity key lies in the data folder, as on a
 * server.
 */
const NO_KEYCHAIN = { DBUS_SESSION_BUS_ADDRESS: undefined, XDG_RUNTIME_DIR: undefined };
const PASSPHRASE = 'a passphrase for tests only';

/** A refusal that came from the hub. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** The hub's API, speaking for one token or for none. */
export class HubApi {
  readonly #client: LoopbackClient;
  readonly #token: string | null;

  constructor(client: LoopbackClient, token: string | null) {
    this.#client = client;
    this.#token = token;
  }

  /** The same hub, for another token. */
  withToken(token: string): HubApi {
    return new HubApi(this.#client, token);
  }

  /**
   * The events from now on: for the token of a person those of the pages, for that of an agent its
   * inbox.
   */
  follow(
    path: '/v1/events' | '/v1/inbox/stream' = '/v1/events',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> {
    const { target, port } = this.#client;
    return EventReader.openAt(target, path, this.#token ?? '', {
      host: `127.0.0.1:${port}`,
      ...headers,
    });
  }

  /** Throws HubRefusal for a refusal. */
  async call<Name extends OperationName>(
    name: Name,
    params: OperationInput<Name>,
    idempotencyKey?: string,
  ): Promise<OperationResult<Name>> {
    const { method, path, body } = httpRequestOf(name, { ...params });
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== null) headers['content-type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (this.#token !== null) headers['authorization'] = `Bearer ${this.#token}`;
    const answer = await this.#client.send({
      method,
      path,
      body,
      headers,
      timeoutMs: CALL_TIMEOUT_MS,
    });
    const value: OperationResult<Name> | Problem = JSON.parse(answer.body);
    if (isProblem(value)) throw new HubRefusal(value);
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${name} was answered ${answer.status}: ${answer.body}`);
    return value;
  }
}

export interface HubOptions {
  readonly name: string;
  /** Further flags of the program. */
  readonly flags?: readonly string[];
  readonly environment?: Environment;
}

interface CommandEnd {
  readonly code: number | null;
  readonly output: string;
  /** Both outputs, for the message of a failure. */
  readonly transcript: string;
}

interface Running {
  readonly process: LineProcess;
  readonly client: LoopbackClient;
  readonly bootSecret: string;
}

export class HubProcess {
  readonly host: Computer;
  readonly home: string;
  readonly #options: HubOptions;
  #running: Running | null = null;

  private constructor(host: Computer, home: string, options: HubOptions) {
    this.host = host;
    this.home = home;
    this.#options = options;
  }

  /** Starts a hub with an empty data folder of its own; resolves once its API answers. */
  static async start(host: Computer, options: HubOptions): Promise<HubProcess> {
    const hub = new HubProcess(host, await mkdtemp(join(tmpdir(), 'axon-hub-')), options);
    await hub.restart();
    return hub;
  }

  /** The API without a token. Made anew by each restart: the port changes. */
  get api(): HubApi {
    return new HubApi(this.#live().client, null);
  }

  /** The process on this very computer; on another it is that of the way there. */
  get pid(): number {
    const { pid } = this.#live().process;
    if (pid === undefined) throw new Error('the hub could not be started');
    return pid;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** The port of its API, and the page's, on that computer's 127.0.0.1. */
  get port(): number {
    return this.#live().client.port;
  }

  /** The API of the person in charge; sets the owner passphrase where there is none yet. */
  async owner(): Promise<HubApi> {
    return this.api.withToken(await this.ownerToken());
  }

  /** A new login of that person. */
  async ownerToken(): Promise<string> {
    const login = (): Promise<{ readonly token: string }> =>
      this.api.call('hub.login', { passphrase: PASSPHRASE });
    const { token } = await login().catch(async (error: unknown) => {
      if (!(error instanceof HubRefusal) || error.problem.code !== 'passphrase_required')
        throw error;
      await this.api.call('hub.setPassphrase', {
        passphrase: PASSPHRASE,
        boot_secret: this.#live().bootSecret,
      });
      return await login();
    });
    return token;
  }

  /** A link that logs a page on that computer in, once. */
  async loginLink(): Promise<string> {
    return (await (await this.owner()).call('hub.loginCode', {})).url;
  }

  /** Runs an `axon` command on that computer to its end. */
  async axon(args: readonly string[], environment: Environment = {}): Promise<CommandEnd> {
    const command = this.host.start(
      NODE_BINARY,
      [CLI_PROGRAM, '--home', this.home, ...args],
      environment,
    );
    const code = await command.ended;
    return { code, output: command.lines.join('\n'), transcript: command.transcript() };
  }

  /**
   * The same for the person in charge, who gives the passphrase in a file. `owner` must have set
   * it.
   */
  async axonAsOwner(args: readonly string[]): Promise<CommandEnd> {
    const file = join(this.home, 'passphrase');
    await writeFile(file, PASSPHRASE, { mode: 0o600 });
    return await this.axon(['--passphrase-file', file, ...args]);
  }

  /**
   * Ends the process at once, as a power cut would: SIGKILL unless another signal is given. The
   * data folder stays.
   */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const running = this.#running;
    this.#running = null;
    if (running === null) return null;
    const code = await running.process.kill(signal);
    await running.client.close();
    return code;
  }

  /**
   * Stops the program where it stands, until `thaw`: it hears nothing and says nothing. Only on
   * this very computer.
   */
  freeze(): void {
    this.#live().process.signal('SIGSTOP');
  }

  /** Lets it go on; nothing for one that was killed or started again meanwhile. */
  thaw(): void {
    this.#live().process.signal('SIGCONT');
  }

  /** Starts it (again) in the same data folder. */
  async restart(): Promise<void> {
    await this.kill();
    const { name, flags = [], environment = {} } = this.#options;
    const settings = [
      '--home',
      this.home,
      '--api-port',
      '0',
      '--peer-port',
      '0',
      '--name',
      name,
      ...flags,
    ];
    const process = this.host.start(NODE_BINARY, [HUB_PROGRAM, ...settings], {
      ...NO_KEYCHAIN,
      ...environment,
    });
    const { port, bootSecret } = await this.#runtimeFileOf(process);
    this.#running = { process, client: await LoopbackClient.open(this.host, port), bootSecret };
  }

  /** What the running process has said, for the message of a failure. */
  transcript(): string {
    return this.#live().process.transcript();
  }

  /** Stops it in order and removes its data folder. */
  async remove(): Promise<void> {
    await this.kill('SIGTERM');
    await rm(this.home, { recursive: true, force: true });
  }

  /**
   * Waits for the runtime file that this very process wrote; a killed one may have left an older.
   */
  async #runtimeFileOf(
    process: LineProcess,
  ): Promise<{ readonly port: number; readonly bootSecret: string }> {
    return await new Promise((resolve, reject) => {
      const watcher = watch(this.home);
      const timer = setTimeout(
        () =>
          settle(() =>
            reject(new Error(`the hub wrote no hub.json in time\n${process.transcript()}`)),
          ),
        START_MS,
      );
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        watcher.close();
        finish();
      };
      const look = async (): Promise<void> => {
        const text = await readFile(join(this.home, 'hub.json'), 'utf8').catch(() => '');
        const facts = readRuntimeFacts(text);
        if (facts !== undefined && facts.pid === process.pid) settle(() => resolve(facts));
      };
      watcher.on('change', () => void look());
      void process.ended.then((code) =>
        settle(() =>
          reject(new Error(`the hub ended (${code}) at its start\n${process.transcript()}`)),
        ),
      );
      void look();
    });
  }

  #live(): Running {
    if (this.#running === null) throw new Error('the hub is not running');
    return this.#running;
  }
}

function readRuntimeFacts(
  text: string,
): { readonly port: number; readonly pid: number; readonly bootSecret: string } | undefined {
  try {
    const {
      port,
      pid,
      boot_secret: bootSecret,
    }: Readonly<Record<string, unknown>> = JSON.parse(text);
    const complete =
      typeof port === 'number' && typeof pid === 'number' && typeof bootSecret === 'string';
    return complete ? { port, pid, bootSecret } : undefined;
  } catch {
    // Not there yet, or half written.
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('detail' in value))
    return false;
  return typeof value.code === 'string' && Object.hasOwn(ERRORS, value.code);
}
