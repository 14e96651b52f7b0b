// How the system starts the app: at login, and for a link.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'electron';
import { expect, test } from 'vitest';
import {
  applyAutostart,
  ownProgram,
  startedAtLogin,
  takeLinks,
  takeName,
} from '../../../main/shell/autostart.ts';

/** Windows finds the entry of a program by its path and its arguments, and by nothing less. */
function windows() {
  const entries = new Set<string>();
  const nameOf = (args: readonly string[] = []) => args.join(' ');
  const app: Partial<App> = {
    getLoginItemSettings: (options) =>
      ({ openAtLogin: entries.has(nameOf(options?.args)) }) as ReturnType<
        App['getLoginItemSettings']
      >,
    setLoginItemSettings: ({ openAtLogin, args }) => {
      if (openAtLogin === true) entries.add(nameOf(args));
      else entries.delete(nameOf(args));
    },
  };
  return { app: app as App, entries };
}

test('a start at login is hidden, and is taken from the system again', async () => {
  const { app, entries } = windows();
  const deps = { app, platform: 'win32', executable: 'axon-hub.exe', packaged: true } as const;
  await applyAutostart(deps, true);
  expect([...entries]).toEqual(['--hidden']);
  await applyAutostart(deps, false);
  expect([...entries]).toEqual([]);
  await applyAutostart({ ...deps, packaged: false }, true);
  expect([...entries]).toEqual([]);
});

test('on Linux it is a file that the desktop reads, whose line no path can break', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'axon-autostart-'));
  try {
    const app: Partial<App> = { getPath: () => folder };
    const deps = {
      app: app as App,
      platform: 'linux',
      executable: '/opt/AXON "Hub"/100%/axon-$hub\\',
      packaged: true,
    } as const;
    const file = join(folder, 'autostart', 'axon-hub.desktop');
    await applyAutostart(deps, true);
    expect(readFileSync(file, 'utf8')).toContain(
      // A word in quotes, and in it the backslashes as a text of such a file has them.
      '\nExec="/opt/AXON \\\\"Hub\\\\"/100%%/axon-\\\\$hub\\\\\\\\" --hidden\nTryExec=/opt/AXON "Hub"/100%/axon-$hub\\\\\n',
    );
    await applyAutostart(deps, false);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('Windows knows the app by the name that its package has', () => {
  const names: string[] = [];
  const app = { setAppUserModelId: (name: string) => void names.push(name) };
  for (const platform of ['linux', 'darwin', 'win32'] as const) takeName(app, platform);
  const yml = readFileSync(join(import.meta.dirname, '../../../electron-builder.yml'), 'utf8');
  expect(names).toEqual([/^appId: (.*)$/m.exec(yml)?.[1]]);
});

test('an AppImage is started by its file, since what runs is gone with it', () => {
  const inside = '/tmp/.mount_axonAbCdEf/axon-hub';
  const image = { APPIMAGE: '/home/mum/AXON Hub.AppImage', APPDIR: '/tmp/.mount_axonAbCdEf' };
  expect(ownProgram(inside, image)).toBe('/home/mum/AXON Hub.AppImage');
  // Started by a terminal that is an AppImage itself.
  expect(ownProgram('/opt/AXON Hub/axon-hub', image)).toBe('/opt/AXON Hub/axon-hub');
  expect(ownProgram(inside, { ...image, APPIMAGE: 'hub.AppImage' })).toBe(inside);
  expect(ownProgram(inside, {})).toBe(inside);
});

test('macOS says of a start that it was at login, and only a packed app takes links', () => {
  const taken: string[] = [];
  const app = (isPackaged: boolean): App =>
    ({
      isPackaged,
      getLoginItemSettings: () => ({ wasOpenedAtLogin: true }),
      setAsDefaultProtocolClient: (scheme: string) => taken.push(scheme) > 0,
    }) as unknown as App;
  expect(startedAtLogin(app(true), 'darwin')).toBe(true);
  expect(startedAtLogin(app(true), 'win32')).toBe(false);
  takeLinks(app(false));
  expect(taken).toEqual([]);
  takeLinks(app(true));
  expect(taken).toEqual(['axon']);
});
