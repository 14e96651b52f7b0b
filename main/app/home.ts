// The data folder: private to its owner, one hub at a time. Owns the lock file, the runtime file by
// which tools find the hub, and the page by which a browser does. A lock whose hub was killed is
// taken over: the holder is recognised by process id, boot and start time, never by the mere
// presence of a file. Must never follow a link in that folder, nor hand the boot secret to anything
// but the runtime file.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { makePrivateFolder, whyNot } from '../adapters/sqlite/file-privacy.ts';
import { AppError } from '../lib/app-error.ts';
import { SOCKET_NAME } from '../lib/data-folder.ts';
import { toHex } from '../lib/bytes.ts';
import type { Random } from '../ports/clock.ts';

const LOCK_NAME = 'hub.lock';
const RUNTIME_NAME = 'hub.json';
const LOGIN_PAGE_NAME = 'login.html';
const PRIVATE_FILE_MODE = 0o600;
/** Tries to take a lock that others take at the same moment; then the folder counts as in use. */
const LOCK_TRIES_MAX = 5;
/** O_NOFOLLOW does not exist on Windows, where making a link needs a privilege. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** A pipe is opened without waiting for somebody to write into it. Windows has neither. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

const holderSchema = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  boot: v.nullable(v.string()),
  started: v.nullable(v.string()),
  nonce: v.string(),
});
type Holder = v.InferOutput<typeof holderSchema>;

interface RuntimeFile {
  readonly port: number;
  readonly pid: number;
  readonly boot_secret: string;
}

export class Home {
  readonly path: string;
  readonly #nonce: string;

  private constructor(path: string, nonce: string) {
    this.path = path;
    this.#nonce = nonce;
  }

  /**
   * Makes the folder private and takes its lock. Throws `home_in_use` (naming the process),
   * `storage_failed`.
   */
  static open(path: string, random: Random): Home {
    makePrivateFolder(path);
    const nonce = toHex(random.bytes(8));
    takeLock(path, { pid: process.pid, ...processMark(process.pid), nonce });
    // One that a killed hub left; its code went with that hub.
    removeFile(join(path, LOGIN_PAGE_NAME));
    return new Home(path, nonce);
  }

  /** Writes hub.json, in the place of one that a killed hub left. */
  writeRuntimeFile(content: RuntimeFile): void {
    const path = join(this.path, RUNTIME_NAME);
    removeFile(path);
    writePrivateFile(path, JSON.stringify(content));
  }

  /** Where the hub's socket may be made; one that a killed hub left is gone. */
  freeSocketPath(): string {
    const path = join(this.path, SOCKET_NAME);
    removeFile(path);
    return path;
  }

  /** Writes the page that takes a browser to `url`. Returns its path. */
  writeLoginPage(url: string): string {
    const path = join(this.path, LOGIN_PAGE_NAME);
    removeFile(path);
    writePrivateFile(path, loginPage(url));
    return path;
  }

  /** Idempotent. */
  removeLoginPage(): void {
    removeFile(join(this.path, LOGIN_PAGE_NAME));
  }

  /** Removes what this run wrote and gives the folder free. Idempotent. */
  close(): void {
    if (readHolder(join(this.path, LOCK_NAME))?.nonce !== this.#nonce) return;
    removeFile(join(this.path, RUNTIME_NAME));
    this.freeSocketPath();
    this.removeLoginPage();
    removeFile(join(this.path, LOCK_NAME));
  }
}

/** Without a script, which a browser may not run from a file. */
function loginPage(url: string): string {
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0; url=${url}">`,
    '<title>AXON Hub</title>',
    `<p><a href="${url}">Open AXON Hub</a></p>`,
    '',
  ].join('\n');
}

/**
 * The whole content appears at once: it is written under another name and then linked, which fails
 * when a lock is there.
 */
function takeLock(home: string, mine: Holder): void {
  const lock = join(home, LOCK_NAME);
  const draft = join(home, `${LOCK_NAME}.${mine.pid}.${mine.nonce}`);
  writePrivateFile(draft, JSON.stringify(mine));
  try {
    for (let attempt = 0; attempt < LOCK_TRIES_MAX; attempt += 1) {
      if (link(draft, lock)) return;
      const holder = readHolder(lock);
      if (holder !== undefined && isAlive(holder)) throw inUse(home, holder.pid);
      setAside(lock, holder?.nonce, join(home, `${LOCK_NAME}.stale.${mine.nonce}`));
    }
  } finally {
    removeFile(draft);
  }
  throw inUse(home, null);
}

/**
 * Moves a dead lock out of the way; when somebody put a living one there in between, puts that one
 * back.
 */
function setAside(lock: string, deadNonce: string | undefined, aside: string): void {
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw new AppError('storage_failed', `The lock file "${lock}" cannot be moved.`, {
      cause: error,
    });
  }
  const moved = readHolder(aside);
  if (moved !== undefined && moved.nonce !== deadNonce) link(aside, lock);
  removeFile(aside);
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw new AppError('storage_failed', `The lock file "${to}" cannot be made.`, { cause: error });
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    try {
      if (!fstatSync(descriptor).isFile()) return undefined;
      return v.parse(holderSchema, JSON.parse(readFileSync(descriptor, 'utf8')));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/**
 * True while the very process that wrote the lock runs; a process that only got its number does not
 * count.
 */
function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  const mark = processMark(holder.pid);
  const sameBoot = holder.boot === null || mark.boot === null || holder.boot === mark.boot;
  return (
    sameBoot &&
    (holder.started === null || mark.started === null || holder.started === mark.started)
  );
}

/**
 * What tells this process from a later one with the same number, where the system says it (Linux);
 * nulls elsewhere.
 */
function processMark(pid: number): {
  readonly boot: string | null;
  readonly started: string | null;
} {
  if (process.platform !== 'linux') return { boot: null, started: null };
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22, counted after the program's name, which may hold spaces and brackets.
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
    return { boot, started };
  } catch {
    return { boot: null, started: null };
  }
}

function inUse(home: string, pid: number | null): AppError {
  const who = pid === null ? 'another hub' : `the hub with process id ${pid}`;
  return new AppError('home_in_use', `The data folder "${home}" is used by ${who}.`, {
    hint: 'Stop that one, or give this hub a folder of its own with --home.',
    data: pid === null ? {} : { pid },
  });
}

/**
 * Makes the file new, for its owner alone, never through a link, and on the disk before this
 * returns.
 */
function writePrivateFile(path: string, text: string): void {
  try {
    const descriptor = openSync(
      path,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | NO_FOLLOW,
      PRIVATE_FILE_MODE,
    );
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw new AppError('storage_failed', `"${path}" cannot be written: ${whyNot(cause)}.`, {
      hint: 'Put that right, or choose another data folder with --home or AXON_HOME.',
      cause,
    });
  }
}

function removeFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) unlinkSync(path);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
