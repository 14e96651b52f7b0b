// Removes the data of a hub that does not run, because its owner said so twice: the whole folder,
// and its entries in the keychain. Holds the folder's lock meanwhile, so that no hub starts on half
// of it.
import { existsSync, rmSync } from 'node:fs';
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

/** @throws AppError home_in_use, not_found, storage_failed */
export async function removeData(home: string): Promise<RemovedData> {
  // Nothing else is ever removed, and the lock would make the folder.
  if (!existsSync(join(home, 'hub.db')))
    throw new AppError('not_found', `There is no data of a hub in "${home}".`, {
      failedBy: 'input',
    });
  const lock = Home.open(home);
  try {
    const keychain = existsSync(join(home, 'identity.key'))
      ? false
      : await forgetKey(await keychainAccount(home));
    rmSync(home, { recursive: true, force: true });
    return { keychain };
  } catch (cause) {
    throw new AppError('storage_failed', `"${home}" cannot be removed to its end.`, { cause });
  } finally {
    lock.close();
  }
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
