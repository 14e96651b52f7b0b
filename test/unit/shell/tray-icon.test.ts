// The tray: its mark, its words, and its menu, which is complete on its own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';
import { describe, expect, test } from 'vitest';
import { TrayIcon } from '../../../main/shell/tray-icon.ts';
import type { TrayPicture } from '../../../main/shell/tray-menu.ts';
import { trayTitle, trayWords } from '../../../preload/contract/desktop-strings.ts';

const ICONS = join(import.meta.dirname, '..', '..', '..', 'resources');
const CALM: TrayPicture = {
  waiting: [],
  stops: [],
  hubs: [],
  paused: null,
  hub: { state: 'running', copy_at: null },
  update: null,
};
const PAUSED = { since: 1, until: null, stopped: false };
const request = (id: string, peer_name = 'Dad’s laptop') =>
  ({ id, peer_name, kind: 'task' }) as const;

function shown(platform: NodeJS.Platform = 'linux') {
  const called: unknown[] = [];
  const handlers = new Map<string, () => void>();
  const state = {
    items: [] as readonly MenuItemConstructorOptions[],
    toolTip: '',
    title: '',
    images: [] as string[],
    hasMenu: false,
    poppedUp: 0,
  };
  const tray = {
    setImage: () => undefined,
    setToolTip: (text: string) => (state.toolTip = text),
    setTitle: (text: string) => (state.title = text),
    setContextMenu: () => (state.hasMenu = true),
    popUpContextMenu: () => state.poppedUp++,
    on: (name: string, handler: () => void) => handlers.set(name, handler),
  };
  const image: Partial<NativeImage> = { setTemplateImage: () => undefined };
  const icon = new TrayIcon({
    createTray: () => tray as unknown as Tray,
    loadImage: (path) => {
      state.images.push(path);
      return image as NativeImage;
    },
    buildMenu: (items) => {
      state.items = items;
      return {} as Menu;
    },
    iconDirectory: ICONS,
    platform,
    onPress: () => called.push('press'),
    onShow: (place) => called.push(place),
    onPause: (until) => called.push(until),
    onStopEverything: () => called.push('stop everything'),
    onGoOn: () => called.push('go on'),
    onUpdate: () => called.push('update'),
    onQuit: () => called.push('quit'),
  });
  icon.start(CALM);
  const press = (label: string): unknown => {
    const item = itemsOf(state.items).find((other) => other.label === label);
    return Reflect.apply(item?.click ?? (() => expect.fail(`no item "${label}"`)), undefined, []);
  };
  return { icon, state, called, press, handlers };
}

function itemsOf(
  items: readonly MenuItemConstructorOptions[],
): readonly MenuItemConstructorOptions[] {
  return items.flatMap((item) => [
    item,
    ...itemsOf(Array.isArray(item.submenu) ? item.submenu : []),
  ]);
}

/** The menu as a person reads it. */
function treeOf(items: readonly MenuItemConstructorOptions[], depth = 0): readonly string[] {
  return items.flatMap(({ type, label, enabled, submenu }) => {
    const text =
      type === 'separator' ? '---' : `${label ?? ''}${enabled === false ? ' (off)' : ''}`;
    return ['  '.repeat(depth) + text, ...treeOf(Array.isArray(submenu) ? submenu : [], depth + 1)];
  });
}

describe('the menu', () => {
  test('is whole on its own when nothing waits and nobody was added', () => {
    const { state, called, press } = shown();
    expect(treeOf(state.items)).toEqual([
      'Nothing needs you (off)',
      '---',
      'No other hub was added yet',
      '---',
      'Pause for an hour',
      'Pause until tonight',
      'Pause until I resume',
      'Stop everything',
      '---',
      'Open AXON Hub',
      'Settings',
      'Quit AXON Hub (other hubs will see it as offline)',
    ]);
    for (const label of [
      trayWords.online(0, 0),
      trayWords.pauseHour,
      trayWords.pauseTonight,
      trayWords.pauseOpen,
      trayWords.stopEverything,
      trayWords.open,
      trayWords.settings,
      trayWords.quit,
    ])
      press(label);
    expect(called).toEqual([
      '#/people/add',
      'in_an_hour',
      'tonight',
      null,
      'stop everything',
      '#/now',
      '#/settings',
      'quit',
    ]);
  });

  test('says what must be answered, what waits and who is online, in fixed words and the owner’s names alone', () => {
    const { icon, state, called, press } = shown();
    icon.show({
      ...CALM,
      waiting: [
        request('a'),
        { ...request('b', 'Tom & Jerry'), kind: 'question' },
        { ...request('c'), kind: 'choice' },
        { ...request('d'), kind: 'decision' },
        { ...request('e'), kind: 'permission' },
        ...['f', 'g'].map((id) => request(id)),
      ],
      stops: ['Attic'],
      hubs: [
        { id: 'x/1', name: 'Dad’s laptop', online: true },
        { id: 'y', name: 'Tom & Jerry', online: false },
      ],
      paused: null,
      hub: { state: 'identity_locked', copy_at: '192.0.2.1:7100' },
    });
    expect(treeOf(state.items).slice(0, 16)).toEqual([
      'Stop: Attic has a new identity',
      'Another hub runs with the key of this one',
      'The key of this hub is locked',
      '---',
      '7 requests wait for you',
      'Dad’s laptop: a task',
      'Tom && Jerry: a question',
      'Dad’s laptop: a choice',
      'Dad’s laptop: a decision',
      'Dad’s laptop: a permission',
      '2 more',
      '---',
      'Online: 1 of 2 hubs',
      '  Dad’s laptop: online',
      '  Tom && Jerry: offline',
      '---',
    ]);
    press('Dad’s laptop: online');
    press(trayWords.copied);
    press('Tom && Jerry: a question');
    expect(called).toEqual(['#/people/hub/x%2F1', '#/now', '#/now/b']);
  });

  test('offers an update that is there', () => {
    const { icon, state, called, press } = shown();
    icon.show({ ...CALM, update: '1.2.3' });
    expect(treeOf(state.items).slice(-4)).toEqual([
      'Open AXON Hub',
      'Settings',
      'Install version 1.2.3 and start again',
      'Quit AXON Hub (other hubs will see it as offline)',
    ]);
    press(trayWords.update('1.2.3'));
    expect(called).toEqual(['update']);
  });

  test('says that everything is paused and goes on, and keeps the count meanwhile', () => {
    const { icon, state, called, press } = shown();
    const waiting = [request('a'), request('b')];
    icon.show({ ...CALM, waiting, paused: PAUSED });
    expect(state.toolTip).toBe(`${trayTitle(2)}. ${trayWords.paused}`);
    expect(treeOf(state.items).slice(6, 9)).toEqual([
      `${trayWords.paused} (off)`,
      trayWords.goOn,
      trayWords.stopEverything,
    ]);
    press(trayWords.goOn);
    icon.show({ ...CALM, waiting, paused: { ...PAUSED, stopped: true } });
    expect(state.toolTip).toBe(`${trayTitle(2)}. Everything was asked to stop`);
    expect(treeOf(state.items)).not.toContain(trayWords.stopEverything);
    expect(called).toEqual(['go on']);
    icon.show(CALM);
    expect(treeOf(state.items)).not.toContain(`${trayWords.paused} (off)`);
  });
});

describe('the icon', () => {
  test.each<[string, Partial<TrayPicture>]>([
    ['quiet', {}],
    ['waiting', { waiting: [request('a')], paused: PAUSED }],
    ['waiting', { stops: ['Attic'] }],
    ['waiting', { hub: { state: 'running', copy_at: '192.0.2.1:7100' } }],
    ['paused', { paused: PAUSED }],
    ['off', { hub: { state: 'identity_locked', copy_at: null }, waiting: [request('a')] }],
  ])('is %s, and its picture is there for every system', (name, change) => {
    for (const [platform, end] of [
      ['linux', ''],
      ['win32', ''],
      ['darwin', 'Template'],
    ] as const) {
      const { icon, state } = shown(platform);
      icon.show({ ...CALM, ...change });
      expect(state.images.at(-1)).toBe(join(ICONS, 'tray', `${name}${end}.png`));
      expect(state.images.filter((path) => !existsSync(path))).toEqual([]);
    }
  });

  test('HE-09: says for which hub everything stops, and after it how else things stand', () => {
    const { icon, state } = shown();
    icon.show({
      ...CALM,
      waiting: [request('a'), request('b')],
      stops: ['Dad’s laptop', 'Attic'],
      hub: { state: 'running', copy_at: '192.0.2.1:7100' },
      paused: PAUSED,
    });
    expect(state.toolTip).toBe(
      [trayTitle(2), 'Stop: 2 hubs have a new identity', trayWords.copied, trayWords.paused].join(
        '. ',
      ),
    );
  });

  test('opens the popover when it is pressed; on macOS its menu comes with the other button', () => {
    for (const platform of ['linux', 'win32', 'darwin'] as const) {
      const { state, called, handlers } = shown(platform);
      handlers.get('click')?.();
      handlers.get('right-click')?.();
      expect([called, state.hasMenu, state.poppedUp]).toEqual([
        ['press'],
        platform !== 'darwin',
        platform === 'darwin' ? 1 : 0,
      ]);
    }
  });
});
