// A real gnome-keyring on the session bus of this process, started, unlocked or not, and ended.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clock } from '../../../main/ports/clock.ts';

export class Keyring {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #daemon: ChildProcess | undefined;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param password given = unlocked with it (and made, the first time); absent = as after a login
   * that unlocked nothing
   */
  async start(password?: string): Promise<void> {
    const unlock = password === undefined ? [] : ['--unlock'];
    const daemon = spawn(
      'gnome-keyring-daemon',
      ['--foreground', '--components=secrets', ...unlock],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    this.#daemon = daemon;
    daemon.stdin.end(password ?? '');
    await this.#untilOwned(true);
  }

  async end(): Promise<void> {
    const ending = this.#daemon;
    this.#daemon = undefined;
    if (ending === undefined) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGKILL');
    await ended;
    await this.#untilOwned(false);
  }

  signal(signal: NodeJS.Signals): void {
    this.#daemon?.kill(signal);
  }

  async #untilOwned(owned: boolean): Promise<void> {
    const deadline = this.#clock.monotonicMs() + this.#timeoutMs;
    while ((await serviceIsOwned()) !== owned) {
      if (this.#clock.monotonicMs() > deadline)
        throw new Error(`the keyring did not ${owned ? 'come up' : 'go'}`);
    }
  }
}

async function serviceIsOwned(): Promise<boolean> {
  const question = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/',
    'org.freedesktop.DBus.NameHasOwner',
  ];
  const { stdout } = await promisify(execFile)('dbus-send', [
    ...question,
    'string:org.freedesktop.secrets',
  ]);
  return stdout.includes('boolean true');
}
