// Starts the built desktop app and lets a spec look at it and press it: under Node, against the
// double of `electron`, or in a real Electron for a spec that can have one where it was fetched.
import { fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { POPOVER_QUERY } from '../../preload/contract/bridge.ts';
import type { DesktopState } from '../fakes/electron/control.ts';
import { electronProgram } from '../support/real-parts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const REGISTER = new URL('../fakes/electron/register.mjs', import.meta.url).href;
const REAL_EYES = join(ROOT, 'test/fakes/electron/real.cjs');
/** Of the app's pages: the double carries the origin of the app by a name that resolves nowhere. */
const HOSTS: ReadonlySet<string> = new Set(['hub', 'hub.app.invalid']);
const START_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 50;

interface DesktopStart {
  readonly home: string;
  /** Where out/ stands: this project, unless a packed app is started. */
  readonly root?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly parameters?: readonly string[];
  /** In a real Electron where there is one: the spec asks nothing that only the double answers. */
  readonly mayBeReal?: boolean;
}

export class DesktopApp {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  readonly output: string[] = [];
  #asked = 0;
  #browser: Browser | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
    child.setMaxListeners(0);
    child.on('message', (message: { readonly id?: number; readonly value?: unknown }) => {
      if (typeof message.id === 'number') this.#waiting.get(message.id)?.(message.value);
    });
  }

  /** Starts out/main/electron.js; resolves at once, so that a spec can watch the start. */
  static launch({ home, root, environment, parameters = [], mayBeReal }: DesktopStart): DesktopApp {
    const env = {
      ...process.env,
      AXON_HOME: home,
      AXON_API_PORT: '0',
      AXON_PEER_PORT: '0',
      ...environment,
    };
    const stdio: ('ignore' | 'pipe' | 'ipc')[] = ['ignore', 'pipe', 'pipe', 'ipc'];
    const electron = mayBeReal === true ? electronProgram() : null;
    if (electron !== null)
      return new DesktopApp(
        spawn(electron, ['-r', REAL_EYES, ROOT, ...parameters], { env, stdio }),
      );
    const program = join(root ?? ROOT, 'out/main/electron.js');
    return new DesktopApp(
      fork(program, [...parameters], { execArgv: ['--import', REGISTER], env, stdio }),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get exited(): Promise<number | null> {
    if (this.#child.exitCode !== null) return Promise.resolve(this.#child.exitCode);
    return once(this.#child, 'exit').then(([code]) => code as number | null);
  }

  ask(question: string, value?: unknown): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#child.once('exit', () => reject(new Error(`the app ended:\n${this.output.join('')}`)));
      if (this.#child.connected) this.#child.send({ id, ask: question, value });
      else reject(new Error(`the app ended:\n${this.output.join('')}`));
    }).finally(() => this.#waiting.delete(id));
  }

  async state(): Promise<DesktopState> {
    return (await this.ask('state')) as DesktopState;
  }

  /** The page inside the app's window, as soon as there is one. */
  page(): Promise<Page> {
    return this.#pageWith('');
  }

  /** The page inside the popover of the tray, as soon as there is one. */
  popover(): Promise<Page> {
    return this.#pageWith(POPOVER_QUERY);
  }

  async #pageWith(query: string): Promise<Page> {
    const limit = performance.now() + START_LIMIT_MS;
    while (performance.now() < limit) {
      const { debuggingPort } = await this.state();
      if (debuggingPort !== null) {
        this.#browser ??= await chromium.connectOverCDP(`http://127.0.0.1:${debuggingPort}`);
        const page = this.#browser
          .contexts()
          .flatMap((context) => context.pages())
          .find((candidate) => {
            const url = new URL(candidate.url());
            return HOSTS.has(url.host) && url.search === query;
          });
        if (page !== undefined) return page;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    throw new Error(`the window did not open:\n${this.output.join('')}`);
  }

  async quit(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    await Promise.race([this.ask('quit').catch(() => undefined), exited]);
    await exited;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
