// Keeps what V8 made of the bundles, so that the next start does not compile them again. V8 runs
// what it finds there: the folder stands beside the bundles and is its owner's alone. Where there
// can be none, such as in an installation that cannot be written, every start compiles.
import { lstatSync, mkdirSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER_NAME = 'compiled';
const FOLDER_MODE = 0o700;
const OTHERS_WRITE_MASK = 0o022;

/**
 * For what is imported after this, read now and written when the process ends in order.
 * @param program the file that Node runs; nothing is kept of sources
 */
export function keepCompiled(program: string): void {
  if (!program.endsWith('.js')) return;
  const folder = join(dirname(program), FOLDER_NAME);
  // Nodes before 22.1 have none.
  if (isOwn(folder)) module.enableCompileCache?.(folder);
}

/** Makes the folder where it is missing. */
function isOwn(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch {
    // It is there, or there can be none.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  return isOurs && (process.platform === 'win32' || (found.mode & OTHERS_WRITE_MASK) === 0);
}
