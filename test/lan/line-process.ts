// A child process that speaks in lines: what it printed can be waited for, with a deadline. It
// never outlives kill().
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Lines of standard error kept for the message of a wait that failed. */
const KEPT_LINES_MAX = 2_000;

/** Variables added to this process's own; undefined takes one away. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Waiter {
  readonly matches: (line: string) => boolean;
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

export class LineProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #errors: string[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #ended: Promise<number | null>;
  #running = true;

  constructor(command: string, args: readonly string[], environment: Environment = {}) {
    this.#child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    this.#read('stdout', (line) => this.#take(line));
    this.#read('stderr', (line) => {
      this.#errors.push(line);
      if (this.#errors.length > KEPT_LINES_MAX) this.#errors.shift();
    });
    this.#child.stdin?.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      const end = (code: number | null): void => {
        if (!this.#running) return;
        this.#running = false;
        for (const waiter of this.#waiters)
          waiter.reject(
            new Error(`the process ended (${code}) before it said so\n${this.transcript()}`),
          );
        this.#waiters.clear();
        resolve(code);
      };
      this.#child.once('error', (error) => {
        this.#errors.push(String(error));
        end(null);
      });
      this.#child.once('close', end);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#running;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Resolves with the exit code. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Everything it said, for the message of a failure. */
  transcript(): string {
    return [...this.#lines, '--- standard error ---', ...this.#errors].join('\n');
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** The first line from index `from` on that matches, now or within `timeoutMs`. */
  async until(matches: (line: string) => boolean, timeoutMs: number, from = 0): Promise<string> {
    const already = this.#lines.slice(from).find(matches);
    if (already !== undefined) return already;
    if (!this.#running) throw new Error(`the process has ended\n${this.transcript()}`);
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(
          new Error(`nothing of the kind was said within ${timeoutMs} ms\n${this.transcript()}`),
        );
      }, timeoutMs);
      const done = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          settle(value);
        };
      };
      const waiter: Waiter = { matches, resolve: done(resolve), reject: done(reject) };
      this.#waiters.add(waiter);
    });
  }

  /** Sends a signal and waits for nothing. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it with `signal` and waits until it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.#running) this.#child.kill(signal);
    return await this.#ended;
  }

  #take(line: string): void {
    this.#lines.push(line);
    for (const waiter of this.#waiters) if (waiter.matches(line)) waiter.resolve(line);
  }

  #read(stream: 'stdout' | 'stderr', onLine: (line: string) => void): void {
    const readable = this.#child[stream];
    if (readable !== null) createInterface({ input: readable }).on('line', onLine);
  }
}
