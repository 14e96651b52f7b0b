// Runs inside a session bus of its own: starts and stops a real gnome-keyring and asks the real
// vault, one step an argument, and says as one JSON line a step what came of it. Arguments: the
// data folder, then the steps.
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { AsyncEntry } from 'keytar';
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { KEYCHAIN_SERVICE } from '../../../main/adapters/keyvault/keychain-counter.ts';
import { keychainAccount, KeychainVault } from '../../../main/adapters/keyvault/keychain-vault.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { Secret } from '../../../main/lib/secret.ts';
import { Keyring } from './keyring.ts';

const [, , homeFolder = '', ...steps] = process.argv;
const TIMEOUT_MS = 10_000;
/** Shorter than a prompt stays open. */
const IMPATIENT_TIMEOUT_MS = 500;
const clock = new SystemClock();
const vault = new KeychainVault({ homeFolder, clock, timeoutMs: TIMEOUT_MS });
const impatient = new KeychainVault({ homeFolder, clock, timeoutMs: IMPATIENT_TIMEOUT_MS });
const signal = new AbortController().signal;
const seed = new Uint8Array(32).fill(42);
const keyring = new Keyring(clock, TIMEOUT_MS);

async function read(from: KeychainVault): Promise<unknown> {
  const found = await from.read(signal);
  if (found.state === 'found')
    return { state: 'found', same: Buffer.compare(found.seed.expose(), seed) === 0 };
  return found;
}

const STEPS: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
  unlocked: () => keyring.start('correct horse'),
  locked: () => keyring.start(),
  end: () => keyring.end(),
  pause: () => keyring.signal('SIGSTOP'),
  resume: () => keyring.signal('SIGCONT'),
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
    const entry = new AsyncEntry(KEYCHAIN_SERVICE, await keychainAccount(homeFolder), {
      linux: { store: 'secret-service' },
    });
    await entry.setPassword('not a seed');
  },
  /**
   * What the library would answer without being pinned to the Secret Service: the kernel's keyring.
   */
  'kernel-keyring': async () =>
    new AsyncEntry(KEYCHAIN_SERVICE, await keychainAccount(homeFolder)).getPassword(),
  /** Every entry of this hub that the whole keychain shows to any program of the user. */
  entries: () =>
    spawnSync('secret-tool', ['search', '--all', 'service', KEYCHAIN_SERVICE], { encoding: 'utf8' })
      .stderr.split('\n')
      .filter((line) => line.startsWith('attribute.username'))
      .map((line) => line.split(' = ')[1]),
};

try {
  for (const step of steps)
    writeSync(1, `${JSON.stringify({ step, outcome: (await STEPS[step]?.()) ?? null })}\n`);
} finally {
  keyring.signal('SIGCONT');
  await keyring.end();
  // A call that is never answered holds its thread, and an orderly end would wait for that thread
  // for ever.
  if (impatient.hasOpenCall) process.kill(process.pid, 'SIGKILL');
}
