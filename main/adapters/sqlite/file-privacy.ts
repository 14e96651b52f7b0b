// The database's files on the disk: private to the owner whatever the umask, never reached through
// a link. Opens no database.
import {
  accessSync,
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  constants,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../lib/app-error.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS_MASK = 0o077;
const STICKY_BIT = 0o1000;
/**
 * Windows keeps rights in access lists that a profile folder already restricts to its owner; mode
 * bits mean nothing there.
 */
const HAS_MODES = process.platform !== 'win32';
/** What only a hub writes, in its data folder or among its copies of the database. */
const HUB_FILE = /^(?:hub\.(?:db|lock|json)|identity\.key|hub-schema-)/;
/** What may stand in a data folder before its first hub does. */
const PREPARED_NAMES: ReadonlySet<string> = new Set(['config.json', 'logs', 'tokens']);
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'your user may not write there',
  EPERM: 'your user may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'your share of its disk is used up',
  EEXIST: 'something else of that name is there, and no folder',
  ENOTDIR: 'its path leads through something that is no folder',
  ELOOP: 'a link leads in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'nothing can be made there',
};
const OWN_FOLDER_HINT = 'Choose a new or empty folder of your own, with --home or AXON_HOME.';

/** What SQLite may put beside `hub.db`. */
export const COMPANION_SUFFIXES = ['-wal', '-shm', '-journal'] as const;

function linkStat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * Makes the folder if needed and takes everyone else's rights to it away. Throws AppError
 * `storage_failed`, and changes nothing, for a folder that is not this hub's to close: one of
 * another user, one that users share (sticky, such as /tmp), and one that others may enter and that
 * holds things but none of a hub's.
 */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
    if (HAS_MODES) closeToOthers(path);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const sentence = `The folder "${path}" cannot be the data folder of a hub: ${whyNot(error)}.`;
    throw new AppError('storage_failed', sentence, { hint: OWN_FOLDER_HINT, cause: error });
  }
}

/**
 * With what is missing above it. Node's own way of doing so never ends below a folder that takes
 * none, such as /proc.
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process made it in between.
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** Why the system did not let a file or folder be made or written, as the end of a sentence. */
export function whyNot(error: unknown): string {
  const code = codeOf(error);
  return (
    (code === undefined ? undefined : REASONS[code]) ??
    `the system refuses it${code === undefined ? '' : ` (${code})`}`
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Looks at the very folder it then narrows, so that nothing can be put in its place in between. */
function closeToOthers(path: string): void {
  const linkOwner = lstatSync(path).uid;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { mode, uid } = fstatSync(descriptor);
    const self = process.geteuid?.();
    if (uid !== self || linkOwner !== self) throw notOurs(path, 'belongs to another user');
    if ((mode & OTHERS_MASK) === 0) return;
    if ((mode & STICKY_BIT) !== 0) throw notOurs(path, 'is shared by the users of this computer');
    if (!isHubFolder(readdirSync(path)))
      throw notOurs(path, 'is open to other users and holds files that are not of a hub');
    fchmodSync(descriptor, FOLDER_MODE);
  } finally {
    closeSync(descriptor);
  }
}

/** A hub wrote here before, or nothing but what a person prepares for one is there. */
function isHubFolder(names: readonly string[]): boolean {
  return (
    names.some((name) => HUB_FILE.test(name)) || names.every((name) => PREPARED_NAMES.has(name))
  );
}

function notOurs(path: string, why: string): AppError {
  return new AppError(
    'storage_failed',
    `The folder "${path}" ${why}; the hub does not make it its own and changed nothing.`,
    {
      hint: OWN_FOLDER_HINT,
    },
  );
}

/**
 * True when a regular file is there, after its rights were narrowed to its owner. Throws AppError
 * `storage_failed` for a link, a folder, a pipe or anything else that only looks like a database.
 */
export function checkPrivateFile(path: string): boolean {
  const found = linkStat(path);
  if (found === undefined) return false;
  if (!found.isFile()) {
    const what = found.isSymbolicLink() ? 'a link' : 'not a regular file';
    throw new AppError('storage_failed', `"${path}" is ${what}; the hub does not open it.`, {
      hint: 'Look at what put it there and move it away, then start again.',
    });
  }
  if (HAS_MODES && (found.mode & OTHERS_MASK) !== 0) narrow(path);
  return true;
}

function narrow(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fchmodSync(descriptor, FILE_MODE);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Throws AppError `storage_failed` when this user, or the disk, does not let a file or folder be
 * written.
 */
export function checkWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const readOnly = error instanceof Error && 'code' in error && error.code === 'EROFS';
    throw new AppError(
      'storage_failed',
      `"${path}" cannot be written: ${readOnly ? 'its disk is read-only' : 'your user may not'}.`,
      {
        hint: readOnly
          ? 'Make the disk writable again, or choose another data folder with --home.'
          : 'Give the data folder to your user.',
        cause: error,
      },
    );
  }
}

/** Makes an empty file that only its owner may read, and fails when anything is there already. */
export function createPrivateFile(path: string): void {
  const descriptor = openSync(
    path,
    constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0),
    FILE_MODE,
  );
  try {
    if (HAS_MODES) fchmodSync(descriptor, FILE_MODE);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes names in a folder, and what a file holds, survive a power loss. Does nothing for folders on
 * Windows, which has no such call.
 */
export function syncPath(path: string): void {
  if (!HAS_MODES && statSync(path).isDirectory()) return;
  const descriptor = openSync(path, HAS_MODES ? constants.O_RDONLY : constants.O_RDWR);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
