// Checks the audit log of a hub that is not running: the same check as inside the hub, over the
// same database opened for reading, with the key and the count from the same vault. Holds the
// folder's lock meanwhile, so that no hub starts. Changes nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock, SystemRandom } from '../adapters/clock/system-clock.ts';
import { FileVault } from '../adapters/keyvault/file-vault.ts';
import { KeychainVault } from '../adapters/keyvault/keychain-vault.ts';
import { openReadStore } from '../adapters/sqlite/read-store.ts';
import type { AuditCheckDto } from '../../preload/contract/audit.ts';
import { AppError } from '../lib/app-error.ts';
import type { Log } from '../ports/log.ts';
import type { Reads, Store } from '../ports/store.ts';
import { AuditCheck } from '../services/audit/audit-check.ts';
import { META_DATABASE_ID } from '../services/audit/signature.ts';
import { IdentityService, META_IDENTITY_KEY } from '../services/base/identity.ts';
import { Home } from './home.ts';

const SILENT: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => SILENT,
};

/** @throws AppError home_in_use, not_found, storage_failed */
export async function checkStoppedAudit(home: string): Promise<AuditCheckDto> {
  const database = join(home, 'hub.db');
  // Before the lock is taken, which would make the folder.
  if (!existsSync(database))
    throw new AppError('not_found', `There is no audit log at "${database}".`, {
      failedBy: 'input',
    });
  const lock = Home.open(home);
  try {
    const store = openReadStore(database);
    try {
      const { keyHex, kept } = await vaultOf(home, store.read);
      const databaseId = store.read.getMeta(META_DATABASE_ID) ?? '';
      const check = new AuditCheck({
        store,
        clock: new SystemClock(),
        keyHex: () => keyHex,
        databaseId: () => databaseId,
        keptCount: () => kept,
      });
      return await check.whole();
    } finally {
      store.close();
    }
  } finally {
    lock.close();
  }
}

/**
 * The key that signed, and the count; what the vault does not give now is left out, and the check
 * says so.
 */
async function vaultOf(
  home: string,
  read: Reads,
): Promise<{ readonly keyHex: string | null; readonly kept: number | null }> {
  const recorded = read.getMeta(META_IDENTITY_KEY);
  if (recorded === undefined) return { keyHex: null, kept: null };
  const clock = new SystemClock();
  const vaults = [
    new KeychainVault({ homeFolder: home, clock }),
    new FileVault(join(home, 'identity.key')),
  ];
  const identity = new IdentityService({
    store: unwritten(read),
    vaults,
    clock,
    random: new SystemRandom(),
    log: SILENT,
  });
  const { signal } = new AbortController();
  await identity.open(signal);
  if (!identity.ready) return { keyHex: recorded, kept: null };
  const counted = await identity.counter?.read(signal);
  if (counted?.state !== 'found') return { keyHex: identity.keyHex, kept: null };
  const isOwn = counted.mark.databaseId === read.getMeta(META_DATABASE_ID);
  return { keyHex: identity.keyHex, kept: isOwn ? counted.mark.value : Number.POSITIVE_INFINITY };
}

/** An identity that is recorded already is read without a word written. */
function unwritten(read: Reads): Store {
  return {
    read,
    write: () =>
      Promise.reject(new AppError('storage_failed', 'This database is opened for reading only.')),
    writeBehind: () => {},
    onCommit: () => {},
    close: () => Promise.resolve(),
  };
}
