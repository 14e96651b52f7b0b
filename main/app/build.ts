// Whether what stands in out/ is as new as its sources, and making it so. Only one process of this folder builds at a time; the others wait
// for it. Knows nothing of what the built programs do.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['main', 'preload', 'renderer', 'electron.vite.config.ts', 'package.json'];
const BUILT = ['out/main/headless.js', 'out/main/quic.js', 'out/main/cli.js', 'out/renderer/index.html'];
const BUILDER = 'node_modules/electron-vite/bin/electron-vite.js';
const LOCK = 'out/building';
const LOOK_AGAIN_MS = 100;

/** The newest change among the sources, ms since 1970; null where there are none, as in an installed copy. */
function newestSourceMs(root: string): number | null {
  if (!existsSync(join(root, 'main/entry'))) return null;
  return Math.max(...SOURCES.map((name) => newestMs(join(root, name))));
}

function newestMs(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/** Why out/ needs to be built, as the beginning of a sentence; null when it is new enough. */
export function needsBuild(root: string): 'The hub is not built yet' | 'The sources changed since the last build' | null {
  const built = BUILT.map((file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs);
  const whole = built.filter((at) => at !== undefined);
  if (whole.length < built.length) return 'The hub is not built yet';
  const sourcesMs = newestSourceMs(root);
  return sourcesMs !== null && sourcesMs > Math.min(...whole) ? 'The sources changed since the last build' : null;
}

/** Builds what is missing or older than its sources. Returns false, after saying why, when that failed. */
export function buildIfNeeded(root: string, say: (text: string) => void): boolean {
  if (needsBuild(root) === null && !isBeingBuilt(root)) return true;
  return alone(root, say, () => {
    const reason = needsBuild(root);
    if (reason === null) return true;
    say(`${reason}: building, which takes a few seconds ...`);
    const { status } = spawnSync(process.execPath, [join(root, BUILDER), 'build', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' });
    say(status === 0 ? 'Built.' : 'The build failed; the lines above say why. "npm ci" puts the packages right.');
    return status === 0;
  });
}

function isBeingBuilt(root: string): boolean {
  const holder = holderOf(root);
  return holder !== undefined && isAlive(holder);
}

/** Runs `work` while no other process of this folder does; a lock whose holder is gone is taken over. */
function alone(root: string, say: (text: string) => void, work: () => boolean): boolean {
  const lock = join(root, LOCK);
  mkdirSync(join(root, 'out'), { recursive: true });
  for (let said = false; !take(lock);) {
    const holder = holderOf(root);
    if (holder !== undefined && !isAlive(holder)) rmSync(lock, { force: true });
    else {
      if (!said) say('Another command is building the hub; waiting for it ...');
      said = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The process that builds; undefined when none does (or its number is being written). */
function holderOf(root: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(root, LOCK), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
