// The built window and its bridge as a hostile page meets them: what it finds, and what the app
// answers to calls that are not its own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BRIDGE_NAME, IPC_CHANNELS } from '../../preload/contract/bridge.ts';
import { CONTENT_SECURITY_POLICY } from '../../preload/contract/content-security.ts';
import { OPERATIONS } from '../../preload/contract/operations.ts';
import { WINDOW_OPERATIONS } from '../../preload/contract/window-operations.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { rounds } from '../support/counts.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { callFromWindow, DesktopComputer } from './desktop-computer.ts';

/**
 * The double's own two ways between its page and itself; Electron has none of them on the window.
 */
const CARRIERS = ['__electronDeliver', '__electronInvoke'];
const OUR_FRAME = { url: 'app://hub/', parent: null };

/** Every name on the global object and its prototypes. */
function globalNames(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const names = new Set<string>();
    for (
      let object: unknown = globalThis;
      object !== null && object !== undefined;
      object = Object.getPrototypeOf(object)
    ) {
      for (const name of Object.getOwnPropertyNames(object)) names.add(name);
    }
    return [...names];
  });
}

describe.skipIf(!hasRealPart('chromium'))('the window’s bridge', () => {
  let computer: DesktopComputer;
  let page: Page;

  beforeAll(async () => {
    computer = await DesktopComputer.start('Mum’s PC');
    page = (await computer.window()).page;
  }, 60_000);
  afterAll(() => computer.remove(), 60_000);

  it('RI-02: the page finds the golden list of functions, and nothing else that an empty page has not', async () => {
    const bridge = await page.evaluate((name) => {
      const found: unknown = Reflect.get(window, name);
      if (typeof found !== 'object' || found === null) return null;
      const types = Object.values(found).map((value) => typeof value);
      return {
        keys: Object.keys(found),
        types: [...new Set(types)],
        frozen: Object.isFrozen(found),
      };
    }, BRIDGE_NAME);
    expect(bridge?.keys.toSorted()).toEqual(
      [...WINDOW_OPERATIONS, 'leavePopover', 'onShow', 'subscribe', 'unsubscribe'].toSorted(),
    );
    expect(bridge).toMatchObject({ types: ['function'], frozen: true });

    const empty = await page.context().newPage();
    await empty.route('**/*', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>empty</title>' }),
    );
    await empty.goto('https://empty.invalid/');
    const usual = new Set(await globalNames(empty));
    const added = (await globalNames(page)).filter((name) => !usual.has(name)).toSorted();
    await empty.close();
    expect(
      added.filter((name) => !CARRIERS.includes(name) && !/^__(svelte|playwright|pw)/.test(name)),
    ).toEqual([BRIDGE_NAME]);
  });

  it('shows the licences of what the pages hold, and the way back', async () => {
    expect(await (await computer.window()).readLicences()).toEqual(
      expect.arrayContaining(['svelte', 'valibot']),
    );
    expect(new URL(page.url()).hash).toBe('#/settings');
  });

  it('RI-02: there is no require, process, Buffer, module or global in the page', async () => {
    const found = await page.evaluate(() =>
      [
        'require',
        'process',
        'Buffer',
        'module',
        'exports',
        'global',
        '__dirname',
        '__filename',
        'electron',
        'ipcRenderer',
      ].filter((name) => Reflect.get(globalThis, name) !== undefined),
    );
    expect(found).toEqual([]);
  });

  it('E9: every page of the window and the popover keeps the content security policy and Trusted Types, which stop what does not', async () => {
    await computer.app.ask('tray-click');
    const popover = await computer.app.popover();
    const broken: string[] = [];
    for (const one of [page, popover]) {
      one.on('console', (message) => {
        if (/violat|Content Security Policy|Trusted/i.test(message.text()))
          broken.push(message.text());
      });
      const answer = await one.reload();
      expect(answer?.headers()['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
      await one.getByRole('heading', { level: 1 }).waitFor();
    }
    for (const screen of [
      ...Object.keys(ENGLISH.common.screens),
      'people/add',
      'settings/audit-log',
      'settings/licences',
    ]) {
      await page.evaluate((place) => (location.hash = `#/${place}`), screen);
      await page.getByRole('main').locator('h1, h2').first().waitFor();
    }
    await page.evaluate(() => (location.hash = '#/now'));
    expect(broken).toEqual([]);
    const stopped = await popover.evaluate(() => {
      const script = document.createElement('script');
      try {
        script.text = 'document.title = "taken over"';
      } catch (error) {
        return String(error);
      }
      return 'not stopped';
    });
    expect(stopped).toMatch(/TrustedScript/);
    expect(broken).not.toEqual([]);
    await computer.app.ask('popover-blur');
  });

  it('E23: an error that nobody caught ends nothing, is logged without a box, and the window goes on', async () => {
    for (const kind of ['throw', 'reject']) await computer.app.ask('fail', kind);
    expect(await callFromWindow(page, 'settings.get', {})).toMatchObject({ name: 'Mum’s PC' });
    const log = () => readFile(join(computer.home, 'logs', 'hub.log'), 'utf8');
    await expect.poll(log).toMatch(/uncaught exception.*a fault of the test: throw/);
    await expect.poll(log).toMatch(/unhandled rejection.*a fault of the test: reject/);
    expect((await computer.app.state()).boxes).toEqual([]);
    expect(computer.app.output.join('')).not.toContain('a fault of the test');
  });

  it('RI-03, E5: on every channel a call from a null frame, a subframe, a foreign document or another window is refused', async () => {
    const { channels } = await computer.app.state();
    expect(channels.toSorted()).toEqual(
      [
        IPC_CHANNELS.call,
        IPC_CHANNELS.subscribe,
        IPC_CHANNELS.unsubscribe,
        IPC_CHANNELS.leavePopover,
      ].toSorted(),
    );
    const before = await callFromWindow(page, 'settings.get', {});
    const frames = [
      [null, true],
      [{ url: 'app://hub/', parent: {} }, true],
      [{ url: 'https://example.org/', parent: null }, true],
      [{ url: 'app://hub.example.org/', parent: null }, true],
      [{ url: 'app://hub@example.org/', parent: null }, true],
      [{ url: 'file:///tmp/x.html', parent: null }, true],
      [{ url: 'about:blank', parent: null }, true],
      [{ url: '', parent: null }, true],
      [OUR_FRAME, false],
    ] as const;
    for (const channel of channels) {
      for (const [frame, ours] of frames) {
        const answer = await computer.app.ask('ipc', {
          channel,
          frame,
          ours,
          parameters: ['settings.update', { name: 'Mallory' }],
        });
        expect(answer, `${channel} ${JSON.stringify(frame)}`).toMatchObject({
          ok: false,
          problem: { code: 'bad_origin' },
        });
      }
    }
    expect(await callFromWindow(page, 'settings.get', {})).toEqual(before);
  });

  it('RI-03, E6: names and parameters of every shape are refused without a throw, and no stack comes back', async () => {
    // The time at which pairing closes is worked out anew, from a clock that nobody can set.
    const snapshot = async () => {
      const whole = await callFromWindow(page, 'hub.snapshot', {});
      return { ...whole, at: 0, seq: 0, pairing_window: whole.pairing_window.open };
    };
    const before = await snapshot();
    const foreign = Object.keys(OPERATIONS).filter(
      (name) => !WINDOW_OPERATIONS.some((known) => known === name),
    );
    const names = [
      '__proto__',
      'constructor',
      'toString',
      '',
      ' ',
      'hub.snapshot ',
      'HUB.SNAPSHOT',
      'x'.repeat(1_000_000),
      null,
      7,
      [],
      {},
      ...foreign,
    ];
    const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`) as unknown;
    const shapes = [
      null,
      7,
      'text',
      [],
      [[]],
      true,
      deep,
      JSON.parse('{"__proto__":{"name":"Mallory"}}'),
      { unknown: 1 },
      { name: {} },
    ];
    const call = (name: unknown, value: unknown): Promise<unknown> =>
      computer.app.ask('ipc', {
        channel: IPC_CHANNELS.call,
        frame: OUR_FRAME,
        ours: true,
        parameters: [name, value],
      });
    for (const name of names)
      expect(await call(name, {}), String(name).slice(0, 40)).toMatchObject({ ok: false });
    for (const shape of shapes) {
      const answer = await call('settings.update', shape);
      expect(answer, JSON.stringify(shape).slice(0, 40)).toMatchObject({ ok: false });
      expect(JSON.stringify(answer)).not.toMatch(/\.(js|ts):\d+|\bat [A-Z]\w+\./);
    }
    for (const from of [null, -1, 1.5, '7', {}, Number.MAX_VALUE]) {
      const parameters = [from];
      expect(
        await computer.app.ask('ipc', {
          channel: IPC_CHANNELS.subscribe,
          frame: OUR_FRAME,
          ours: true,
          parameters,
        }),
      ).toEqual({
        gap: true,
      });
    }
    expect(await snapshot()).toEqual(before);
  });

  it('RI-03: tens of megabytes through the bridge are refused, and the app goes on', async () => {
    const size = rounds('megabytes in one call of the page', { short: 20, long: 50 }) * 1_000_000;
    const refused = await page.evaluate(
      async ([bridge, length]) => {
        const update: unknown = Reflect.get(Object(Reflect.get(window, bridge)), 'settings.update');
        if (typeof update !== 'function') return 'no function';
        return (await update({ name: 'x'.repeat(length) })) as unknown;
      },
      [BRIDGE_NAME, size] as const,
    );
    expect(refused).toMatchObject({ ok: false });
    expect(await callFromWindow(page, 'settings.get', {})).toMatchObject({ name: 'Mum’s PC' });
    const log = await readFile(join(computer.home, 'logs', 'hub.log'), 'utf8');
    expect(log.replaceAll(/^.*a fault of the test.*$/gm, '')).not.toMatch(/uncaught|unhandled/i);
  });
});
