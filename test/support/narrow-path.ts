// A PATH that holds what a test may start and nothing else: node, npm, Debian's essential packages
// and the programs of system-programs.ts. Continuous integration runs the tests with it, so that one
// which starts an undeclared program fails there and not on a newcomer's computer. Debian only.
//
//   PATH=$(node test/support/narrow-path.ts FOLDER)
import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SYSTEM_PROGRAMS } from './system-programs.ts';

/** Where Debian's packages put programs, in the order in which they are looked for. */
const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

function dpkg(...words: readonly string[]): readonly string[] {
  const { stdout, status } = spawnSync('dpkg-query', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error('dpkg-query does not answer: this needs a Debian.');
  return stdout.split('\n');
}

/** The names of the programs that every Debian has. */
function essentialPrograms(): readonly string[] {
  const packages = dpkg('--show', '--showformat', '${Essential} ${Package}\n')
    .filter((line) => line.startsWith('yes '))
    .map((line) => line.slice('yes '.length));
  const inPackages = dpkg('--listfiles', ...packages)
    .filter((file) => PROGRAM_FOLDERS.includes(dirname(file)))
    .map((file) => basename(file));
  // A link that the package makes when it is installed.
  return [...inPackages, 'sh'];
}

/**
 * Fills `folder` with links to these programs and returns it; what was in it goes. Programs that
 * are not installed are left out.
 */
export function makeNarrowPath(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const path = process.env['PATH'] ?? '';
  const links = new Map(
    ['node', 'npm', 'npx'].map((name) => [name, realpathSync(programAt(path, name))]),
  );
  const declared = SYSTEM_PROGRAMS.flatMap(([name]) => name ?? []);
  for (const name of [...essentialPrograms(), ...declared]) {
    const file = findIn(PROGRAM_FOLDERS, name);
    if (file !== undefined && !links.has(name)) links.set(name, file);
  }
  for (const [name, target] of links) symlinkSync(target, join(folder, name));
  return folder;
}

function findIn(folders: readonly string[], name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** @throws where no folder of `path` has it */
function programAt(path: string, name: string): string {
  const file = findIn(path.split(':'), name);
  if (file === undefined) throw new Error(`"${name}" is not on the PATH.`);
  return file;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: node test/support/narrow-path.ts FOLDER');
  process.stdout.write(`${makeNarrowPath(resolve(folder))}\n`);
}
