// A runner as a child process: `axon` with the words of its kind, in a process group of its own, so
// that Ctrl+C at the hub's terminal ends it in order through the hub. It says how it stands over
// Node's own channel, whose end tells it that the hub is gone. Its token lies in a file of this
// user alone.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { RunnerProcess, RunnerStart, StartRunner } from '../../ports/runner-process.ts';
import type { RunnerSaid } from '../../../preload/contract/runners.ts';

/** From the polite request to end to the end: it tells first what became of its work. */
const GRACE_MS = 20_000;
/** How much of the last line of its errors is kept. */
const LINE_KEPT_MAX = 1_000;

interface Deps {
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly home: string;
  /** How `axon` is started; null: this copy has no command. */
  readonly axon: readonly [string, ...string[]] | null;
}

export function childRunners({ clock, home, axon }: Deps): StartRunner {
  return (start) => {
    if (axon === null) {
      // The caller knows of the process only after this returns.
      setImmediate(() => start.onEnd('This copy of AXON Hub has no command that can be started.'));
      return { pid: undefined, end: async () => undefined };
    }
    return new ChildRunner({ clock, home }, axon, start);
  };
}

class ChildRunner implements RunnerProcess {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(
    { clock, home }: Pick<Deps, 'clock' | 'home'>,
    [program, ...first]: readonly [string, ...string[]],
    start: RunnerStart,
  ) {
    this.#clock = clock;
    const tokenFile = writeToken(home, start);
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AXON_'));
    this.#child = spawn(program, [...first, '--home', home, ...start.words], {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      env: { ...Object.fromEntries(inherited), AXON_TOKEN_FILE: tokenFile },
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const { stdin, stderr } = this.#child;
    // One that does not read it is about to end, which is told by its end.
    stdin?.on('error', () => undefined);
    stdin?.end(start.input ?? '');
    let last = '';
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      last = (lines.at(-1) ?? last).slice(0, LINE_KEPT_MAX);
    });
    this.#child.on('message', (said) => start.onSaid(said as RunnerSaid)); // read by the service
    this.#ended = new Promise((resolve) => {
      const over = (why: string | null): void => {
        // Only the first counts: what cannot be started has no exit, and what cannot be ended both.
        this.#child.removeAllListeners().on('error', () => undefined);
        rmSync(tokenFile, { force: true });
        resolve();
        start.onEnd(why);
      };
      this.#child.once('error', (error) => over(error.message));
      this.#child.once('exit', () => over(last === '' ? null : last));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async end(): Promise<void> {
    this.#child.kill('SIGTERM');
    const hard = this.#clock.setTimer(GRACE_MS, () => endGroup(this.#child));
    await this.#ended;
    hard.cancel();
  }
}

function writeToken(home: string, { agent, token }: RunnerStart): string {
  const folder = join(home, 'runners');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${encodeURIComponent(agent)}.token`);
  rmSync(file, { force: true });
  writeFileSync(file, `${token}\n`, { flag: 'wx', mode: 0o600 });
  return file;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
