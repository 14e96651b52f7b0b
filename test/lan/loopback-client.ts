// HTTP to the loopback of one computer of the test network, from outside it. Knows nothing of hubs.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineProcess } from './line-process.ts';
import type { Computer } from './namespaces.ts';

const OPEN_MS = 20_000;

interface LoopbackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly timeoutMs?: number;
}

/** Where a program outside of that computer connects to reach a port of its loopback. */
type LoopbackTarget =
  { readonly host: string; readonly port: number } | { readonly socketPath: string };

interface Way {
  readonly folder: string;
  readonly socketPath: string;
  readonly bridge: LineProcess;
}

export class LoopbackClient {
  readonly port: number;
  /** Null on this very computer: its loopback is ours. */
  readonly #way: Way | null;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(port: number, way: Way | null) {
    this.port = port;
    this.#way = way;
  }

  /** A client for `port` on the loopback of `computer`. */
  static async open(computer: Computer, port: number): Promise<LoopbackClient> {
    if (computer.isThisOne) return new LoopbackClient(port, null);
    const folder = await mkdtemp(join(tmpdir(), 'axon-bridge-'));
    const socketPath = join(folder, 's');
    const [node, ...before] = computer.nodeCommand('test/lan/loopback-bridge.ts');
    const bridge = computer.start(node, [...before, socketPath, String(port)]);
    await bridge.until((line) => line === 'open', OPEN_MS);
    return new LoopbackClient(port, { folder, socketPath, bridge });
  }

  /**
   * For a connection that is not one request and its answer; its Host header must name 127.0.0.1
   * and `port`.
   */
  get target(): LoopbackTarget {
    return this.#way === null
      ? { host: '127.0.0.1', port: this.port }
      : { socketPath: this.#way.socketPath };
  }

  /** One request, as a program on that computer would send it to 127.0.0.1. */
  async send(wanted: LoopbackRequest): Promise<LoopbackAnswer> {
    const headers = { host: `127.0.0.1:${this.port}`, ...wanted.headers };
    return await new Promise((resolve, reject) => {
      const sent = request(
        { ...this.target, agent: this.#agent, method: wanted.method, path: wanted.path, headers },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: Buffer.concat(parts).toString(),
            }),
          );
        },
      );
      sent.setTimeout(wanted.timeoutMs ?? 60_000, () =>
        sent.destroy(new Error(`no answer to ${wanted.method} ${wanted.path}`)),
      );
      sent.on('error', reject);
      sent.end(wanted.body ?? undefined);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    if (this.#way === null) return;
    await this.#way.bridge.kill();
    await rm(this.#way.folder, { recursive: true, force: true });
  }
}
