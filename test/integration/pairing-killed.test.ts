// Pairing between two processes, killed with SIGKILL at the points where one side could stay pinned
// alone.
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PeerDto } from '../../preload/contract/dto.ts';
import type { PairingDto, PairingState } from '../../preload/contract/pairing-dto.ts';
import type { Order, Report } from './pairing-process.ts';

const WAIT_LIMIT_MS = 25_000;
let folder: string;
let hubs: KillableHub[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-pairing-'));
  hubs = [];
});
afterEach(async () => {
  await Promise.all(hubs.map((hub) => hub.kill()));
  rmSync(folder, { recursive: true, force: true });
});

class KillableHub {
  readonly name: string;
  readonly #seedHex = randomBytes(32).toString('hex');
  key = '';
  port = 0;
  pairing: PairingDto | undefined;
  peer: PeerDto | undefined;
  #child: ChildProcess | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(name: string) {
    this.name = name;
    hubs.push(this);
  }

  /** Starts, or starts again from what its store holds. */
  async start(): Promise<this> {
    this.pairing = undefined;
    this.peer = undefined;
    const program = new URL('./pairing-process.ts', import.meta.url);
    const rawImports = new URL('../support/raw-imports.mjs', import.meta.url);
    const child = fork(
      program,
      [join(folder, `${this.name}.db`), this.#seedHex, String(this.port), this.name],
      {
        execArgv: ['--import', rawImports.href],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    this.#child = child;
    let isReady = false;
    child.on('message', (report: Report) => {
      if (report.report === 'ready') {
        isReady = true;
        this.key = report.key;
        this.port = report.port;
      } else if (report.report === 'pairing') this.pairing = report.pairing;
      else this.peer = report.peer;
      for (const listener of this.#listeners) listener();
    });
    await this.until('it is ready', () => isReady);
    return this;
  }

  order(order: Order): void {
    this.#child?.send(order);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** Waits, woken by what the process reports. */
  until(what: string, condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        reject(
          new Error(
            `${this.name}: ${what} did not come true; pairing ${this.pairing?.state ?? 'none'}, peer ${this.peer?.trust ?? 'none'}`,
          ),
        );
      }, WAIT_LIMIT_MS);
      const check = (): void => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
    });
  }

  reaches(state: PairingState): Promise<void> {
    return this.until(`the pairing is ${state}`, () => this.pairing?.state === state);
  }

  isOnline(): Promise<void> {
    return this.until(
      'the other is paired and online',
      () => this.peer?.trust === 'paired' && this.peer.online,
    );
  }
}

/** Up to where the responder may type the two digits. Gives them. */
async function upToTwoDigits(): Promise<{ dad: KillableHub; mum: KillableHub; two: string }> {
  const [dad, mum] = await Promise.all([
    new KillableHub('dad').start(),
    new KillableHub('mum').start(),
  ]);
  dad.order({ order: 'add', key: mum.key, port: mum.port, name: 'Mum' });
  mum.order({ order: 'window' });
  dad.order({ order: 'begin', key: mum.key });
  await mum.reaches('offered');
  mum.order({ order: 'open' });
  await Promise.all([mum.reaches('show_six'), dad.reaches('type_six')]);
  dad.order({ order: 'type', digits: mum.pairing?.six ?? '' });
  await Promise.all([mum.reaches('type_two'), dad.reaches('show_two')]);
  return { dad, mum, two: dad.pairing?.two ?? '' };
}

describe('a pairing with a process killed in the middle', () => {
  it('heals when the initiator dies before it hears the confirmation, and the responder right after it pinned', async () => {
    const { dad, mum, two } = await upToTwoDigits();
    await dad.kill();
    mum.order({ order: 'type', digits: two });
    await mum.reaches('paired');
    await mum.kill();
    await Promise.all([dad.start(), mum.start()]);
    await Promise.all([dad.isOnline(), mum.isOnline()]);
    expect(dad.peer).toMatchObject({ name: 'Mum', trust: 'paired' });
    expect(dad.peer?.safety_number).toBe(mum.peer?.safety_number);
  });
});
