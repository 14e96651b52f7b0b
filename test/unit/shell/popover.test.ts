// Where the popover stands; how it comes and goes is shown by the built app.
import { expect, test } from 'vitest';
import { popoverPlace } from '../../../main/shell/popover.ts';
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
