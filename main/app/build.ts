// Whether what stands in out/ is as new as its sources, and making it so. Only one process of this folder builds at a time; the others wait
// for it. Knows nothing of what the built programs do.
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['main', 'preload', 'renderer', 'electron.vite.config.ts', 'package.json'];
const BUILT = ['out/main/headless.js', 'out/main/quic.js', 'out/main/cli.js', 'out/renderer/index.html'];
const BUILDER = 'node_modules/electron-vite/bin/electron-vite.js';
const LOCK = 'out/building';
const LOOK_AGAIN_MS = 100;
/** A lock without a number was left half written by whoever made it. */
const NAMELESS_MAX_MS = 2_000;
/** A build takes seconds; on the slowest computer minutes. */
const WAIT_MAX_MS = 600_000;

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
  if (needsBuild(root) === null && !existsSync(join(root, LOCK))) return true;
  return alone(root, say, (wasCutShort) => {
    const reason = wasCutShort ? 'The last build was not finished' : needsBuild(root);
    if (reason === null) return true;
    say(`${reason}: building, which takes a few seconds ...`);
    const { status } = spawnSync(process.execPath, [join(root, BUILDER), 'build', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' });
    say(status === 0 ? 'Built.' : 'The build failed; the lines above say why. "npm ci" puts the packages right.');
    return status === 0;
  });
}

/** Runs `work` while no other process of this folder does; a lock whose holder is gone is taken over, and means a build cut short. */
function alone(root: string, say: (text: string) => void, work: (wasCutShort: boolean) => boolean): boolean {
  const lock = join(root, LOCK);
  mkdirSync(join(root, 'out'), { recursive: true });
  let wasCutShort = false;
  const deadlineMs = performance.now() + WAIT_MAX_MS;
  for (let said = false; !take(lock);) {
    if (removeIfStale(lock)) wasCutShort = true;
    else if (performance.now() > deadlineMs) {
      say(`Another command has been building the hub for ten minutes. Should none be at work, remove ${lock} and try again.`);
      return false;
    } else {
      if (!said) say('Another command is building the hub; waiting for it ...');
      said = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
  }
  // Stays when the build fails or is cut short: what stands in out/ is then of no one build, and the next command mends it.
  const isWhole = work(wasCutShort);
  if (isWhole) rmSync(lock, { force: true });
  return isWhole;
}

/** The whole content appears at once: it is written under another name and then linked, which fails when a lock is there. */
function take(lock: string): boolean {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${startMark(process.pid) ?? ''}`);
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves a dead lock aside. Where another took over in between, what was moved is that one's, and goes back. */
function removeIfStale(lock: string): boolean {
  const held = contentOf(lock);
  if (held === null || !isStale(lock, held)) return false;
  const aside = `${lock}.${process.pid}.old`;
  try {
    renameSync(lock, aside);
    if (contentOf(aside) === held) return true;
    linkSync(aside, lock);
  } catch {
    // Another was faster; the next look tells.
  } finally {
    rmSync(aside, { force: true });
  }
  return false;
}

/** Our own number is that of a dead process before us: this one does not wait while it builds. */
function isStale(lock: string, held: string): boolean {
  const [, number, mark = ''] = /^([0-9]+)(?: (.*))?$/.exec(held) ?? [];
  const pid = Number(number);
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    const writtenMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    return performance.timeOrigin + performance.now() - writtenMs > NAMELESS_MAX_MS;
  }
  return pid === process.pid || !isAlive(pid) || (mark !== '' && startMark(pid) !== mark);
}

function contentOf(lock: string): string | null {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return null;
  }
}

/** Tells two processes of one number apart: when it began, in ticks since the start of the system; null where that is not to be read. */
function startMark(pid: number): string | null {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? null
    );
  } catch {
    return null;
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
