// A file that a person asked for by name, made whole or not at all: written beside its place and put there once it is complete, so that no half
// of it is ever read as the whole. Never replaces a file.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { AppError } from '../lib/app-error.ts';

/** For its owner's eyes. */
const FILE_MODE = 0o600;
const CREATE_FLAGS = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
const DRAFT_TAG_SIZE_BYTES = 6;

/** How a file gets its name. */
export interface Naming {
  readonly link: (draft: string, path: string) => void;
  readonly rename: (draft: string, path: string) => void;
}

const NAMING: Naming = { link: linkSync, rename: renameSync };

/**
 * Gives `path` what `work` writes, once that resolved. When it throws, nothing is left there.
 * @throws AppError bad_request when there is such a file already, or none can be made there; storage_failed when it cannot be written to its end
 */
export async function intoNewFile(
  path: string,
  work: (write: (piece: string) => void) => Promise<void>,
  naming: Naming = NAMING,
): Promise<void> {
  // Said before anything is read; it is the putting in place that decides.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw notMade(path, 'is there already');
  const draft = `${path}.part-${randomBytes(DRAFT_TAG_SIZE_BYTES).toString('hex')}`;
  const file = create(draft, path);
  try {
    try {
      await work((piece) => kept(path, () => writeFileSync(file, piece)));
      kept(path, () => fsyncSync(file));
    } finally {
      closeSync(file);
    }
    putInPlace(draft, path, naming);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives the whole file its name at once, and only if the name is free. */
function putInPlace(draft: string, path: string, { link, rename }: Naming): void {
  try {
    link(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw notMade(path, 'is there already', error);
    // A disk without hard links: take the name, then put the whole file in its place.
    closeSync(create(path, path));
    try {
      rename(draft, path);
    } catch (cause) {
      rmSync(path, { force: true });
      throw notMade(path, 'cannot be made', cause);
    }
  }
}

function create(path: string, wanted: string): number {
  try {
    return openSync(path, CREATE_FLAGS, FILE_MODE);
  } catch (error) {
    throw notMade(wanted, codeOf(error) === 'EEXIST' ? 'is there already' : 'cannot be made', error);
  }
}

function kept(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new AppError('storage_failed', `"${path}" cannot be written to the end.`, {
      hint: 'See how much room that disk has. Nothing of the file is kept.',
      failedBy: 'input',
      cause,
    });
  }
}

function notMade(path: string, why: string, cause?: unknown): AppError {
  return new AppError('bad_request', `"${path}" ${why}.`, {
    hint: 'Name a file that is not there yet, in a folder that you can write to.',
    failedBy: 'input',
    cause,
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
