import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  hardenContents,
  hardenSession,
  isAppUrl,
  openingSwitches,
  withoutLoaders,
} from '../../../main/shell/hardening.ts';
import { windowOptions } from '../../../main/shell/main-window.ts';
import { popoverOptions } from '../../../main/shell/popover.ts';

describe('hardening', () => {
  test('E11, E12: a page may go nowhere and open nothing', () => {
    const contents = Object.assign(new EventEmitter(), {
      handler: (_details: unknown): { action: string } => ({ action: 'allow' }),
      setWindowOpenHandler(handler: (details: unknown) => { action: string }) {
        this.handler = handler;
      },
    });
    hardenContents(contents as never);
    for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      for (const [url, stays] of [
        ['https://example.org/', true],
        ['app://hub.example/', true],
        ['app://hubx/', true],
        ['javascript:alert(1)', true],
        ['file:///etc/passwd', true],
        ['', true],
        ['app://hub/', false],
      ] as const) {
        let prevented = false;
        contents.emit(name, { url, preventDefault: () => (prevented = true) });
        expect([name, url, prevented]).toEqual([name, url, stays]);
      }
    }
    let attached = true;
    contents.emit('will-attach-webview', { preventDefault: () => (attached = false) });
    expect(attached).toBe(false);
    expect(contents.handler({ url: 'https://example.org' })).toEqual({ action: 'deny' });
  });

  test('E14: every permission is refused', () => {
    const given: unknown[] = [];
    let check: (() => boolean) | undefined;
    let device: (() => boolean) | undefined;
    hardenSession({
      setPermissionRequestHandler: (
        handler: (
          contents: unknown,
          permission: string,
          answer: (allowed: boolean) => void,
        ) => void,
      ) => handler({}, 'media', (allowed) => given.push(allowed)),
      setPermissionCheckHandler: (handler: () => boolean) => (check = handler),
      setDevicePermissionHandler: (handler: () => boolean) => (device = handler),
      setDisplayMediaRequestHandler: (
        handler: (request: unknown, answer: (streams: object) => void) => void,
      ) => handler({}, (streams) => given.push(streams)),
      on: () => undefined,
    } as never);
    expect(given).toEqual([false, {}]);
    expect([check?.(), device?.()]).toEqual([false, false]);
  });

  test('nothing is downloaded but what a page of our own made', () => {
    const session = Object.assign(new EventEmitter(), {
      setPermissionRequestHandler: () => undefined,
      setPermissionCheckHandler: () => undefined,
      setDevicePermissionHandler: () => undefined,
      setDisplayMediaRequestHandler: () => undefined,
    });
    hardenSession(session as never);
    const isRefused = (url: string): boolean => {
      let prevented = false;
      session.emit(
        'will-download',
        { preventDefault: () => (prevented = true) },
        { getURL: () => url },
      );
      return prevented;
    };
    const foreign = [
      'https://example.org/x',
      'app://hub/x',
      'blob:https://example.org/1',
      'blob:app://hubx/1',
      'data:text/csv,x',
      'blob:null/1',
      '',
    ];
    expect(foreign.map(isRefused)).toEqual(foreign.map(() => true));
    expect(isRefused('blob:app://hub/0b9c2a6e-1f4d-4f0e-9a57-2d4b2f1d9c11')).toBe(false);
  });

  test.each([
    ['window', windowOptions],
    ['popover', popoverOptions],
  ])(
    'E2, E3, E24: the %s is isolated, sandboxed, and without Node or developer tools',
    (_name, optionsOf) => {
      const { webPreferences, show } = optionsOf({ preloadFile: '/p.cjs', iconDirectory: '/i' });
      expect(show).toBe(false);
      expect(webPreferences).toMatchObject({
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        webviewTag: false,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        devTools: false,
      });
      expect(webPreferences).not.toHaveProperty('enableBlinkFeatures');
    },
  );

  test('E18: knows the switches that open the pages to another program, however they are written', () => {
    const opening = [
      '--remote-debugging-port=9222',
      '--remote-debugging-pipe',
      '--Remote-Allow-Origins=*',
      '-inspect',
      '--inspect-brk=0.0.0.0:9229',
      '/remote-debugging-port=9222',
      '--js-flags=--expose-gc',
      '--load-extension=/tmp/x',
      '--renderer-cmd-prefix=/tmp/x',
      '--disable-web-security',
      '--host-resolver-rules=MAP * 192.0.2.1',
    ];
    expect(openingSwitches(opening)).toHaveLength(opening.length);
    const usual = ['/usr/bin/axon-hub', '--hidden', '--home', '/tmp/mum', '--lang=de'];
    const graphics = [
      '--disable-gpu',
      '--ozone-platform=wayland',
      '--enable-features=UseOzonePlatform',
    ];
    expect(openingSwitches([...usual, ...graphics])).toEqual([]);
  });

  test('E18: a process of the app inherits nothing that loads code', () => {
    const kept = { PATH: '/usr/bin', AXON_HOME: '/tmp/mum' };
    const dropped = { NODE_OPTIONS: '--inspect', LD_PRELOAD: 'x.so', DYLD_INSERT_LIBRARIES: 'x' };
    expect(withoutLoaders({ ...kept, ...dropped })).toEqual(kept);
  });

  test('only documents of our own origin are ours', () => {
    expect(
      [
        'app://hub/',
        'app://hub/x',
        'app://hub',
        'app://HUB/',
        'data:text/html,x',
        'about:blank',
        'https://hub/',
      ].map(isAppUrl),
    ).toEqual([true, true, true, false, false, false, false]);
  });
});
