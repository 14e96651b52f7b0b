// Checks whether out/ is as new as its sources, and builds it if not. A build gets a folder of its
// own until it is complete, and then replaces out/. Knows nothing of what the built programs do.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'main',
  'preload',
  'renderer',
  'resources',
  'electron.vite.config.ts',
  'package.json',
];
const OUT = 'out';
const BUILT = ['main/headless.js', 'main/quic.js', 'main/cli.js', 'renderer/index.html'];
const BUILDER = 'node_modules/electron-vite/bin/electron-vite.js';

/**
 * The newest change among the sources, ms since 1970; null where there are none, as in an installed
 * copy.
 */
function newestSourceMs(root: string): number | null {
  if (!existsSync(join(root, 'main/entry/cli.ts'))) return null;
  return Math.max(...SOURCES.map((name) => newestMs(join(root, name))));
}

function newestMs(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/** Why out/ needs to be built, as the beginning of a sentence; null when it is new enough. */
export function needsBuild(
  root: string,
): 'The hub is not built yet' | 'The sources changed since the last build' | null {
  const built = BUILT.map(
    (file) => statSync(join(root, OUT, file), { throwIfNoEntry: false })?.mtimeMs,
  );
  const whole = built.filter((at) => at !== undefined);
  if (whole.length < built.length) return 'The hub is not built yet';
  const sourcesMs = newestSourceMs(root);
  return sourcesMs !== null && sourcesMs > Math.min(...whole)
    ? 'The sources changed since the last build'
    : null;
}

/**
 * Builds what is missing or older than its sources. Returns false, after saying why, when that
 * failed.
 */
export function buildIfNeeded(root: string, say: (text: string) => void): boolean {
  const reason = needsBuild(root);
  return reason === null || build(root, `${reason}: building, which takes a few seconds ...`, say);
}

/** Builds whatever stands there. Returns false, after saying why, when that failed. */
export function buildAnew(root: string, say: (text: string) => void): boolean {
  return build(root, 'Building ...', say);
}

/**
 * Into a folder of its own, which takes the place of out/ when it is whole: nobody ever meets half
 * a build.
 */
function build(root: string, beginning: string, say: (text: string) => void): boolean {
  say(beginning);
  const out = join(root, OUT);
  let fresh: string | undefined;
  try {
    fresh = mkdtempSync(`${out}.`);
    const { status } = spawnSync(
      process.execPath,
      [join(root, BUILDER), 'build', '--logLevel', 'warn'],
      {
        cwd: root,
        stdio: 'inherit',
        env: { ...process.env, AXON_BUILD_FOLDER: fresh },
      },
    );
    if (status !== 0 || !isWhole(fresh)) {
      say('The build failed; the lines above say why. "npm ci" puts the packages right.');
      return false;
    }
    if (existsSync(out)) renameSync(out, `${fresh}.old`);
    renameSync(fresh, out);
    say('Built.');
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`The hub cannot be built in ${root}: ${why}. Your user must be able to write there.`);
    return false;
  } finally {
    if (fresh !== undefined)
      for (const folder of [fresh, `${fresh}.old`])
        rmSync(folder, { recursive: true, force: true });
  }
}

function isWhole(folder: string): boolean {
  return BUILT.every((file) => existsSync(join(folder, file)));
}
