// Starting at login, as each system does it: the login item where Electron offers one, an XDG
// autostart file on Linux.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { App } from 'electron';

interface AutostartDeps {
  readonly app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings' | 'getPath'>;
  readonly platform: NodeJS.Platform;
  /** The program to start: the packaged executable. */
  readonly executable: string;
  /** False in a development run, whose executable is not this app. */
  readonly packaged: boolean;
}

/** The XDG autostart entry of this app. */
function desktopEntry(executable: string): string {
  const quoted = `"${executable.replaceAll(/(["\\$`])/g, '\\$1')}"`;
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=AXON Hub',
    `Exec=${quoted} --hidden`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Makes the system agree with the setting. Does nothing in a development run. */
export async function applyAutostart(deps: AutostartDeps, wanted: boolean): Promise<void> {
  if (!deps.packaged) return;
  if (deps.platform !== 'linux') {
    if (deps.app.getLoginItemSettings().openAtLogin !== wanted)
      deps.app.setLoginItemSettings({ openAtLogin: wanted, args: ['--hidden'] });
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
