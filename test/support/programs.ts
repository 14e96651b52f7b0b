// The programs of this project as child processes: `axon`, and a headless hub in a folder of its
// own.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { quickPassphrase } from './quick-passphrase.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOOK = new URL('./raw-imports.mjs', import.meta.url).href;

/**
 * What Node is started with to run main/entry/<entry>.ts: what the run has built of it
 * (AXON_TEST_BUILT=1), which is ready in half the time, else its sources.
 */
export function wordsOf(entry: string, parameters: readonly string[]): string[] {
  const built = join(ROOT, 'out/main', `${entry}.js`);
  return process.env['AXON_TEST_BUILT'] === '1' && existsSync(built)
    ? [built, ...parameters]
    : ['--import', HOOK, join(ROOT, 'main/entry', `${entry}.ts`), ...parameters];
}

const running = new Set<ChildProcess>();

/** Remembers a child for endPrograms until it has exited by itself. */
export function endAfterTest(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** For afterEach: kills what a test that failed left running, and waits for the exits. */
export async function endPrograms(): Promise<void> {
  const exits = [...running].map(async (child) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  running.clear();
  await Promise.all(exits);
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export class Program {
  out = '';
  error = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.error += text));
    this.#exit = once(child, 'close');
    endAfterTest(child);
  }

  /** Starts main/entry/<entry>.ts with only these AXON_ variables. */
  static start(
    entry: string,
    parameters: readonly string[],
    variables: Readonly<Record<string, string>> = {},
    input?: string,
  ): Program {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AXON_'));
    const child = spawn(process.execPath, wordsOf(entry, parameters), {
      env: { ...Object.fromEntries(inherited), ...variables },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input ?? '');
    return new Program(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ended(): Promise<Ended> {
    await this.#exit;
    return { code: this.#child.exitCode, out: this.out, error: this.error };
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Closes the reading ends of its output, as a terminal that is closed does. */
  stopReading(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Waits until `text` was printed on standard output. */
  async printed(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      if (this.#child.stdout === null || this.#child.exitCode !== null)
        throw new Error(`ended before it printed "${text}":\n${this.error}`);
      await Promise.race([once(this.#child.stdout, 'data'), this.#exit]);
    }
  }
}

/** Runs `axon` to its end. */
export function axon(
  home: string,
  parameters: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<Ended> {
  return Program.start('cli', parameters, { AXON_HOME: home, ...variables }, input).ended();
}

/**
 * Chooses the owner passphrase of a hub that has none yet, as a script does, and makes its hash
 * quick. Resolves with its file, in the data folder unless told.
 */
export async function choosePassphrase(
  home: string,
  file = join(home, 'passphrase'),
  passphrase = 'a passphrase of the tests',
): Promise<string> {
  writeFileSync(file, `${passphrase}\n`, { mode: 0o600 });
  const { code, error } = await axon(home, ['passphrase', '--passphrase-file', file]);
  if (code !== 0) throw new Error(`no passphrase was chosen: ${error}`);
  makeQuick(join(home, 'hub.db'), passphrase);
  return file;
}

/** As the hub keeps it from now on: it notices that another connection wrote. */
function makeQuick(database: string, passphrase: string): void {
  const connection = new Database(database, { timeout: 30_000 });
  try {
    const { changes } = connection
      .prepare("UPDATE meta SET value = ? WHERE name = 'auth.passphrase'")
      .run(quickPassphrase(passphrase));
    if (changes !== 1) throw new Error('no passphrase is kept');
  } finally {
    connection.close();
  }
}

export interface HeadlessHub {
  readonly program: Program;
  readonly home: string;
  readonly port: number;
}

/** Starts a headless hub on free ports and waits until its API answers. */
export async function startHeadless(
  home = mkdtempSync(join(tmpdir(), 'axon-headless-')),
  flags: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<HeadlessHub> {
  const doors = ['--api-port', '0', '--peer-port', '0', '--discovery', 'off'];
  const program = Program.start('headless', [...doors, ...flags], {
    AXON_HOME: home,
    ...variables,
  });
  await program.printed('To open its pages');
  return { program, home, port: runtimeOf(home).port };
}

export function runtimeOf(home: string): {
  readonly port: number;
  readonly pid: number;
  readonly boot_secret: string;
} {
  return JSON.parse(readFileSync(join(home, 'hub.json'), 'utf8'));
}
