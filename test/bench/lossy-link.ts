// Two network namespaces joined by a link that delays and loses (link-emulator.c). It needs
// namespaces, a TUN device and a C compiler (requirements.ts). Whatever is made here is removed by
// `close`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineProcess } from '../lan/line-process.ts';
import type { Place } from './bench-process.ts';

const SOURCE = join(import.meta.dirname, 'link-emulator.c');
const READY_LIMIT_MS = 5_000;
const SERVER_ADDRESS = '10.78.0.1';
const CLIENT_ADDRESS = '10.78.0.2';

export interface LinkOptions {
  readonly delayMs: number;
  /** Of ten thousand packets each way. */
  readonly lossPerTenThousand: number;
  readonly seed: number;
}

export class LossyLink {
  /** Where the server and the client of a pair run. */
  readonly places: readonly [Place, Place];
  readonly serverAddress = SERVER_ADDRESS;
  readonly clientAddress = CLIENT_ADDRESS;
  readonly #folder: string;
  readonly #namespaces: readonly string[];
  readonly #emulator: LineProcess;

  private constructor(
    folder: string,
    namespaces: readonly [string, string],
    emulator: LineProcess,
  ) {
    this.#folder = folder;
    this.#namespaces = namespaces;
    this.#emulator = emulator;
    const inside = (namespace: string): Place => ['ip', 'netns', 'exec', namespace];
    this.places = [inside(namespaces[0]), inside(namespaces[1])];
  }

  static async open({ delayMs, lossPerTenThousand, seed }: LinkOptions): Promise<LossyLink> {
    const folder = mkdtempSync(join(tmpdir(), 'axon-link-'));
    const program = join(folder, 'link-emulator');
    run('cc', ['-O2', '-Wall', '-o', program, SOURCE]);
    const names = ['a', 'b'].map((side) => `axl${process.pid}${side}`);
    const [a = '', b = ''] = names;
    const emulator = new LineProcess(program, [
      a,
      b,
      String(delayMs * 1_000),
      String(lossPerTenThousand),
      String(seed),
    ]);
    const link = new LossyLink(folder, [a, b], emulator);
    try {
      await emulator.until((line) => line === 'ready', READY_LIMIT_MS);
      plug(a, SERVER_ADDRESS, CLIENT_ADDRESS);
      plug(b, CLIENT_ADDRESS, SERVER_ADDRESS);
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  /** Takes the link down; what it forwarded and lost, in its own words. */
  async close(): Promise<string> {
    await this.#emulator.kill('SIGTERM');
    for (const namespace of this.#namespaces) spawnSync('ip', ['netns', 'delete', namespace]);
    rmSync(this.#folder, { recursive: true, force: true });
    return this.#emulator.lines.at(-1) ?? '';
  }
}

/** Puts the device of that name into a namespace of that name. */
function plug(name: string, address: string, peer: string): void {
  run('ip', ['netns', 'add', name]);
  run('ip', ['link', 'set', name, 'netns', name]);
  run('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
  run('ip', ['-n', name, 'addr', 'add', address, 'peer', peer, 'dev', name]);
  run('ip', ['-n', name, 'link', 'set', name, 'up', 'txqueuelen', '10000']);
}

function run(command: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed: ${stderr}`);
}
