// Which program opens a browser, and when none is opened: off a terminal, in continuous
// integration, far from the screen.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browserOpener } from '../../../main/app/browser.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-opener-'));
  writeFileSync(join(folder, 'xdg-open'), '');
  chmodSync(join(folder, 'xdg-open'), 0o700);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opener = (platform: NodeJS.Platform, env: Record<string, string> = {}, isTerminal = true) =>
  browserOpener({
    platform,
    env: { PATH: [join(folder, 'nothing'), folder].join(delimiter), ...env },
    isTerminal,
  });

describe('the opener of a browser', () => {
  test('is the one of the system', () => {
    expect(opener('linux', { DISPLAY: ':0' })?.program).toBe('xdg-open');
    expect(opener('linux', { WAYLAND_DISPLAY: 'wayland-0' })?.program).toBe('xdg-open');
    const mac = opener('darwin');
    expect([mac?.program, mac?.parameters('/a b/login.html')]).toEqual([
      'open',
      ['/a b/login.html'],
    ]);
    const windows = opener('win32');
    expect(
      [windows?.program, ...(windows?.parameters('C:\\A & B\\login.html') ?? [])].join(' '),
    ).toBe('cmd /d /s /c "start "" "C:\\A & B\\login.html""');
  });

  test.each<[string, NodeJS.Platform, Record<string, string>]>([
    ['no display', 'linux', {}],
    ['an empty display', 'linux', { DISPLAY: '' }],
    ['no such program', 'linux', { DISPLAY: ':0', PATH: '/nothing' }],
    ['ssh without a display', 'linux', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    ['ssh to a Mac', 'darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    ['ssh to Windows', 'win32', { SSH_TTY: 'con' }],
    ['continuous integration', 'linux', { DISPLAY: ':0', CI: 'true' }],
    ['continuous integration on a Mac', 'darwin', { CI: '1' }],
  ])('is none where there is %s', (_title, platform, env) => {
    expect(opener(platform, env)).toBeNull();
  });

  test('is none off a terminal', () => {
    expect(opener('linux', { DISPLAY: ':0' }, false)).toBeNull();
    expect(opener('darwin', {}, false)).toBeNull();
  });
});
