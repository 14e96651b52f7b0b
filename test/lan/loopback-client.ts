// HTTP to the loopback of one computer of the test network, from outside it. Knows nothing of hubs.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineProcess } from './line-process.ts';
import type { LanHost } from './namespaces.ts';

const OPEN_MS = 20_000;

export interface LoopbackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly timeoutMs?: number;
}

export class LoopbackClient {
  readonly port: number;
  readonly #folder: string;
  readonly #bridge: LineProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(port: number, folder: string, bridge: LineProcess) {
    this.port = port;
    this.#folder = folder;
    this.#bridge = bridge;
  }

  /** A client for `port` on the loopback of `host`. */
  static async open(host: LanHost, port: number): Promise<LoopbackClient> {
    const folder = await mkdtemp(join(tmpdir(), 'axon-bridge-'));
    const bridge = host.startNode('test/lan/loopback-bridge.ts', [join(folder, 's'), String(port)]);
    await bridge.until((line) => line === 'open', OPEN_MS);
    return new LoopbackClient(port, folder, bridge);
  }

  /** One request, as a program on that computer would send it to 127.0.0.1. */
  async send(wanted: LoopbackRequest): Promise<LoopbackAnswer> {
    const socketPath = join(this.#folder, 's');
    const headers = { host: `127.0.0.1:${this.port}`, ...wanted.headers };
    return await new Promise((resolve, reject) => {
      const sent = request({ socketPath, agent: this.#agent, method: wanted.method, path: wanted.path, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts).toString() }));
      });
      sent.setTimeout(wanted.timeoutMs ?? 60_000, () => sent.destroy(new Error(`no answer to ${wanted.method} ${wanted.path}`)));
      sent.on('error', reject);
      sent.end(wanted.body ?? undefined);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#bridge.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
