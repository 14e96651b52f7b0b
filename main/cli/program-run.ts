// Runs the program of an agent, as a group of its own where the system has such groups: whoever
// ends it ends what it started, too. It is over when the program itself has exited; what it left
// running in the background keeps nobody waiting.
import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { nextTurn } from '../lib/next-turn.ts';

/** From the polite request to end to the end. */
const GRACE_MS = 5_000;
/** How often a group that is being ended is looked at. */
const LOOK_MS = 25;
/**
 * How long the pipes of a program that has exited are read on, where something in the background
 * holds them open. What it printed itself is in them already.
 */
const DRAIN_MS = 500;
/** More than any answer can be long. */
const OUTPUT_KEPT_MAX_BYTES = 262_144;
const ERRORS_KEPT_MAX_BYTES = 16_384;

/** What was printed, or the beginning of it. */
export interface Printed {
  readonly text: string;
  /** Of all that was printed. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

export interface ProgramEnd {
  readonly exitCode: number;
  /** The signal had come before it exited. */
  readonly wasEnded: boolean;
  readonly output: Printed;
  readonly errors: Printed;
}

/**
 * Runs the program to its end. The signal ends it, with all that it started. One that cannot be
 * started is an end too. @param printed is given each line as it comes
 */
export async function runProgram(
  words: readonly string[],
  input: string,
  signal: AbortSignal,
  printed?: (line: string) => void,
): Promise<ProgramEnd> {
  const [program = '', ...parameters] = words;
  const child = spawn(program, parameters, {
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
  const output = new Kept(child.stdout);
  const errors = new Kept(child.stderr, ERRORS_KEPT_MAX_BYTES);
  const endLines = printed === undefined ? undefined : eachLine(child.stdout, printed);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const exited = new Promise<number | undefined>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(undefined));
  });
  const { pid } = child;
  // Whoever ends at once leaves nothing running, either.
  const endHard = (): void => (pid === undefined ? undefined : endGroup(pid, 'SIGKILL'));
  process.once('exit', endHard);
  // A program that does not read its input closes the pipe: its own business.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ending = new Promise<void>((resolve) => {
    const end = (): void => void endWhole(pid).then(resolve);
    signal.addEventListener('abort', end, { once: true });
    void exited.then(() => {
      signal.removeEventListener('abort', end);
      if (!signal.aborted) resolve();
    });
    if (signal.aborted) end();
  });
  const exitCode = await exited;
  const wasEnded = signal.aborted;
  await ending;
  await Promise.race([closed, wait(DRAIN_MS, undefined, { ref: false }).then(nextTurn)]);
  process.off('exit', endHard);
  endLines?.();
  letGo(child);
  const sentence = `The program "${program}" cannot be started.`;
  const said = exitCode === undefined ? wholeText(sentence) : errors.printed();
  return { exitCode: exitCode ?? 1, wasEnded, output: output.printed(), errors: said };
}

/** A process, and when it was born: its number may be another one's later. */
export interface GroupMark {
  readonly pid: number;
  readonly born: string;
}

/** Ends what a process that was killed left running, if it is still that one. */
export function endLeft({ pid, born }: GroupMark): void {
  if (bornAt(pid) === born) endGroup(pid, 'SIGKILL');
}

/** As the system writes it; undefined: it does not run, or the system does not say. */
function bornAt(pid: number): string | undefined {
  try {
    // After the name, which may hold anything: the twentieth word.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    if (process.platform === 'linux') return undefined;
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() === '' ? undefined : stdout?.trim();
  }
}

/**
 * A program that runs as long as somebody speaks with it over its pipes, as a group of its own.
 * What it says on standard error is kept as `errors`.
 */
export class ProgramGroup {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly errors: Kept;
  /** Resolves once it has exited, or could not be started. */
  readonly exited: Promise<void>;
  readonly #endHard: () => void;

  constructor(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    const [program = '', ...parameters] = words;
    this.child = spawn(program, parameters, {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
      env,
      shell: false,
      windowsHide: true,
      detached: process.platform !== 'win32',
    });
    this.errors = new Kept(this.child.stderr, ERRORS_KEPT_MAX_BYTES);
    this.exited = new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.once('error', () => resolve());
    });
    const { pid } = this.child;
    this.#endHard = () => (pid === undefined ? undefined : endGroup(pid, 'SIGKILL'));
    process.once('exit', this.#endHard);
  }

  /** By which a later process finds it again; undefined: it could not be started. */
  get mark(): GroupMark | undefined {
    const { pid } = this.child;
    const born = pid === undefined ? undefined : bornAt(pid);
    return pid === undefined || born === undefined ? undefined : { pid, born };
  }

  /** Ends it, with all that it started. Never rejects. */
  async end(): Promise<void> {
    this.child.stdin.end();
    await endWhole(this.child.pid);
    process.off('exit', this.#endHard);
    letGo(this.child);
  }
}

/** Asks all of it to end, and ends what has not done so in time. */
async function endWhole(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  endGroup(pid, 'SIGTERM');
  for (let waitedMs = 0; isRunning(pid); waitedMs += LOOK_MS) {
    if (waitedMs >= GRACE_MS) return endGroup(pid, 'SIGKILL');
    await wait(LOOK_MS);
  }
}

/** Windows knows no polite request that a program without a window would hear. */
function endGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it runs any more.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, 0);
  } catch {
    return false;
  }
}

/** What runs on in the background can print on, and keeps this process from nothing. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.removeAllListeners('data').on('error', () => undefined);
    stream?.resume();
    if (stream instanceof Socket) stream.unref();
  }
}

/** Returns what takes the last line, which may have no end, once no more is read. */
function eachLine(stream: Readable, take: (line: string) => void): () => void {
  const decoder = new StringDecoder();
  let rest = '';
  stream.on('data', (part: Buffer) => {
    const lines = `${rest}${decoder.write(part)}`.split('\n');
    // What is longer than any message is cut, and so is none.
    rest = (lines.pop() ?? '').slice(0, OUTPUT_KEPT_MAX_BYTES);
    for (const line of lines) take(line);
  });
  return () => take(rest);
}

function wholeText(text: string): Printed {
  return { text, bytes: Buffer.byteLength(text), isWhole: true };
}

/** The first bytes of a stream, up to a limit. Exported for tests. */
export class Kept {
  readonly #max: number;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(stream: Readable, max = OUTPUT_KEPT_MAX_BYTES) {
    this.#max = max;
    stream.on('data', (part: Buffer) => this.#add(part));
  }

  #add(part: Buffer): void {
    const room = this.#max - this.#bytes;
    if (room > 0) this.#parts.push(part.subarray(0, room));
    this.#bytes += part.byteLength;
  }

  printed(): Printed {
    const isWhole = this.#bytes <= this.#max;
    // Of a character that was cut through nothing is left.
    const text = new TextDecoder().decode(Buffer.concat(this.#parts), { stream: !isWhole });
    return { text: text.trim(), bytes: this.#bytes, isWhole };
  }
}
