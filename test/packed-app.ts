// What only a packed app can show, for the workflow that builds a release: it starts and answers
// (E15), opens no debugger whatever it is told (E18), runs its pages in the sandbox (E2), and does
// not start once a byte of its archive is another (E17; not on Linux, which has no such check).
// `node test/packed-app.ts FOLDER_OR_PROGRAM`
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getRawHeader } from '@electron/asar';

const START_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 200;
/** Of Node and of Chromium. */
const DEBUGGERS = [9229, 9222] as const;

const given = resolve(process.argv[2] ?? '');
const isMac = process.platform === 'darwin';
const program = isMac
  ? join(given, 'Contents/MacOS', readdirSync(join(given, 'Contents/MacOS'))[0] ?? '')
  : given;
const archive = isMac
  ? join(given, 'Contents/Resources/app.asar')
  : join(dirname(given), 'resources/app.asar');

interface Started {
  readonly child: ChildProcess;
  readonly home: string;
}

function start(words: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const home = mkdtempSync(join(tmpdir(), 'axon-packed-'));
  const flags = ['--hidden', '--home', home, '--api-port', '0', '--peer-port', '0'];
  const child = spawn(program, [...flags, '--discovery', 'off', ...words], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return { child, home };
}

/** Of all processes on Linux; one that ends meanwhile has none. */
function commandLines(): readonly string[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.map((number) => {
    try {
      return readFileSync(`/proc/${number}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  });
}

/** The port at which it answers; null: it ended instead, or never did. */
async function portOf({ child, home }: Started): Promise<number | null> {
  const file = join(home, 'hub.json');
  const limit = performance.now() + START_LIMIT_MS;
  while (performance.now() < limit && child.exitCode === null && child.signalCode === null) {
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { port: number }).port;
    await pause(LOOK_AGAIN_MS);
  }
  return null;
}

async function end({ child, home }: Started): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await pause(1_000);
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve(true)));
    socket.on('error', () => resolve(false));
  });
}

function expect(what: string, isSo: boolean): void {
  process.stdout.write(`${isSo ? 'so' : 'NOT SO'}: ${what}\n`);
  if (!isSo) process.exitCode = 1;
}

async function startsAndAnswers(): Promise<void> {
  // The fuses have to make these mean nothing.
  const app = start(['--show'], { NODE_OPTIONS: '--inspect=9229', ELECTRON_RUN_AS_NODE: '1' });
  const port = await portOf(app);
  const health = port === null ? null : await fetch(`http://127.0.0.1:${port}/health`);
  expect('E15: it starts as an app, and its hub answers', health?.status === 200);
  if (process.platform !== 'win32' && app.child.pid !== undefined) {
    process.kill(app.child.pid, 'SIGUSR1');
    await pause(2_000);
  }
  for (const debugging of DEBUGGERS)
    expect(`E18: nothing listens at ${debugging}`, !(await isOpen(debugging)));
  if (process.platform === 'linux') {
    const ours = commandLines().filter((line) => line.startsWith(program));
    expect(
      'E2: no process of it is without its sandbox',
      ours.length > 1 && !ours.some((line) => line.includes('--no-sandbox')),
    );
  }
  await end(app);
}

async function refuses(word: string): Promise<void> {
  const app = start([word]);
  expect(`E18: it does not start with ${word}`, (await portOf(app)) === null);
  await end(app);
}

interface Entry {
  readonly files?: Readonly<Record<string, Entry>>;
  readonly offset?: string;
}

/** A byte of what the app loads first: an archive is checked as it is read. */
function changeArchive(): void {
  const { header, headerSize } = getRawHeader(archive);
  const main = ['out', 'main', 'electron.js'].reduce<Entry | undefined>(
    (entry, name) => entry?.files?.[name],
    header as Entry,
  );
  const at = 8 + headerSize + Number(main?.offset ?? Number.NaN);
  const file = openSync(archive, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 0xff;
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
}

await startsAndAnswers();
for (const word of ['--inspect=9229', '--remote-debugging-port=9222']) await refuses(word);
if (process.platform !== 'linux') {
  changeArchive();
  const app = start([]);
  expect('E17: it does not start once its archive was changed', (await portOf(app)) === null);
  await end(app);
}
