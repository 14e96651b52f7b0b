// A person at a terminal: `axon` behind a pseudo-terminal of the system's own `script`, with what
// is typed into it. Needs the real part `terminals`.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endAfterTest, wordsOf } from './programs.ts';

const ROOT = join(import.meta.dirname, '../..');

export class Person {
  /** Everything the terminal showed. */
  screen = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.screen += text));
    this.#ended = once(child, 'close');
    endAfterTest(child);
  }

  /** Starts main/entry/<entry>.ts at a terminal of its own, in the folder of the project. */
  static start(
    entry: string,
    home: string,
    parameters: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ): Person {
    const words = [process.execPath, ...wordsOf(entry, parameters)];
    // In the place of the shell that `script` starts: one that stays, as dash does, ends by the
    // same Ctrl+C and tells its own end.
    const line = 'exec ' + words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const inherited = Object.entries(process.env).filter(([name]) => !/^(AXON|npm)_/.test(name));
    const env = {
      ...Object.fromEntries(inherited),
      AXON_HOME: home,
      AXON_NO_BROWSER: 'on',
      ...variables,
    };
    return new Person(
      spawn('script', ['-qec', line, '/dev/null'], {
        cwd: ROOT,
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Closes the window of the terminal: the system tells the programs in it. */
  closeTerminal(): void {
    this.#child.kill('SIGKILL');
  }

  /** The exit code of the program. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }
}
