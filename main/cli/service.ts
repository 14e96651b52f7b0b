// Makes the system start the hub by itself, and stop doing so: writes or removes one file and tells
// the system's own program. Says what happened and nothing more: a file that was written is no hub
// that runs. Must never touch a file that it did not make.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { hubProgramFile } from './invocation.ts';
import { refusal } from './refusal.ts';
import {
  AGENT_LABEL,
  homeIn,
  launchAgent,
  MADE_BY,
  personUnit,
  SYSTEM_HOME,
  SYSTEM_USER,
  systemUnit,
  UNIT_NAME,
  type HubCommand,
} from './service-files.ts';

/** What it all depends on; the present computer unless a test says otherwise. */
export interface Computer {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** null: this system has no users by number. */
  readonly userId: number | null;
  readonly homeFolder: string;
  /** Before the paths of a whole computer. */
  readonly root: string;
  readonly node: string;
  /** null: this copy has no program to start. */
  readonly program: string | null;
  /** Runs a program of the system to its end. */
  run(words: readonly string[]): Said;
  pause(delayMs: number): void;
}

interface Said {
  /** null: it could not be started. */
  readonly status: number | null;
  /** Both of its outputs. */
  readonly text: string;
}

/** How one system takes it. */
interface Manager {
  readonly file: string;
  readonly text: (command: HubCommand) => string;
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  readonly forget: readonly (readonly string[])[];
  readonly isStarted: () => boolean;
  /** What a person types to start it. */
  readonly startLine: string;
  /** What else to know of it. */
  readonly notes: readonly string[];
}

export interface Installed {
  readonly file: string;
  readonly home: string;
  /** The system said so, and then the hub wrote that it runs. */
  readonly started: boolean;
  /** What the system answered in place of starting it, or what became of it. */
  readonly said: string | null;
  readonly startLine: string;
  readonly notes: readonly string[];
}

export interface Uninstalled {
  readonly file: string;
  /** What the system answered in place of stopping the hub; null: it stopped it. */
  readonly said: string | null;
}

/** As long as a slow computer takes to start a hub: so many looks, so far apart. */
const LOOKS = 100;
const LOOK_AGAIN_MS = 200;
const ENDED_AGAIN = 'it did not come up; its log says why';

export function thisComputer(): Computer {
  return {
    platform: process.platform,
    env: process.env,
    userId: process.getuid?.() ?? null,
    homeFolder: homedir(),
    root: '/',
    node: process.execPath,
    program: hubProgramFile(),
    run: ([program = '', ...words]) => {
      const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
      const lines = `${stdout}${stderr}`.trim().split(/\s*\n\s*/);
      return { status, text: error?.message ?? lines.join('; ') };
    },
    pause: (delayMs) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
    },
  };
}

/** Where the hub that `install` makes start keeps its data. */
export function serviceHome(home: string, isForAll: boolean): string {
  return isForAll ? SYSTEM_HOME : home;
}

/**
 * Writes the file and has the system start the hub; where it stands already, written anew and
 * started anew.
 * @param flags of the hub, with its data folder
 * @throws AppError bad_request, forbidden, storage_failed
 */
export function installService(
  { home, flags, isForAll }: { home: string; flags: readonly string[]; isForAll: boolean },
  computer: Computer = thisComputer(),
): Installed {
  const manager = managerOf(computer, isForAll);
  const { node, program } = computer;
  if (program === null || !existsSync(program))
    throw refusal('bad_request', 'This copy of the program holds no hub that could be started.');
  const command = { node, program, flags: ['--no-browser', ...flags, '--home', home] };
  refuseUnfit(command, isForAll);
  refuseForeign(manager.file);
  if (isForAll) makeUser(computer);
  written(manager.file, manager.text(command));
  const before = runtimeOf(home);
  const failed = manager.start
    .map((words) => computer.run(words))
    .find(({ status }) => status !== 0);
  const isTaken = failed === undefined && manager.isStarted();
  const started = isTaken && isUp(home, before, manager, computer);
  const said = failed?.text ?? (isTaken && !started ? ENDED_AGAIN : null);
  const { file, startLine, notes } = manager;
  return { file, home, started, said, startLine, notes };
}

/** What the hub of this folder wrote when it had started; null: none runs there. */
function runtimeOf(home: string): string | null {
  try {
    return readFileSync(join(home, 'hub.json'), 'utf8');
  } catch {
    return null;
  }
}

/** A start that a system takes for one is none yet: a port may be taken, the folder in use. */
function isUp(home: string, before: string | null, manager: Manager, computer: Computer): boolean {
  for (let look = 0; look < LOOKS; look += 1) {
    const now = runtimeOf(home);
    if (now !== null && now !== before) return true;
    if (!manager.isStarted()) return false;
    computer.pause(LOOK_AGAIN_MS);
  }
  return false;
}

/**
 * The data folder of the hub that this system starts by itself; null: it starts none.
 * @throws AppError bad_request, forbidden, conflict
 */
export function startedHome(isForAll: boolean, computer: Computer = thisComputer()): string | null {
  const { file } = managerOf(computer, isForAll);
  refuseForeign(file);
  return existsSync(file) ? homeIn(readFileSync(file, 'utf8')) : null;
}

/**
 * Has the system stop the hub and removes the file. null: there is none.
 * @throws AppError bad_request, forbidden, storage_failed
 */
export function uninstallService(
  isForAll: boolean,
  computer: Computer = thisComputer(),
): Uninstalled | null {
  const manager = managerOf(computer, isForAll);
  if (!existsSync(manager.file)) return null;
  refuseForeign(manager.file);
  const failed = manager.stop
    .map((words) => computer.run(words))
    .find(({ status }) => status !== 0);
  try {
    rmSync(manager.file);
  } catch (cause) {
    throw refusal('storage_failed', `"${manager.file}" cannot be removed.`, undefined, cause);
  }
  for (const words of manager.forget) computer.run(words);
  return { file: manager.file, said: failed?.text ?? null };
}

function managerOf(computer: Computer, isForAll: boolean): Manager {
  if (isForAll && computer.platform !== 'linux')
    throw refusal('bad_request', 'A hub of a whole computer is made on Linux only.');
  if (isForAll && computer.userId !== 0)
    throw refusal('forbidden', 'Only root can make a hub of the whole computer.');
  if (computer.platform === 'linux') return systemd(computer, isForAll);
  if (computer.platform === 'darwin') return launchd(computer);
  throw refusal(
    'bad_request',
    'On this system the hub cannot be made to start by itself.',
    'Start it with "axon hub". The desktop app has a setting that starts it at login.',
  );
}

function systemd({ run, env, homeFolder, root }: Computer, isForAll: boolean): Manager {
  const systemctl = ['systemctl', ...(isForAll ? [] : ['--user'])];
  const settings = env['XDG_CONFIG_HOME'] || join(homeFolder, '.config');
  const reload = [...systemctl, 'daemon-reload'];
  return {
    file: isForAll
      ? join(root, 'etc/systemd/system', UNIT_NAME)
      : join(settings, 'systemd/user', UNIT_NAME),
    text: isForAll ? systemUnit : personUnit,
    start: [reload, [...systemctl, 'enable', UNIT_NAME], [...systemctl, 'restart', UNIT_NAME]],
    stop: [[...systemctl, 'disable', '--now', UNIT_NAME]],
    forget: [reload],
    // Where no systemd runs, systemctl does nothing and calls that a success.
    isStarted: () => run([...systemctl, 'is-active', UNIT_NAME]).text === 'active',
    startLine: [...systemctl, 'enable', '--now', UNIT_NAME].join(' '),
    notes: isForAll
      ? [`Its log: journalctl -u ${UNIT_NAME}`]
      : [
          `Its log: journalctl --user -u ${UNIT_NAME}`,
          'It runs while you are logged in. To have it run without: loginctl enable-linger',
        ],
  };
}

function launchd({ run, homeFolder, userId }: Computer): Manager {
  const domain = `gui/${userId ?? ''}`;
  const file = join(homeFolder, 'Library/LaunchAgents', `${AGENT_LABEL}.plist`);
  const end = ['launchctl', 'bootout', `${domain}/${AGENT_LABEL}`];
  return {
    file,
    text: launchAgent,
    start: [
      // One that is there already is ended; that there is none is no failure.
      ['sh', '-c', `${end.join(' ')} 2>/dev/null; exit 0`],
      ['launchctl', 'bootstrap', domain, file],
    ],
    stop: [end],
    forget: [],
    isStarted: () => run(['launchctl', 'print', `${domain}/${AGENT_LABEL}`]).status === 0,
    startLine: `launchctl bootstrap ${domain} ${file}`,
    notes: ['It runs while you are logged in. Its log is hub.log in the data folder.'],
  };
}

/** @throws AppError bad_request */
function refuseUnfit({ node, program, flags }: HubCommand, isForAll: boolean): void {
  for (const word of [node, program, ...flags])
    if (/\p{Cc}/u.test(word) || (word === node && word.includes('$')))
      throw refusal('bad_request', `A start file cannot hold these words: ${word}`);
  const [own] = [node, program].filter((path) => /^\/(home|root|run\/user)\//.test(path));
  if (isForAll && own !== undefined)
    throw refusal(
      'bad_request',
      `"${own}" is one person's, and the hub of a whole computer runs as another user.`,
      'Install Node and the hub where every user can read them, as "sudo npm install -g" does.',
    );
}

/** @throws AppError conflict */
function refuseForeign(file: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8').includes(MADE_BY)) return;
  throw refusal(
    'conflict',
    `"${file}" is there already, and "axon hub install" did not make it.`,
    'Move it away first.',
  );
}

/** @throws AppError internal */
function makeUser(computer: Computer): void {
  if (computer.run(['id', '-u', SYSTEM_USER]).status === 0) return;
  const { status, text } = computer.run([
    'useradd',
    '--system',
    '--home-dir',
    SYSTEM_HOME,
    '--shell',
    '/usr/sbin/nologin',
    SYSTEM_USER,
  ]);
  if (status !== 0) throw refusal('internal', `The user "${SYSTEM_USER}" cannot be made: ${text}`);
}

function written(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o644 });
  } catch (cause) {
    throw refusal('storage_failed', `"${file}" cannot be written.`, undefined, cause);
  }
}
