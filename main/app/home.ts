// The data folder: private to its owner, one hub at a time. Owns its lock, the runtime file by
// which tools find the hub, and the page by which a browser does. Must never follow a link in that
// folder, nor hand the boot secret to anything but the runtime file.
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, whyNot } from '../adapters/sqlite/file-privacy.ts';
import { lockFolder, type FolderLock } from '../adapters/sqlite/folder-lock.ts';
import { AppError } from '../lib/app-error.ts';
import { SOCKET_NAME } from '../lib/data-folder.ts';

const RUNTIME_NAME = 'hub.json';
const LOGIN_PAGE_NAME = 'login.html';
const PRIVATE_FILE_MODE = 0o600;
/** O_NOFOLLOW does not exist on Windows, where making a link needs a privilege. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

interface RuntimeFile {
  readonly port: number;
  readonly pid: number;
  readonly boot_secret: string;
}

export class Home {
  readonly path: string;
  #lock: FolderLock | undefined;

  private constructor(path: string, lock: FolderLock) {
    this.path = path;
    this.#lock = lock;
  }

  /** Makes the folder private and takes its lock. Throws `home_in_use`, `storage_failed`. */
  static open(path: string): Home {
    makePrivateFolder(path);
    const lock = lockFolder(path);
    try {
      const home = new Home(path, lock);
      // What a killed hub left: a page whose code went with it, and a file that names a dead hub.
      home.#removeOwn();
      return home;
    } catch (error) {
      lock.release();
      throw error;
    }
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
    if (this.#lock === undefined) return;
    this.#removeOwn();
    this.#lock.release();
    this.#lock = undefined;
  }

  #removeOwn(): void {
    removeFile(join(this.path, RUNTIME_NAME));
    this.freeSocketPath();
    this.removeLoginPage();
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
