// Whether this desktop shows icons of programs. Windows and macOS always do; on Linux some show
// none, and Electron does not tell: the session bus knows whether anything takes them.
import { execFile } from 'node:child_process';

const ASK_LIMIT_MS = 2_000;
/** gdbus comes with GLib, on which every desktop with a tray stands. */
const ASK: readonly [program: string, parameters: readonly string[]] = [
  'gdbus',
  [
    'call',
    '--session',
    '--dest=org.freedesktop.DBus',
    '--object-path=/org/freedesktop/DBus',
    '--method=org.freedesktop.DBus.NameHasOwner',
    'org.kde.StatusNotifierWatcher',
  ],
];

/** @param ask runs a program and gives its output; rejects where it cannot */
export async function hasTrayHost(
  platform: NodeJS.Platform,
  ask: (program: string, parameters: readonly string[]) => Promise<string> = run,
): Promise<boolean> {
  if (platform !== 'linux') return true;
  try {
    // Only a clear no counts: an icon too many does no harm.
    return !(await ask(...ASK)).trim().startsWith('(false');
  } catch {
    return true;
  }
}

function run(program: string, parameters: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...parameters], { timeout: ASK_LIMIT_MS }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
