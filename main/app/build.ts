// Whether what stands in out/ is as new as its sources, and making it so. A build stands in a
// folder of its own until it is whole, and then takes the place of out/. Knows nothing of what the built programs do.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['main', 'preload', 'renderer', 'electron.vite.config.ts', 'package.json'];
const OUT = 'out';
const BUILT = ['main/headless.js', 'main/quic.js', 'main/cli.js', 'renderer/index.html'];
const BUILDER = 'node_modules/electron-vite/bin/electron-vite.js';
/** Says that a process of this folder builds. Saves work only: builds that run at the same time do each other no harm. */
const LOCK = 'out.building';
/** The folders a build stands in until it is whole, and the one before it until it is gone; each begins with its builder's number. */
const UNFINISHED = /^out\.([0-9]+)-/;
const LOOK_AGAIN_MS = 100;
/** A lock without a number was left half written by whoever made it. */
const NAMELESS_MAX_MS = 2_000;
/** A build takes seconds; on the slowest computer minutes. */
const WAIT_MAX_MS = 600_000;
/** Builds of others that may come into place between two moves of ours. */
const MOVES_MAX = 5;

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
  const built = BUILT.map((file) => statSync(join(root, OUT, file), { throwIfNoEntry: false })?.mtimeMs);
  const whole = built.filter((at) => at !== undefined);
  if (whole.length < built.length) return 'The hub is not built yet';
  const sourcesMs = newestSourceMs(root);
  return sourcesMs !== null && sourcesMs > Math.min(...whole) ? 'The sources changed since the last build' : null;
}

/** Builds what is missing or older than its sources. Returns false, after saying why, when that failed. */
export function buildIfNeeded(root: string, say: (text: string) => void): boolean {
  if (needsBuild(root) === null) return true;
  return alone(root, say, () => {
    const reason = needsBuild(root);
    return reason === null || build(root, `${reason}: building, which takes a few seconds ...`, say);
  });
}

/** Builds whatever stands there. Returns false, after saying why, when that failed: then what stood there still does. */
export function buildAnew(root: string, say: (text: string) => void): boolean {
  return alone(root, say, () => build(root, 'Building ...', say));
}

/** Into a folder of its own, which takes the place of out/ when it is whole: nobody ever meets half a build, nor one of two builders. */
function build(root: string, beginning: string, say: (text: string) => void): boolean {
  say(beginning);
  const fresh = mkdtempSync(join(root, `${OUT}.${process.pid}-`));
  try {
    const { status } = spawnSync(process.execPath, [join(root, BUILDER), 'build', '--logLevel', 'warn'], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, AXON_BUILD_FOLDER: fresh },
    });
    if (status !== 0 || !BUILT.every((file) => existsSync(join(fresh, file)))) {
      say('The build failed; the lines above say why. "npm ci" puts the packages right.');
      return false;
    }
    putInPlace(join(root, OUT), fresh);
    say('Built.');
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(`${fresh}.old`, { recursive: true, force: true });
  }
}

/** Throws what the system says when out/ cannot be moved; then it is where it was. */
function putInPlace(out: string, fresh: string): void {
  const aside = `${fresh}.old`;
  for (let moves = 1; ; moves += 1) {
    rmSync(aside, { recursive: true, force: true });
    if (existsSync(out)) move(out, aside);
    try {
      renameSync(fresh, out);
      return;
    } catch (error) {
      if (existsSync(out) && moves < MOVES_MAX) continue;
      if (!existsSync(out)) move(aside, out);
      throw error;
    }
  }
}

/** Another builder may have moved it first. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Runs `work` while no other process of this folder does, as far as locks tell. Returns false, after saying why, when it could not. */
function alone(root: string, say: (text: string) => void, work: () => boolean): boolean {
  const lock = join(root, LOCK);
  const deadlineMs = performance.now() + WAIT_MAX_MS;
  try {
    for (let said = false; !take(lock);) {
      if (isStale(lock)) {
        rmSync(lock, { force: true });
      } else if (performance.now() > deadlineMs) {
        say(`Another command has been building the hub for ten minutes. Should none be at work, remove ${lock} and try again.`);
        return false;
      } else {
        if (!said) say('Another command is building the hub; waiting for it ...');
        said = true;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
      }
    }
    try {
      removeUnfinished(root);
      return work();
    } finally {
      if (contentOf(lock) === ownMark()) rmSync(lock, { force: true });
    }
  } catch (error) {
    say(
      `The hub cannot be built in ${root}: ${error instanceof Error ? error.message : String(error)}. Your user must be able to write there.`,
    );
    return false;
  }
}

/** False when a lock is there. */
function take(lock: string): boolean {
  try {
    const descriptor = openSync(lock, 'wx');
    try {
      writeSync(descriptor, ownMark());
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What builders left that were killed. */
function removeUnfinished(root: string): void {
  for (const name of readdirSync(root)) {
    const [, number] = UNFINISHED.exec(name) ?? [];
    if (number === undefined || isAlive(Number(number))) continue;
    // A young one may belong to a builder in another container, whose number means nothing here.
    if (ageMs(join(root, name)) > WAIT_MAX_MS) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function ownMark(): string {
  return `${process.pid} ${startMark(process.pid) ?? ''}`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** True when whoever made it is gone. Our own number is that of a dead process before us: this one does not wait while it builds. */
function isStale(lock: string): boolean {
  const held = contentOf(lock);
  if (held === null) return false;
  const [, number, mark = ''] = /^([0-9]+)(?: (.*))?$/.exec(held) ?? [];
  const pid = Number(number);
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    return ageMs(lock) > NAMELESS_MAX_MS;
  }
  return pid === process.pid || !isAlive(pid) || (mark !== '' && startMark(pid) !== mark);
}

/** Since it was written; 0 when it is not there. */
function ageMs(path: string): number {
  const now = performance.timeOrigin + performance.now();
  return now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
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
    return codeOf(error) === 'EPERM';
  }
}
