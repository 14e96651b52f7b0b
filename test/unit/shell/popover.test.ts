// Where the popover stands, and that it opens after a failure; how it comes and goes is shown by the
// built app.
import type { BrowserWindow } from 'electron';
import { expect, test } from 'vitest';
import { Popover, popoverPlace } from '../../../main/shell/popover.ts';
import { hasTrayHost } from '../../../main/shell/tray-host.ts';

const AREA = { x: 0, y: 24, width: 1_920, height: 1_056 };
const icon = (x: number, y: number) => ({ x, y, width: 24, height: 24 });

test('stands beside the icon, wholly on its screen, at every edge and on a small screen', () => {
  const size = { width: 380, height: 720 };
  expect(popoverPlace(icon(1_000, 0), AREA)).toEqual({ x: 822, y: 32, ...size });
  expect(popoverPlace(icon(1_890, 0), AREA)).toEqual({ x: 1_532, y: 32, ...size });
  expect(popoverPlace(icon(1_000, 1_080), AREA)).toEqual({ x: 822, y: 352, ...size });
  expect(popoverPlace(icon(0, 500), AREA)).toEqual({ x: 8, y: 352, ...size });
  expect(popoverPlace(icon(-1_900, 0), { ...AREA, x: -1_920 })).toEqual({
    x: -1_912,
    y: 32,
    ...size,
  });
  expect(popoverPlace(icon(300, 0), { x: 0, y: 0, width: 320, height: 400 })).toEqual({
    x: 8,
    y: 8,
    width: 304,
    height: 384,
  });
});

test('whose page could not be loaded is gone, and the next press makes another one', async () => {
  let destroyed = 0;
  const answers = [Promise.reject(new Error('ERR_FAILED')), Promise.resolve()];
  const shown: number[] = [];
  const createWindow = () => {
    const loaded = answers.shift();
    let isDestroyed = false;
    const window = {
      on: () => undefined,
      removeMenu: () => undefined,
      webContents: { on: () => undefined },
      isDestroyed: () => isDestroyed,
      isVisible: () => false,
      loadURL: () => loaded,
      destroy: () => {
        isDestroyed = true;
        destroyed += 1;
      },
      setBounds: () => undefined,
      show: () => shown.push(destroyed),
      focus: () => undefined,
    };
    return window as unknown as BrowserWindow;
  };
  const popover = new Popover({
    createWindow,
    preloadFile: '',
    iconDirectory: '',
    place: () => popoverPlace(icon(1_000, 0), AREA),
    now: () => 0,
  });
  await expect(popover.press()).rejects.toThrow('ERR_FAILED');
  await popover.press();
  expect(shown).toEqual([1]);
});

test('only a clear no means that a desktop shows no icons', async () => {
  const asked: string[] = [];
  const says = (answer: string) => async (program: string) => {
    asked.push(program);
    return answer;
  };
  expect(await hasTrayHost('linux', says('(true,)\n'))).toBe(true);
  expect(await hasTrayHost('linux', says('(false,)\n'))).toBe(false);
  expect(await hasTrayHost('linux', () => Promise.reject(new Error('no such program')))).toBe(true);
  expect(await hasTrayHost('darwin', says('(false,)'))).toBe(true);
  expect(asked).toEqual(['gdbus', 'gdbus']);
});
