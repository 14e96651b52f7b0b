// A whole hub inside the test's own process: the real node with its real doors, store, vault and
// QUIC endpoint, in a temporary folder and on free ports. And a socket to its localhost door that
// sends exactly the bytes it is given.
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { FileVault } from '../../main/adapters/keyvault/file-vault.ts';
import { LineLog } from '../../main/adapters/log/line-log.ts';
import type { Config } from '../../main/app/config.ts';
import { createNode } from '../../main/app/node.ts';
import type { HubNode } from '../../main/app/node.ts';
import type { Discovery } from '../../main/ports/discovery.ts';
import type { KeyVault } from '../../main/ports/key-vault.ts';
import type { StartRunner } from '../../main/ports/runner-process.ts';
import { createInProcessTransport } from './in-process-transport.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface TestHubOptions {
  /** The data folder, if something should stand in it before the start. */
  readonly home?: string;
  readonly rendererDirectory?: string;
  /** What it hears of other hubs; nothing, unless given. */
  readonly discovery?: Discovery;
  /** Network interfaces by name; all, unless given. */
  readonly interfaces?: readonly string[];
  readonly vaults?: (home: string) => readonly KeyVault[];
  /** In place of a program of its own for each agent. */
  readonly startRunner?: StartRunner;
  readonly requestsPerSecond?: number;
  /** How many times the usual rates another hub may have. */
  readonly peerRateFactor?: number;
}

function makeNode(
  home: string,
  logLines: string[],
  options: TestHubOptions,
  change: Partial<Config> = {},
): Promise<HubNode> {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const config: Config = {
    home,
    settings: { name: 'Test hub', discovery: options.discovery !== undefined },
    fixed: {},
    opensBrowser: false,
    apiPort: 0,
    peerPort: 0,
    interfaces: options.interfaces ?? null,
    logLevel: 'debug',
    logForm: null,
    requestsPerSecond: options.requestsPerSecond ?? 100,
    peerRateFactor: options.peerRateFactor ?? 1,
    ...change,
  };
  return createNode(config, {
    clock,
    random,
    log: new LineLog(clock, (line) => logLines.push(line), 'debug'),
    desktop: false,
    ...(options.discovery === undefined ? {} : { discovery: options.discovery }),
    ...(options.startRunner === undefined ? {} : { startRunner: options.startRunner }),
    rendererDirectory: options.rendererDirectory ?? null,
    transport: createInProcessTransport({ clock, random }),
    vaults: options.vaults?.(home) ?? [new FileVault(join(home, 'identity.key'))],
  });
}

export class TestHub {
  readonly home: string;
  readonly node: HubNode;
  /** Every line of the program's log. */
  readonly logLines: string[];

  readonly #options: TestHubOptions;

  private constructor(home: string, node: HubNode, logLines: string[], options: TestHubOptions) {
    this.#options = options;
    this.home = home;
    this.node = node;
    this.logLines = logLines;
  }

  static async start(options: TestHubOptions = {}): Promise<TestHub> {
    const home = options.home ?? mkdtempSync(join(tmpdir(), 'axon-hub-'));
    const logLines: string[] = [];
    const node = await makeNode(home, logLines, options);
    await node.start();
    return new TestHub(home, node, logLines, options);
  }

  /** A node over the same folder, not started; the first one must have been stopped. */
  restart(change: Partial<Config> = {}): Promise<HubNode> {
    return makeNode(this.home, this.logLines, this.#options, change);
  }

  async stop(): Promise<void> {
    await this.node.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  get port(): number {
    return this.node.apiPort;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Makes an agent and gives its token. */
  async agent(name: string): Promise<string> {
    const page = await this.page();
    const { status, text } = await this.ask('/v1/agents/create', {
      method: 'POST',
      token: page,
      body: { name, domains: [`${name}.work`] },
    });
    if (status !== 200) throw new Error(text);
    return readField(text, 'token');
  }

  /** Logs a page in with a real code and gives its token. */
  async page(): Promise<string> {
    const code = new URL(this.node.makeLoginUrl()).hash.slice('#c='.length);
    const { text } = await this.ask('/v1/login', { method: 'POST', body: { code } });
    return readField(text, 'token');
  }

  /** A well-formed request, each on a connection of its own. */
  ask(path: string, asking: Asking = {}): Promise<HttpAnswer> {
    const body = asking.body === undefined ? undefined : JSON.stringify(asking.body);
    const headers: Record<string, string> = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(asking.token === undefined ? {} : { authorization: `Bearer ${asking.token}` }),
      ...asking.headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          method: asking.method ?? 'GET',
          headers,
          agent: false,
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: Buffer.concat(parts).toString('utf8'),
            }),
          );
          answer.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /**
   * Sends these bytes and gives everything that came back until the hub closed, or until one answer
   * was whole.
   */
  raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let failure: NodeJS.ErrnoException | undefined;
      const socket = connect({ host: '127.0.0.1', port: this.port }, () =>
        socket.write(bytes, 'latin1'),
      );
      let text = '';
      socket.setEncoding('latin1');
      socket.on('data', (part: string) => {
        text += part;
        const length = /\r\ncontent-length: ([0-9]+)/i.exec(text)?.[1];
        const head = text.indexOf('\r\n\r\n');
        if (length !== undefined && head >= 0 && text.length >= head + 4 + Number(length))
          socket.end();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => (failure = error));
      socket.on('close', () => {
        if (failure === undefined || failure.code === 'ECONNRESET') resolve(text);
        else reject(failure);
      });
    });
  }
}

/** The status of a raw answer; 0 when there was none. */
export function statusOf(raw: string): number {
  return Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(raw)?.[1] ?? 0);
}

export function readField(text: string, name: string): string {
  const value: unknown = JSON.parse(text);
  const field: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  if (typeof field !== 'string') throw new Error(`no "${name}" in ${text}`);
  return field;
}
