// How the system knows the app, and starts it by itself: at login, by the login item where Electron
// offers one and an XDG autostart file on Linux; and for an axon:// link.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { App } from 'electron';

interface AutostartDeps {
  readonly app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings' | 'getPath'>;
  readonly platform: NodeJS.Platform;
  /** The program to start: see `ownProgram`. */
  readonly executable: string;
  /** False in a development run, whose executable is not this app. */
  readonly packaged: boolean;
}

/** As electron-builder.yml has it. */
const APP_ID = 'dev.axon.hub';
/** Windows finds its entry by these. */
const HIDDEN = ['--hidden'];

/**
 * The file that starts this app again. An AppImage runs from a folder that is gone with it.
 * @param executable the program that runs
 */
export function ownProgram(
  executable: string,
  { APPIMAGE: image, APPDIR: folder }: Readonly<Record<string, string | undefined>>,
): string {
  // A program that another AppImage started has its variables, too.
  const isInside = folder !== undefined && folder !== '' && executable.startsWith(`${folder}/`);
  return isInside && image !== undefined && image.startsWith('/') ? image : executable;
}

/**
 * The XDG autostart entry of this app: the path is quoted as a word of a command line, and then as
 * a text of such a file.
 */
function desktopEntry(executable: string): string {
  const word = executable.replaceAll(/(["\\$`])/g, '\\$1').replaceAll('%', '%%');
  const text = (value: string): string => value.replaceAll('\\', '\\\\');
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=AXON Hub',
    `Exec="${text(word)}" --hidden`,
    // A program that was removed is not looked for at every login.
    `TryExec=${text(executable)}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Makes the system agree with the setting. Does nothing in a development run. */
export async function applyAutostart(deps: AutostartDeps, wanted: boolean): Promise<void> {
  if (!deps.packaged) return;
  if (deps.platform !== 'linux') {
    if (deps.app.getLoginItemSettings({ args: HIDDEN }).openAtLogin !== wanted)
      deps.app.setLoginItemSettings({ openAtLogin: wanted, args: HIDDEN });
    return;
  }
  const file = join(deps.app.getPath('appData'), 'autostart', 'axon-hub.desktop');
  if (!wanted) {
    await rm(file, { force: true });
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, desktopEntry(deps.executable), { mode: 0o644 });
}

/** macOS starts a login item without words: it says so when it is asked. */
export function startedAtLogin(
  app: Pick<App, 'getLoginItemSettings'>,
  platform: NodeJS.Platform,
): boolean {
  return platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

/**
 * Windows shows notifications of a program that goes by the name of its entry in the start menu,
 * and keeps its start at login under that name.
 */
export function takeName(app: Pick<App, 'setAppUserModelId'>, platform: NodeJS.Platform): void {
  if (platform === 'win32') app.setAppUserModelId(APP_ID);
}

/** Links to hubs open this app. A development run would register a program that is none. */
export function takeLinks(app: Pick<App, 'isPackaged' | 'setAsDefaultProtocolClient'>): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient('axon');
}
