// Runs when `npm pack` makes the file of the headless hub: writes npm-shrinkwrap.json, so that an
// installation of that file gets the very packages that everything was tested with. It is the lock
// file without what only a build needs. With `--remove` it goes again: beside package-lock.json,
// npm would read it instead.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const LOCK = 'package-lock.json';
const SHRINKWRAP = 'npm-shrinkwrap.json';

interface LockedPackage {
  readonly dev?: boolean;
  readonly devDependencies?: unknown;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The lock file of what is installed with the hub. */
export function shrinkwrapOf(lock: LockFile): LockFile {
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { devDependencies: _build, ...locked }]) => [path, locked] as const);
  return { ...lock, packages: Object.fromEntries(packages) };
}

if (import.meta.main) {
  if (process.argv.includes('--remove')) rmSync(SHRINKWRAP, { force: true });
  else {
    const lock = JSON.parse(readFileSync(LOCK, 'utf8')) as LockFile;
    writeFileSync(SHRINKWRAP, `${JSON.stringify(shrinkwrapOf(lock), null, 2)}\n`);
  }
}
