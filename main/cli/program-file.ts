// Looks whether a program can be started, before anything is promised in its name. Starts nothing.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { refusal } from './refusal.ts';

/** What Windows starts without a shell. */
const WINDOWS_ENDINGS = ['', '.exe', '.com'] as const;

/**
 * The file that would be started: named by a path, or found in PATH. Throws `bad_request` when
 * there is none.
 */
export function findProgram(
  name: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const isPath = name.includes('/') || (process.platform === 'win32' && name.includes('\\'));
  const folders = isPath ? [''] : (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  const endings = process.platform === 'win32' ? WINDOWS_ENDINGS : [''];
  const files = folders.flatMap((folder) =>
    endings.map((ending) => (isPath ? resolve(name) : join(folder, name)) + ending),
  );
  const found = name === '' ? undefined : files.find(canRun);
  if (found !== undefined) return found;
  const isThere =
    isPath && files.some((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  throw refusal(
    'bad_request',
    `The program "${name}" ${isThere ? 'cannot be run' : 'is not there'}.`,
    isThere
      ? 'It must be a file that you may execute: chmod +x makes a script one.'
      : 'Name it by its path, as ./my-agent, or by a name that the shell finds. Its arguments stand behind it as words of their own.',
  );
}

function canRun(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
