// The table of security.md about the desktop app: every control in its order, each with a check that
// is there or the reason why only a release machine has one. And the checks that need no more than
// reading what ships: RI-06, as far as no binary is needed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const sources = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|svelte)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
/** Where a pattern stands in what the app runs. */
const found = (pattern: RegExp, folders = ['main', 'preload', 'renderer']): readonly string[] =>
  folders.flatMap(sources).filter((file) => pattern.test(read(file)));

describe('the table of controls', () => {
  const rows = [...read('resources/docs/security.md').matchAll(/^\| (E\d+) \| (.+) \| (.+) \|$/gm)];

  test('has every number once, in order', () => {
    expect(rows.map(([, number]) => number)).toEqual(
      Array.from({ length: 27 }, (_, index) => `E${index + 1}`),
    );
  });

  test.each(rows.map(([, number = '', , check = '']) => [number, check]))(
    '%s names checks that are there, or says why only a release machine has one',
    (number, check) => {
      const files = [...check.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? '');
      if (files.length === 0) expect(check).toMatch(/^Release machine: \w+/);
      const numbered = new RegExp(`\\b${number}\\b`);
      expect(files.filter((file) => !numbered.test(read(file)))).toEqual([]);
    },
  );
});

describe('what ships, as it can be read', () => {
  test('E3, E24: no window asks for Blink or experimental features, webviews or developer tools', () => {
    expect(
      found(/enableBlinkFeatures|experimentalFeatures: true|webviewTag: true|allowpopups|<webview/),
    ).toEqual([]);
    expect(found(/openDevTools|toggleDevTools|role: 'viewMenu'|role: '(?:force)?reload'/i)).toEqual(
      [],
    );
  });

  test('E5: one file listens to pages', () => {
    expect(found(/\bipcMain\.(?:on|once|handle|handleOnce)\b/)).toEqual([
      'main/shell/window-ipc.ts',
    ]);
    expect(found(/\bipcRenderer\b/)).toEqual(['preload/index.ts']);
  });

  test('E13: the app opens no address and no file in another program', () => {
    expect(found(/\bopenExternal\b|\bopenPath\b|\bshowItemInFolder\b/)).toEqual([]);
    expect(found(/\bshell\b[^;]*from 'electron'|electron\.shell\b/)).toEqual([]);
  });

  test('RI-06, E15, E17: the package is built with these fuses, and with an archive whose integrity they check', () => {
    const yml = read('electron-builder.yml');
    const fuses = /^electronFuses:\n((?: {2}.*\n)+)/m.exec(yml)?.[1]?.trim().split(/\n\s+/);
    expect(fuses?.toSorted()).toEqual([
      'enableCookieEncryption: true',
      'enableEmbeddedAsarIntegrityValidation: true',
      'enableNodeCliInspectArguments: false',
      'enableNodeOptionsEnvironmentVariable: false',
      'grantFileProtocolExtraPrivileges: false',
      'loadBrowserProcessSpecificV8Snapshot: false',
      'onlyLoadAppFromAsar: true',
      'runAsNode: false',
    ]);
    expect(yml).not.toMatch(/^asar: false/m);
  });

  test('E16: nothing needs Electron to run as Node', () => {
    expect(found(/\bfork\b[^;]*from 'node:child_process'|ELECTRON_RUN_AS_NODE=/)).toEqual([]);
  });

  test('E18: nothing opens a debugger by itself', () => {
    expect(found(/node:inspector|\binspector\.open\b|appendSwitch\(/)).toEqual([]);
  });

  test('E19: the single instance is claimed before the hub is made', () => {
    const source = read('main/shell/desktop.ts');
    const claimed = source.indexOf('requestSingleInstanceLock()');
    expect(claimed).toBeGreaterThan(0);
    expect(source.indexOf('options.createNode()')).toBeGreaterThan(claimed);
  });

  test('E22: no crash reporter is started, which would send what the memory holds', () => {
    expect(found(/crashReporter/)).toEqual([]);
  });
});
