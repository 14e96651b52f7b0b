// Runs inside a session bus of its own: starts and stops a real gnome-keyring and asks the real vault, one step an argument, and says as
// one JSON line a step what came of it. Arguments: the data folder, then the steps.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { AsyncEntry } from 'keytar';
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { KEYCHAIN_SERVICE } from '../../../main/adapters/keyvault/keychain-counter.ts';
import { keychainAccount, KeychainVault } from '../../../main/adapters/keyvault/keychain-vault.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { Secret } from '../../../main/lib/secret.ts';

const [, , homeFolder = '', ...steps] = process.argv;
const TIMEOUT_MS = 10_000;
/** Shorter than a prompt stays open. */
const IMPATIENT_TIMEOUT_MS = 500;
const clock = new SystemClock();
const vault = new KeychainVault({ homeFolder, clock, timeoutMs: TIMEOUT_MS });
const impatient = new KeychainVault({ homeFolder, clock, timeoutMs: IMPATIENT_TIMEOUT_MS });
const signal = new AbortController().signal;
const seed = new Uint8Array(32).fill(42);
let daemon: ChildProcess | undefined;

async function serviceIsOwned(): Promise<boolean> {
  const question = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner'];
  const { stdout } = await promisify(execFile)('dbus-send', [...question, 'string:org.freedesktop.secrets']);
  return stdout.includes('boolean true');
}

async function untilServiceIsOwned(owned: boolean): Promise<void> {
  const deadline = clock.monotonicMs() + TIMEOUT_MS;
  while ((await serviceIsOwned()) !== owned) {
    if (clock.monotonicMs() > deadline) throw new Error(`the keyring did not ${owned ? 'come up' : 'go'}`);
  }
}

/** @param password given = unlocked with it (and made, the first time); absent = as after a login that unlocked nothing */
async function startDaemon(password?: string): Promise<void> {
  const unlock = password === undefined ? [] : ['--unlock'];
  daemon = spawn('gnome-keyring-daemon', ['--foreground', '--components=secrets', ...unlock], { stdio: ['pipe', 'ignore', 'ignore'] });
  daemon.stdin?.end(password ?? '');
  await untilServiceIsOwned(true);
}

async function endDaemon(): Promise<void> {
  const ending = daemon;
  daemon = undefined;
  if (ending === undefined) return;
  const ended = new Promise((resolve) => ending.once('exit', resolve));
  ending.kill('SIGKILL');
  await ended;
  await untilServiceIsOwned(false);
}

async function read(from: KeychainVault): Promise<unknown> {
  const found = await from.read(signal);
  if (found.state === 'found') return { state: 'found', same: Buffer.compare(found.seed.expose(), seed) === 0 };
  return found;
}

const STEPS: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
  unlocked: () => startDaemon('correct horse'),
  locked: () => startDaemon(),
  end: endDaemon,
  pause: () => void daemon?.kill('SIGSTOP'),
  resume: () => void daemon?.kill('SIGCONT'),
  read: () => read(vault),
  'read-impatiently': async () => {
    const startedAt = clock.monotonicMs();
    const found = await read(impatient);
    return { found, waitedMs: Math.round(clock.monotonicMs() - startedAt) };
  },
  write: () =>
    vault.write(new Secret(seed), signal).then(
      () => 'written',
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    ),
  spoil: async () => {
    const entry = new AsyncEntry(KEYCHAIN_SERVICE, await keychainAccount(homeFolder), { linux: { store: 'secret-service' } });
    await entry.setPassword('not a seed');
  },
  /** What the library would answer without being pinned to the Secret Service: the kernel's keyring. */
  'kernel-keyring': async () => new AsyncEntry(KEYCHAIN_SERVICE, await keychainAccount(homeFolder)).getPassword(),
  /** Every entry of this hub that the whole keychain shows to any program of the user. */
  entries: () =>
    spawnSync('secret-tool', ['search', '--all', 'service', KEYCHAIN_SERVICE], { encoding: 'utf8' })
      .stderr.split('\n')
      .filter((line) => line.startsWith('attribute.username'))
      .map((line) => line.split(' = ')[1]),
};

try {
  for (const step of steps) writeSync(1, `${JSON.stringify({ step, outcome: (await STEPS[step]?.()) ?? null })}\n`);
} finally {
  daemon?.kill('SIGCONT');
  await endDaemon();
  // A call that is never answered holds its thread, and an orderly end would wait for that thread for ever.
  if (impatient.hasOpenCall) process.kill(process.pid, 'SIGKILL');
}
