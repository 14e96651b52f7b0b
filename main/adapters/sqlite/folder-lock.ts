// The lock of a data folder, held by the operating system: an exclusive lock of SQLite on a small
// file of its own. The system frees it the moment its process ends, however that ends, so no number
// and no file tells whether a hub lives. The file stays: only a file that is never replaced can be
// locked. Nothing in this process may open that file but SQLite, because closing it would free the
// lock.
import { lstatSync, truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../../lib/app-error.ts';
import { checkPrivateFile, checkWritable, createPrivateFile, whyNot } from './file-privacy.ts';
import { sqliteCode } from './statements.ts';

const LOCK_NAME = 'hub.lock.db';
/** What earlier versions held instead, told by its process id. */
const EARLIER_LOCK_NAME = 'hub.lock';
/** A connection that nobody refers to is closed by the garbage collector, and its lock is gone. */
const held = new Set<Database.Database>();
const HINT = 'Put that right, or choose another data folder with --home or AXON_HOME.';

export interface FolderLock {
  /** Idempotent. */
  release(): void;
}

/** Throws AppError `home_in_use` while another process holds it, `storage_failed`. */
export function lockFolder(home: string): FolderLock {
  const path = join(home, LOCK_NAME);
  checkWritable(home);
  const isNew = makeLockFile(path);
  checkWritable(path);
  const connection = lockedFile(home, path);
  held.add(connection);
  const release = (): void => {
    connection.close();
    held.delete(connection);
  };
  try {
    endOtherLock(home, isNew);
  } catch (error) {
    // It would tell the next hub that this folder is free.
    if (isNew) unlinkSync(path);
    release();
    throw error;
  }
  return { release };
}

/** True when this made it. Two hubs may make it at the same moment. */
function makeLockFile(path: string): boolean {
  if (checkPrivateFile(path)) return false;
  try {
    createPrivateFile(path);
    return true;
  } catch (cause) {
    if (checkPrivateFile(path)) return false;
    throw new AppError('storage_failed', `"${path}" cannot be written: ${whyNot(cause)}.`, {
      hint: HINT,
      cause,
    });
  }
}

function lockedFile(home: string, path: string): Database.Database {
  try {
    return holdAlone(path);
  } catch (error) {
    if (isBusy(error)) throw inUse(home);
    // Whoever holds it would have been met first: what stands in it is nobody's.
    if (sqliteCode(error) === 'SQLITE_NOTADB') return emptied(home, path);
    throw new AppError('storage_failed', `The lock file "${path}" cannot be locked.`, {
      hint: 'Use a data folder on a local disk that your user may write to, not on a network share.',
      cause: error,
    });
  }
}

/** Its content does not matter; in place, so that everybody still locks the same file. */
function emptied(home: string, path: string): Database.Database {
  truncateSync(path);
  try {
    return holdAlone(path);
  } catch (error) {
    if (isBusy(error)) throw inUse(home);
    throw error;
  }
}

function holdAlone(path: string): Database.Database {
  const connection = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    // Nothing is ever written, and no journal is made beside it.
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * A hub of an earlier version does not know this lock, and one whose lock file was removed holds
 * another. Both have the database open: then nobody else gets that alone.
 */
function endOtherLock(home: string, isNew: boolean): void {
  const earlier = join(home, EARLIER_LOCK_NAME);
  const found = lstatSync(earlier, { throwIfNoEntry: false });
  const isEarlier = found !== undefined && !found.isDirectory();
  if ((isNew || isEarlier) && isOpenElsewhere(join(home, 'hub.db'))) throw inUse(home);
  if (isEarlier) unlinkSync(earlier);
}

function isOpenElsewhere(database: string): boolean {
  const found = lstatSync(database, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return false;
  const connection = new Database(database, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    // Anything else that is wrong with it is told by whoever opens it next.
    return isBusy(error);
  } finally {
    connection.close();
  }
}

function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code?.startsWith('SQLITE_BUSY') === true || code?.startsWith('SQLITE_LOCKED') === true;
}

function inUse(home: string): AppError {
  return new AppError(
    'home_in_use',
    `Another hub, or a check of its audit log, is using the data folder "${home}".`,
    { hint: 'Stop that one, or give this hub a folder of its own with --home.' },
  );
}
