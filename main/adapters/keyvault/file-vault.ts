// The identity seed in a file, for machines without a keychain: `identity.key`, readable by its
// owner alone. Answers `absent` only where there is no file at all; a link, a foreign owner, rights
// for others or other content is `damaged` and is never overwritten.
import { constants, type Stats } from 'node:fs';
import { link, mkdtemp, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import type { Secret } from '../../lib/secret.ts';
import type { KeyVault, VaultRead } from '../../ports/key-vault.ts';
import type { RollbackCounter } from '../../ports/rollback-counter.ts';
import { FileCounter } from './file-counter.ts';
import { SEED_FILE_SIZE_MAX_BYTES } from './limits.ts';
import { seedToText, textToSeed } from './seed-text.ts';

/** Beside the identity. */
const COUNTER_FILE = 'audit.counter';
const FILE_MODE = 0o600;
const OTHERS_MASK = 0o077;
/** Windows has neither mode bits nor these open flags; a profile folder is its owner's there. */
const HAS_MODES = process.platform !== 'win32';
/** NONBLOCK: a pipe laid at this path must not hold the hub. */
const READ_FLAGS = HAS_MODES
  ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  : constants.O_RDONLY;
const CREATE_FLAGS =
  constants.O_CREAT |
  constants.O_EXCL |
  constants.O_WRONLY |
  (HAS_MODES ? constants.O_NOFOLLOW : 0);

export class FileVault implements KeyVault {
  readonly kind = 'file';
  readonly counter: RollbackCounter;
  readonly #path: string;

  /** @param path absolute path of `identity.key`; its folder is there already and private */
  constructor(path: string) {
    this.#path = path;
    this.counter = new FileCounter(join(dirname(path), COUNTER_FILE));
  }

  /**
   * - `found`: a private regular file with a seed. - `absent`: no file. - `locked`: a file that
   *   cannot be read now (rights, a failing disk).
   * - `damaged`: anything else at that path. Never `unavailable`: a file can be kept anywhere.
   */
  async read(signal: AbortSignal): Promise<VaultRead> {
    if (signal.aborted)
      return { state: 'locked', reason: 'The reading of the identity file was cancelled.' };
    let file: FileHandle;
    try {
      file = await open(this.#path, READ_FLAGS);
    } catch (error) {
      return this.#unopened(errorCode(error));
    }
    try {
      const flaw = flawOf(await file.stat());
      if (flaw !== undefined)
        return { state: 'damaged', reason: `The identity file "${this.#path}" ${flaw}.` };
      const text = await file.readFile({ encoding: 'utf8' });
      const seed = textToSeed(text.replace(/\r?\n$/, ''));
      if (seed !== undefined) return { state: 'found', seed };
      return {
        state: 'damaged',
        reason: `The identity file "${this.#path}" does not hold an identity. Restore it from a copy.`,
      };
    } catch (error) {
      return this.#unopened(errorCode(error));
    } finally {
      await file.close();
    }
  }

  /**
   * Throws AppError `conflict` when anything stands at the path, `storage_failed` when the disk
   * does not take it.
   */
  async write(seed: Secret<Uint8Array>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const text = `${seedToText(seed)}\n`;
    let drafts: string | undefined;
    try {
      drafts = await mkdtemp(`${this.#path}.new-`);
      const draft = join(drafts, 'draft');
      await writeNew(draft, text);
      await this.#publish(draft);
      await syncFolder(dirname(this.#path));
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        throw new AppError(
          'conflict',
          `"${this.#path}" is there already; an identity is never overwritten.`,
          { cause: error },
        );
      }
      throw new AppError(
        'storage_failed',
        `The identity file "${this.#path}" could not be written.`,
        {
          hint: 'Check the free space and the rights of the data folder.',
          cause: error,
        },
      );
    } finally {
      if (drafts !== undefined) await rm(drafts, { recursive: true, force: true });
    }
  }

  /**
   * Gives the whole file its name at once, and only if the name is free: a crash leaves all of it
   * or none.
   */
  async #publish(draft: string): Promise<void> {
    try {
      await link(draft, this.#path);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw error;
      // A disk without hard links: take the name exclusively, then put the whole file in its place.
      await (await open(this.#path, CREATE_FLAGS, FILE_MODE)).close();
      await rename(draft, this.#path);
    }
  }

  #unopened(code: string | undefined): VaultRead {
    if (code === 'ENOENT') return { state: 'absent' };
    if (code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO' || code === 'ENOTDIR') {
      return {
        state: 'damaged',
        reason: `"${this.#path}" is not a regular file. Look at what put it there and move it away.`,
      };
    }
    return {
      state: 'locked',
      reason: `The identity file "${this.#path}" cannot be read (${code ?? 'unknown reason'}).`,
    };
  }
}

/** What is wrong with the file itself, as the end of a sentence; undefined = nothing. */
function flawOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'is not a regular file';
  if (stats.size > SEED_FILE_SIZE_MAX_BYTES) return 'is too long to be an identity';
  if (!HAS_MODES) return undefined;
  if (stats.uid !== process.geteuid?.()) return 'belongs to another user';
  if ((stats.mode & OTHERS_MASK) !== 0) {
    return 'could be read by other users of this computer. Take their rights away (chmod 600) if you are sure that nobody did';
  }
  return undefined;
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, CREATE_FLAGS, FILE_MODE);
  try {
    if (HAS_MODES) await file.chmod(FILE_MODE);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  if (!HAS_MODES) return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
