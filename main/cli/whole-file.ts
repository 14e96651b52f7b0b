// A file that a person asked for by name, for their eyes only, whole or not at all unless this
// program is killed. Never replaces a file.
import { closeSync, constants, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { refusal } from './refusal.ts';

const FILE_MODE = 0o600;
const CREATE_FLAGS =
  constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Fills `path` with what `work` writes. When it throws, nothing is left there.
 * @throws AppError bad_request when there is such a file already, or none can be made there;
 * storage_failed when it cannot be written to its end
 */
export async function intoNewFile(
  path: string,
  work: (write: (piece: string) => void) => Promise<void>,
): Promise<void> {
  const file = create(path);
  try {
    await work((piece) => kept(path, () => writeFileSync(file, piece)));
    kept(path, () => fsyncSync(file));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function create(path: string): number {
  try {
    return openSync(path, CREATE_FLAGS, FILE_MODE);
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw refusal(
      'bad_request',
      `"${path}" ${isThere ? 'is there already' : 'cannot be made'}.`,
      'Name a file that is not there yet, in a folder that you can write to.',
      cause,
    );
  }
}

function kept(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw refusal(
      'storage_failed',
      `"${path}" cannot be written to the end.`,
      'See how much room that disk has. Nothing of the file is kept.',
      cause,
    );
  }
}
