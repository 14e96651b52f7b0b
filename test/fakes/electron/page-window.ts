// BrowserWindow of the double: a page in a real Chromium. The custom scheme is answered by the
// handler the app registered; the real preload bundle runs before the page's scripts with
// Electron's two primitives, carried over a browser binding.
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { chromiumPath } from '../../support/real-parts.ts';

const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Chromium does not know the app's scheme, so its origin is carried by a name that resolves
 * nowhere.
 */
const CARRIER_ORIGIN = 'https://hub.app.invalid';
const APP_ORIGIN = 'app://hub';

type SchemeHandler = (request: {
  readonly url: string;
  readonly method: string;
}) => Promise<Response>;
type Answer = (event: unknown, ...parameters: readonly unknown[]) => unknown;

let context: Promise<BrowserContext> | undefined;
let profile = '';

async function startBrowser(): Promise<BrowserContext> {
  profile = await mkdtemp(join(tmpdir(), 'axon-window-'));
  // It is larger than the app: an app without a window holds none of it.
  const { chromium } = await import('playwright-core');
  return chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    headless: true,
    args: [...CHROMIUM_ARGUMENTS, '--remote-debugging-port=0'],
    viewport: { width: 1180, height: 800 },
    // Signals are the app's to answer.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

function preloadScript(path: string): string {
  return `(() => {
    const invoke = window.__electronInvoke;
    const listeners = new Map();
    Object.defineProperty(window, '__electronDeliver', { enumerable: false, value: (channel, value) => {
      for (const listener of listeners.get(channel) ?? []) listener({}, value);
    } });
    const electron = {
      contextBridge: { exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: Object.freeze(api), enumerable: true }) },
      ipcRenderer: {
        invoke: (channel, ...parameters) => invoke(channel, parameters),
        on: (channel, listener) => listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
      },
    };
    const module = { exports: {} };
    (function (require, module, exports) { ${readFileSync(path, 'utf8')}
    })((name) => { if (name === 'electron') return electron; throw new Error('not in a sandboxed preload: ' + name); }, module, module.exports);
  })();`;
}

class WebContentsDouble extends EventEmitter {
  static #next = 1;
  readonly id = WebContentsDouble.#next++;
  openHandler: ((details: { readonly url: string }) => { readonly action: string }) | undefined;
  page: Page | undefined;

  setWindowOpenHandler(
    handler: (details: { readonly url: string }) => { readonly action: string },
  ): void {
    this.openHandler = handler;
  }

  isDestroyed(): boolean {
    return this.page === undefined || this.page.isClosed();
  }

  send(channel: string, value: unknown): void {
    // A value crosses as a structured clone would: a copy, and nothing when the page is gone.
    void this.page
      ?.evaluate(
        ([name, data]) => {
          const deliver: unknown = Reflect.get(window, '__electronDeliver');
          if (typeof deliver === 'function') deliver(name, data);
        },
        [channel, value] as const,
      )
      .catch(() => undefined);
  }

  reload(): void {
    void this.page?.reload();
  }
}

export class PageWindow extends EventEmitter {
  static readonly handlers = new Map<string, SchemeHandler>();
  readonly options: Record<string, unknown>;
  readonly webContents = new WebContentsDouble();
  readonly #ipc: ReadonlyMap<string, Answer>;
  visible = false;
  focused = false;
  minimised = false;
  raised = 0;
  /** What it was made for, as the address that it loaded. */
  url = '';
  menu: unknown = null;
  bounds = { x: 0, y: 0, width: 1_180, height: 800 };
  #destroyed = false;

  constructor(options: Record<string, unknown>, ipc: ReadonlyMap<string, Answer>) {
    super();
    this.options = options;
    this.#ipc = ipc;
  }

  static async closeAll(): Promise<void> {
    await (await context)?.close();
  }

  /** Folder in which Chromium writes its debugging port. */
  static get profileDirectory(): string {
    return profile;
  }

  async loadURL(url: string): Promise<void> {
    this.url = url;
    context ??= startBrowser();
    const page = await (await context).newPage();
    this.webContents.page = page;
    const preferences = this.options['webPreferences'] as { readonly preload: string };
    await page.exposeBinding(
      '__electronInvoke',
      async (source, channel: string, parameters: readonly unknown[]) => {
        const answer = this.#ipc.get(channel);
        if (answer === undefined) throw new Error(`No handler registered for '${channel}'`);
        const parent = source.frame.parentFrame();
        const event = {
          sender: this.webContents,
          senderFrame: { url: outside(source.frame.url()), parent: parent === null ? null : {} },
        };
        return answer(event, ...parameters);
      },
    );
    await page.addInitScript(preloadScript(preferences.preload));
    await page.route('**/*', (route) => this.#answer(route));
    page.on('popup', (popup) => {
      if (this.webContents.openHandler?.({ url: outside(popup.url()) }).action !== 'allow')
        void popup.close();
    });
    page.on('crash', () => this.webContents.emit('render-process-gone', {}, { reason: 'crashed' }));
    await page.goto(carried(url));
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request();
    const url = outside(request.url());
    if (request.isNavigationRequest() && request.frame().url() !== 'about:blank') {
      let prevented = false;
      this.webContents.emit('will-navigate', { url, preventDefault: () => (prevented = true) });
      if (prevented) return route.abort();
    }
    const handler = PageWindow.handlers.get(new URL(url).protocol.slice(0, -1));
    if (handler === undefined) return route.abort();
    const response = await handler({ url, method: request.method() });
    return route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  }

  show(): void {
    this.visible = true;
    this.minimised = false;
    this.raised += 1;
  }

  isVisible(): boolean {
    return this.visible;
  }

  minimize(): void {
    this.visible = true;
    this.minimised = true;
    this.focused = false;
  }

  setMenu(menu: unknown): void {
    this.menu = menu;
  }

  setMenuBarVisibility(): void {}

  getBounds(): PageWindow['bounds'] {
    return this.bounds;
  }

  setBounds(bounds: PageWindow['bounds']): void {
    this.bounds = bounds;
  }

  /** Somebody turned to another window. */
  blur(): void {
    this.focused = false;
    this.emit('blur');
  }

  hide(): void {
    this.visible = false;
    this.focused = false;
  }

  focus(): void {
    this.focused = true;
    void this.webContents.page?.bringToFront();
  }

  isMinimized(): boolean {
    return this.minimised;
  }

  restore(): void {
    this.minimised = false;
  }

  removeMenu(): void {}

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  /** What a person's click on the window's own close button does. */
  close(): void {
    let prevented = false;
    this.emit('close', { preventDefault: () => (prevented = true) });
    if (!prevented) this.destroy();
  }

  destroy(): void {
    this.#destroyed = true;
    void this.webContents.page?.close();
    this.webContents.emit('destroyed');
  }
}

function carried(url: string): string {
  return url.startsWith(APP_ORIGIN) ? CARRIER_ORIGIN + url.slice(APP_ORIGIN.length) : url;
}

function outside(url: string): string {
  return url.startsWith(CARRIER_ORIGIN) ? APP_ORIGIN + url.slice(CARRIER_ORIGIN.length) : url;
}
