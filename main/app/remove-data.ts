// Removes the data of a hub that does not run, because its owner said so twice: the whole folder,
// and its entries in the keychain. Holds the folder's lock meanwhile, so that no hub starts on half
// of it. Must never remove a folder that holds anything else.
import {
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '../adapters/clock/system-clock.ts';
import { KeychainCalls } from '../adapters/keyvault/keychain-calls.ts';
import { COUNTER_SUFFIX, KEYCHAIN_SERVICE } from '../adapters/keyvault/keychain-counter.ts';
import { keychainAccount } from '../adapters/keyvault/keychain-vault.ts';
import { systemKeychain } from '../adapters/keyvault/system-keychain.ts';
import { AppError } from '../lib/app-error.ts';
import { Home } from './home.ts';

export interface RemovedData {
  /** false: the keychain did not give up the key of this hub, or had none to give. */
  readonly keychain: boolean;
}

export interface Removal {
  /** The folder is that of another user, whose place root takes for it. */
  readonly isOfSystem: boolean;
  /** Stops the hub, once it is clear that there is something to remove. */
  readonly stop: () => void;
}

/** All that hubs, their command and Finder put into a data folder, and what is prepared there. */
const OF_A_HUB =
  /^(?:hub\.(?:db(?:-wal|-shm|-journal)?|lock|lock\.db(?:-journal)?|json|sock)|\.DS_Store|login\.html|identity\.key(?:\.new-.+)?|audit\.counter(?:\.new)?|config\.json|snapshots|logs|tokens|agents|installed|runners|file-agents|watch)$/;
const NAMED_MAX = 3;

/** @throws AppError home_in_use, not_found, conflict, storage_failed */
export async function removeData(
  home: string,
  { isOfSystem, stop }: Removal,
): Promise<RemovedData> {
  refuseForeign(home);
  stop();
  const folder = realpathSync(home);
  const comeBack = isOfSystem ? takePlaceOfOwner(folder) : () => undefined;
  let keychain: boolean;
  try {
    keychain = await emptied(folder);
  } finally {
    comeBack();
  }
  rmdirSync(folder);
  // It led there.
  if (folder !== home) unlinkLink(home);
  return { keychain };
}

/** The lock would make the folder, so that it is looked for first. */
function refuseForeign(home: string): void {
  if (!existsSync(join(home, 'hub.db')))
    throw new AppError('not_found', `There is no data of a hub in "${home}".`, {
      failedBy: 'input',
    });
  const foreign = readdirSync(home).filter((name) => !OF_A_HUB.test(name));
  if (foreign.length === 0) return;
  const named = foreign.slice(0, NAMED_MAX).join(', ');
  const more = foreign.length > NAMED_MAX ? ` and ${foreign.length - NAMED_MAX} more` : '';
  throw new AppError(
    'conflict',
    `"${home}" holds what is not of a hub, so nothing was removed: ${named}${more}.`,
    { hint: 'Move that away first.', failedBy: 'input' },
  );
}

async function emptied(folder: string): Promise<boolean> {
  const lock = Home.open(folder);
  try {
    const keychain = existsSync(join(folder, 'identity.key'))
      ? false
      : await forgetKey(await keychainAccount(folder));
    for (const name of readdirSync(folder))
      rmSync(join(folder, name), { recursive: true, force: true });
    return keychain;
  } catch (cause) {
    throw new AppError('storage_failed', `"${folder}" cannot be removed to its end.`, { cause });
  } finally {
    lock.close();
  }
}

/** Who may have put links there that lead elsewhere. Returns the way back. */
function takePlaceOfOwner(folder: string): () => void {
  const { uid, gid } = statSync(folder);
  if (process.geteuid?.() !== 0 || uid === 0) return () => undefined;
  process.setegid?.(gid);
  process.seteuid?.(uid);
  return () => {
    process.seteuid?.(0);
    process.setegid?.(0);
  };
}

function unlinkLink(home: string): void {
  if (lstatSync(home, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(home);
}

/** Returns false where the keychain has no such entry, or does not answer. */
async function forgetKey(account: string): Promise<boolean> {
  const access = systemKeychain();
  const calls = new KeychainCalls(new SystemClock());
  const { signal } = new AbortController();
  try {
    const [removed] = [
      await calls.run(() => access.delete(KEYCHAIN_SERVICE, account), signal),
      await calls.run(() => access.delete(KEYCHAIN_SERVICE, account + COUNTER_SUFFIX), signal),
    ];
    return removed;
  } catch {
    return false;
  }
}
