// What `npm start` and `npm run demo` do: build what is missing or older than its sources, then
// start the desktop app if an Electron binary is there, else the same hub without a window, and say
// which and why. Finds Electron by its files, because asking its package would try to download it.
// What runs under Node runs in this very process, so a signal reaches the hub directly.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildAnew, buildIfNeeded } from './build.ts';

const root = join(import.meta.dirname, '../..');

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The Electron program, or null when its package came without it. */
function electronProgram(): string | null {
  const folder = join(root, 'node_modules/electron');
  const named = existsSync(join(folder, 'path.txt'))
    ? readFileSync(join(folder, 'path.txt'), 'utf8').trim()
    : null;
  const usual =
    { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[
      String(process.platform)
    ] ?? 'electron';
  const program = join(folder, 'dist', named ?? usual);
  return existsSync(program) ? program : null;
}

/** Why no window can be shown although Electron is there; null when one can. */
function missingDisplay(): string | null {
  const hasDisplay =
    process.platform !== 'linux' ||
    process.env['DISPLAY'] !== undefined ||
    process.env['WAYLAND_DISPLAY'] !== undefined;
  return hasDisplay ? null : 'there is no display';
}

function runElectron(program: string, parameters: readonly string[]): void {
  let app: ChildProcess | undefined;
  // Before the app runs: a signal that comes between would end this program and not the app. A
  // terminal may have told the app already; it bears to be told twice. On Windows the console tells
  // everyone, and what is called a signal here would end the app at once.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (process.platform !== 'win32' || signal === 'SIGTERM') app?.kill(signal);
    });
  }
  const child = spawn(program, parameters, { stdio: 'inherit', cwd: process.cwd() });
  app = child;
  child.on('error', (error) => {
    say(`It could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => (process.exitCode = code ?? (signal === null ? 1 : 128)));
}

/** Runs a built program here, as if it had been started by itself. */
async function runHere(file: string, parameters: readonly string[]): Promise<void> {
  const program = join(root, file);
  process.argv = [process.execPath, program, ...parameters];
  await import(pathToFileURL(program).href);
}

/**
 * Builds if needed, and starts the hub; the demo household when the first parameter is "demo",
 * nothing more when it is "build", which with "--anew" builds whatever stands there. `parameters`
 * are handed on as they are.
 */
export async function launch(parameters: readonly string[]): Promise<void> {
  const isAsked = parameters[0] === 'build' && parameters[1] === '--anew';
  if (!(isAsked ? buildAnew(root, say) : buildIfNeeded(root, say))) {
    process.exitCode = 1;
    return;
  }
  if (parameters[0] === 'build') return;
  if (parameters[0] === 'demo') return runHere('out/main/cli.js', parameters);
  const electron = electronProgram();
  const noWindow =
    electron === null ? 'the Electron package came without its program' : missingDisplay();
  if (electron !== null && noWindow === null && existsSync(join(root, 'out/main/electron.js'))) {
    say('Starting the desktop app.');
    runElectron(electron, [root, ...parameters]);
    return;
  }
  say(
    `Starting the hub without a window: ${noWindow ?? 'the desktop app is not part of this build'}. Use it in your browser.`,
  );
  await runHere('out/main/headless.js', parameters);
}
