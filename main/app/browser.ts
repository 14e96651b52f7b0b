// Opens a file in the browser of the person at this computer. Knows which program of the system
// does that, and when nobody is there.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What the answer depends on. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly isTerminal: boolean;
}

interface Opener {
  readonly program: string;
  readonly parameters: (file: string) => readonly string[];
}

/**
 * The program that opens a file; null off a terminal, in continuous integration, far from the
 * screen, and where there is none.
 */
export function browserOpener({ env, platform, isTerminal }: Surroundings): Opener | null {
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (!isTerminal || (isSet('CI') && env['CI'] !== 'false')) return null;
  if (platform === 'darwin' || platform === 'win32') {
    if (isSet('SSH_CONNECTION') || isSet('SSH_TTY')) return null;
    if (platform === 'darwin') return { program: 'open', parameters: (file) => [file] };
    // The first pair of quotes is the title of a window; cmd takes the outermost ones away.
    return { program: 'cmd', parameters: (file) => ['/d', '/s', '/c', `"start "" "${file}""`] };
  }
  // Over ssh, too, a display is a screen that somebody sees.
  if (!isSet('DISPLAY') && !isSet('WAYLAND_DISPLAY')) return null;
  const isThere = (env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, 'xdg-open')));
  return isThere ? { program: 'xdg-open', parameters: (file) => [file] } : null;
}

/**
 * Starts it and waits for nothing: it may fail in silence, and whoever sits there opens the link
 * that is printed.
 */
export function openInBrowser({ program, parameters }: Opener, file: string): void {
  const child = spawn(program, parameters(file), {
    stdio: 'ignore',
    // Ctrl+C at the hub is not meant for the browser.
    detached: process.platform !== 'win32',
    windowsVerbatimArguments: true,
    windowsHide: true,
  });
  child.on('error', () => undefined);
  child.unref();
}
