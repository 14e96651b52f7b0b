// The rollback counter in a file beside the identity's, for machines without a keychain. It detects
// a database that was restored alone. Restoring the whole data folder restores this file too, and
// no file in that folder can detect that.
import { constants, type Stats } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import type { CounterMark, CounterRead, RollbackCounter } from '../../ports/rollback-counter.ts';
import { counterToText, textToCounter } from './counter-text.ts';
import { COUNTER_FILE_SIZE_MAX_BYTES } from './limits.ts';

const FILE_MODE = 0o600;
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

export class FileCounter implements RollbackCounter {
  readonly #path: string;

  /** @param path absolute; its folder is there already and private */
  constructor(path: string) {
    this.#path = path;
  }

  async read(signal: AbortSignal): Promise<CounterRead> {
    if (signal.aborted) return { state: 'locked', reason: 'The reading was cancelled.' };
    try {
      const file = await open(this.#path, READ_FLAGS);
      try {
        if (!isPlain(await file.stat())) return { state: 'damaged' };
        const mark = textToCounter((await file.readFile({ encoding: 'utf8' })).trimEnd());
        return mark === undefined ? { state: 'damaged' } : { state: 'found', mark };
      } finally {
        await file.close();
      }
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') return { state: 'absent' };
      if (code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return { state: 'damaged' };
      return { state: 'locked', reason: `"${this.#path}" cannot be read (${code}).` };
    }
  }

  /**
   * Written whole beside the old one, then put in its place: a crash leaves the one or the other.
   */
  async write(mark: CounterMark, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const draft = `${this.#path}.new`;
    try {
      await rm(draft, { force: true });
      const file = await open(draft, CREATE_FLAGS, FILE_MODE);
      try {
        await file.writeFile(`${counterToText(mark)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.#path);
      if (HAS_MODES) await syncFolder(dirname(this.#path));
    } catch (cause) {
      throw new AppError('storage_failed', `"${this.#path}" could not be written.`, {
        hint: 'Check the free space and the rights of the data folder.',
        cause,
      });
    }
  }
}

function isPlain(stats: Stats): boolean {
  return stats.isFile() && stats.size <= COUNTER_FILE_SIZE_MAX_BYTES;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown reason';
}
