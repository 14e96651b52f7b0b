// A built hub without a window, started as a person starts it: with an empty or a used data folder,
// free ports, and nothing found nearby.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const PROGRAM = join(import.meta.dirname, '..', '..', 'out', 'main', 'headless.js');
const GREETING = /AXON Hub runs at (http:\/\/127\.0\.0\.1:\d+)/;
const START_LIMIT_MS = 30_000;
const BYTES_PER_KIB = 1_024;

export interface Memory {
  readonly residentMb: number;
  readonly proportionalMb: number;
}

export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'axon-bench-'));
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true });
}

export class StartedHub {
  /**
   * From the start of the process until its API had answered a request; it greets once its peer
   * port is open as well.
   */
  readonly startedInMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, startedInMs: number) {
    this.#child = child;
    this.startedInMs = startedInMs;
  }

  static async start(home: string): Promise<StartedHub> {
    const words = [
      PROGRAM,
      '--home',
      home,
      '--api-port',
      '0',
      '--peer-port',
      '0',
      '--name',
      'bench',
      '--discovery',
      'false',
    ];
    // Without a session bus the identity key lies in the data folder, as on a server.
    const {
      DBUS_SESSION_BUS_ADDRESS: _bus,
      XDG_RUNTIME_DIR: _runtime,
      ...environment
    } = process.env;
    const startedAtMs = performance.now();
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    });
    const url = await greetingOf(child);
    await answerOf(url);
    return new StartedHub(child, performance.now() - startedAtMs);
  }

  memory(): Memory {
    return memoryOf(this.#child.pid ?? 0);
  }

  async stop(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGTERM');
    await gone;
  }
}

function greetingOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => fail('did not start in time'), START_LIMIT_MS);
    const fail = (what: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`the hub ${what}: ${said}`));
    };
    const ended = (): void => fail('ended at its start');
    child.once('exit', ended);
    child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString();
      const url = GREETING.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      child.off('exit', ended);
      resolve(url);
    });
  });
}

/** Any answer of the API will do; a refusal is one. */
function answerOf(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(`${url}/v1/hub`, (answer) => {
        answer.resume();
        answer.on('end', resolve);
      })
      .on('error', reject);
  });
}

/**
 * Resident memory of the hub and of every process it started, in MB: as the system counts each, and
 * with shared pages counted once. Linux only.
 */
export function memoryOf(hub: number): Memory {
  return memoryOfAll([hub, ...childrenOf(hub)]);
}

export function memoryOfAll(all: readonly number[]): Memory {
  const sum = (field: string): number => all.reduce((total, pid) => total + kibOf(pid, field), 0);
  return {
    residentMb: (sum('Rss') * BYTES_PER_KIB) / 1e6,
    proportionalMb: (sum('Pss') * BYTES_PER_KIB) / 1e6,
  };
}

/** The processes that this one has started. Linux only. */
export function childrenOf(pid: number): readonly number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}

function kibOf(pid: number, field: string): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
  )?.[1];
  if (found === undefined) throw new Error(`process ${pid} does not tell its ${field}`);
  return Number(found);
}
