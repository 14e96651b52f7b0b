// The menu of the tray: complete on its own, also for having peace.
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';
import { expect, test } from 'vitest';
import { TrayIcon, type PauseEnd } from '../../../main/shell/tray-icon.ts';
import { trayTitle, trayWords } from '../../../preload/contract/desktop-strings.ts';

function shown() {
  const called: (PauseEnd | 'go on' | 'show' | 'stop everything')[] = [];
  const state: {
    items: readonly MenuItemConstructorOptions[];
    toolTip: string;
    readonly images: string[];
  } = {
    items: [],
    toolTip: '',
    images: [],
  };
  const tray: Partial<Tray> = {
    setImage: () => undefined,
    setToolTip: (text) => (state.toolTip = text),
    setContextMenu: () => undefined,
    destroy: () => undefined,
  };
  const image: Partial<NativeImage> = { setTemplateImage: () => undefined };
  const icon = new TrayIcon({
    createTray: () => ({ ...tray, on: () => undefined }) as unknown as Tray,
    loadImage: (path) => {
      state.images.push(path);
      return image as NativeImage;
    },
    buildMenu: (items) => {
      state.items = items;
      return {} as Menu;
    },
    iconDirectory: '/icons',
    platform: 'linux',
    onShow: () => called.push('show'),
    onPause: (until) => called.push(until),
    onStopEverything: () => called.push('stop everything'),
    onGoOn: () => called.push('go on'),
    onQuit: () => undefined,
  });
  icon.start();
  const press = (label: string): unknown => {
    const item = state.items.find((other) => other.label === label);
    return Reflect.apply(item?.click ?? (() => expect.fail(`no item "${label}"`)), undefined, []);
  };
  return { icon, state, called, press };
}

test('pauses for an hour, until tonight, or until a person goes on', () => {
  const { called, press } = shown();
  for (const label of [trayWords.pauseHour, trayWords.pauseTonight, trayWords.pauseOpen])
    press(label);
  expect(called).toEqual(['in_an_hour', 'tonight', null]);
});

test('says that everything is paused and goes on, and keeps the count meanwhile', () => {
  const { icon, state, called, press } = shown();
  icon.showCount(2);
  icon.showPaused({ since: 1, until: null, stopped: false });
  expect(state.toolTip).toBe(`${trayTitle(2)}. ${trayWords.paused}`);
  expect(state.items.map(({ label }) => label)).toEqual([
    trayWords.waiting(2),
    undefined,
    trayWords.paused,
    trayWords.goOn,
    trayWords.stopEverything,
    undefined,
    trayWords.open,
    trayWords.quit,
  ]);
  press(trayWords.goOn);
  expect(called).toEqual(['go on']);
  press(trayWords.stopEverything);
  icon.showPaused({ since: 1, until: null, stopped: true });
  expect(state.toolTip).toBe(`${trayTitle(2)}. ${trayWords.everythingStopped}`);
  expect(state.items.some(({ label }) => label === trayWords.stopEverything)).toBe(false);
  expect(called).toEqual(['go on', 'stop everything']);
  icon.showPaused(null);
  expect(state.items.some(({ label }) => label === trayWords.paused)).toBe(false);
});

test('HE-09: says first of all for which hub everything stops, and opens the page of it', () => {
  const { icon, state, called, press } = shown();
  icon.showCount(2);
  icon.showStops(['Dad’s laptop']);
  const [first] = state.items;
  expect(first?.label).toBe('Stop: Dad’s laptop has a new identity');
  expect([state.toolTip, state.images.at(-1)]).toEqual([
    `${trayTitle(2)}. ${first?.label}`,
    '/icons/tray/waiting.png',
  ]);
  press(first?.label ?? '');
  expect(called).toEqual(['show']);
  icon.showCount(0);
  icon.showStops(['Dad’s laptop', 'Attic']);
  expect([state.items[0]?.label, state.images.at(-1)]).toEqual([
    'Stop: 2 hubs have a new identity',
    '/icons/tray/waiting.png',
  ]);
  icon.showStops([]);
  expect([state.items[0]?.label, state.images.at(-1)]).toEqual([
    trayWords.waiting(0),
    '/icons/tray/quiet.png',
  ]);
});
