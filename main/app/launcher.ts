// What `npm start` does: builds what is missing or older than its sources, then starts the desktop app where an Electron binary lies, else
// the same hub without a window, saying which and why. Finds Electron by its files: asking its package would try to download it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const SOURCES = ['main', 'preload', 'renderer', 'electron.vite.config.ts', 'package.json'];
const BUILT = ['out/main/headless.js', 'out/main/quic.js', 'out/main/cli.js', 'out/renderer/index.html'];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function newestSourceMs(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestSourceMs(join(path, name))));
}

function needsBuild(): string | null {
  const built = BUILT.map((file) => join(root, file));
  if (!built.every((file) => existsSync(file))) return 'The hub is not built yet';
  const oldestBuiltMs = Math.min(...built.map((file) => statSync(file).mtimeMs));
  const newestMs = Math.max(...SOURCES.map((name) => newestSourceMs(join(root, name))));
  return newestMs > oldestBuiltMs ? 'The sources changed since the last build' : null;
}

/** The Electron program, or null when its package came without it. */
function electronProgram(): string | null {
  const folder = join(root, 'node_modules/electron');
  const named = existsSync(join(folder, 'path.txt')) ? readFileSync(join(folder, 'path.txt'), 'utf8').trim() : null;
  const usual = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[String(process.platform)] ?? 'electron';
  const program = join(folder, 'dist', named ?? usual);
  return existsSync(program) ? program : null;
}

/** Why no window can be shown although Electron is there; null when one can. */
function missingDisplay(): string | null {
  const hasDisplay = process.platform !== 'linux' || process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined;
  return hasDisplay ? null : 'there is no display';
}

function run(program: string, parameters: readonly string[]): void {
  const child = spawn(program, parameters, { stdio: 'inherit', cwd: process.cwd() });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    say(`It could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => (process.exitCode = code ?? (signal === null ? 1 : 128)));
}

/** Builds if needed, and starts the hub, or the demo household when the first parameter is "demo". `parameters` are handed on as they are. */
export function launch(parameters: readonly string[]): void {
  const reason = needsBuild();
  if (reason !== null && !build(reason)) {
    process.exitCode = 1;
    return;
  }
  if (parameters[0] === 'demo') {
    run(process.execPath, [join(root, 'out/main/cli.js'), ...parameters]);
    return;
  }
  const electron = electronProgram();
  const noWindow = electron === null ? 'the Electron package came without its program' : missingDisplay();
  if (electron !== null && noWindow === null && existsSync(join(root, 'out/main/electron.js'))) {
    say('Starting the desktop app.');
    run(electron, [root, ...parameters]);
    return;
  }
  say(`Starting the hub without a window, with its pages in your browser: ${noWindow ?? 'the desktop app is not part of this build'}.`);
  run(process.execPath, [join(root, 'out/main/headless.js'), ...parameters]);
}

function build(reason: string): boolean {
  say(`${reason}: building, which takes about half a minute ...`);
  const builder = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const { status } = spawnSync(process.execPath, [builder, 'build', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' });
  say(status === 0 ? 'Built.' : 'The build failed; the lines above say why. "npm ci" puts the packages right.');
  return status === 0;
}
