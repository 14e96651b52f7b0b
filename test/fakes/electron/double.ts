// A test double of `electron` for plain Node: the built main bundle runs against it unchanged.
// Windows are real Chromium pages with the real preload bundle and real message passing; tray,
// menu, notification and badge keep what they were given, so that a test can compare it and press
// it. What it cannot show: process isolation of the sandbox, native drawing, fuses.
import { EventEmitter } from 'node:events';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { control } from './control.ts';
import { PageWindow } from './page-window.ts';
import { claimInstance } from './single-instance.ts';

type Answer = (event: unknown, ...parameters: readonly unknown[]) => unknown;

class AppDouble extends EventEmitter {
  readonly isPackaged = process.env['ELECTRON_DOUBLE_PACKAGED'] === '1';
  badge = 0;
  sandboxed = false;
  loginItem = { openAtLogin: false };

  requestSingleInstanceLock(): boolean {
    return claimInstance(process.argv, (argv) =>
      this.emit('second-instance', {}, argv, process.cwd()),
    );
  }

  async whenReady(): Promise<void> {
    await Promise.resolve();
  }

  enableSandbox(): void {
    this.sandboxed = true;
  }

  setBadgeCount(count: number): boolean {
    this.badge = count;
    return true;
  }

  getLoginItemSettings(): { openAtLogin: boolean; wasOpenedAtLogin: boolean } {
    return { ...this.loginItem, wasOpenedAtLogin: false };
  }

  setLoginItemSettings(settings: { openAtLogin: boolean }): void {
    this.loginItem = settings;
  }

  getPath(name: string): string {
    if (name === 'exe') return process.execPath;
    // A folder of the app's own: what one test was told once, another was not.
    return join(process.env['AXON_HOME'] ?? tmpdir(), 'double', name);
  }

  setAsDefaultProtocolClient(scheme: string): boolean {
    control.protocolClients.push(scheme);
    return true;
  }

  setAppUserModelId(): void {}

  getAppPath(): string {
    return process.cwd();
  }

  getVersion(): string {
    return '0.0.0-test';
  }

  quit(): void {
    let prevented = false;
    this.emit('before-quit', { preventDefault: () => (prevented = true) });
    if (!prevented) this.exit(0);
  }

  /** Only said: nothing starts. */
  relaunch({ execPath }: { readonly execPath: string }): void {
    process.stdout.write(`[relaunch] ${execPath}\n`);
  }

  exit(code: number): void {
    void PageWindow.closeAll().finally(() => process.exit(code));
  }
}

class IpcMainDouble {
  readonly handlers = new Map<string, Answer>();

  handle(channel: string, answer: Answer): void {
    if (this.handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.handlers.set(channel, answer);
  }

  removeHandler(channel: string): void {
    this.handlers.delete(channel);
  }
}

class ImageDouble {
  readonly path: string;
  template = false;

  constructor(path: string) {
    this.path = path;
  }

  setTemplateImage(template: boolean): void {
    this.template = template;
  }
}

interface MenuItem {
  readonly label?: string;
  readonly enabled?: boolean;
  readonly type?: string;
  readonly click?: () => void;
  readonly submenu?: readonly MenuItem[];
}

class TrayDouble extends EventEmitter {
  toolTip = '';
  title = '';
  image: ImageDouble;
  menu: readonly MenuItem[] = [];
  destroyed = false;

  constructor(image: ImageDouble) {
    super();
    this.image = image;
    control.trays.push(this);
  }

  setImage(image: ImageDouble): void {
    this.image = image;
  }

  setToolTip(text: string): void {
    this.toolTip = text;
  }

  setTitle(text: string): void {
    this.title = text;
  }

  getBounds(): { x: number; y: number; width: number; height: number } {
    return { x: 1_600, y: 0, width: 24, height: 24 };
  }

  popUpContextMenu(menu?: { readonly items: readonly MenuItem[] }): void {
    this.menu = menu?.items ?? [];
  }

  setContextMenu(menu: { readonly items: readonly MenuItem[] }): void {
    this.menu = menu.items;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

class NotificationDouble extends EventEmitter {
  readonly options: { readonly title: string; readonly body: string };
  shown = false;
  closed = false;

  static isSupported(): boolean {
    return true;
  }

  constructor(options: { readonly title: string; readonly body: string }) {
    super();
    this.options = options;
    control.notifications.push(this);
  }

  show(): void {
    this.shown = true;
  }

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

class UtilityProcessDouble extends EventEmitter {
  readonly #child: ChildProcess;

  constructor(modulePath: string, parameters: readonly string[]) {
    super();
    this.#child = fork(modulePath, [...parameters], {
      execArgv: ['--import', new URL('./parent-port.mjs', import.meta.url).href],
      serialization: 'advanced',
    });
    this.#child.once('spawn', () => this.emit('spawn'));
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.once('exit', (code) => this.emit('exit', code ?? 1));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  postMessage(message: unknown): void {
    if (this.#child.connected && typeof message === 'object' && message !== null)
      this.#child.send(message);
  }

  kill(): boolean {
    return this.#child.kill('SIGKILL');
  }
}

export const app = new AppDouble();
export const ipcMain = new IpcMainDouble();
/** What a person would have to close; here it is only said. */
export const dialog = {
  showMessageBox: async (box: { readonly message: string; readonly detail: string }) => {
    control.boxes.push(box);
    return { response: 0 };
  },
  showErrorBox: (title: string, content: string): void =>
    void process.stdout.write(`[${title}] ${content}\n`),
};
export const powerMonitor = Object.assign(new EventEmitter(), {
  getSystemIdleState: () => 'active',
});
const DISPLAY = { workArea: { x: 0, y: 24, width: 1_920, height: 1_056 } };
export const screen = Object.assign(new EventEmitter(), {
  displays: [DISPLAY],
  getAllDisplays: () => screen.displays,
  getPrimaryDisplay: () => screen.displays[0] ?? DISPLAY,
  getDisplayNearestPoint: () => screen.displays[0] ?? DISPLAY,
  getCursorScreenPoint: () => ({ x: 0, y: 0 }),
});
export const Menu = {
  setApplicationMenu: (): void => undefined,
  buildFromTemplate: (items: readonly MenuItem[]): { readonly items: readonly MenuItem[] } => ({
    items,
  }),
};
export const nativeImage = { createFromPath: (path: string): ImageDouble => new ImageDouble(path) };
export const Notification = NotificationDouble;
export const Tray = TrayDouble;
export const utilityProcess = {
  fork: (modulePath: string, parameters: readonly string[] = []): UtilityProcessDouble =>
    new UtilityProcessDouble(modulePath, parameters),
};

export const protocol = {
  registerSchemesAsPrivileged: (schemes: readonly { readonly scheme: string }[]): void => {
    control.schemes.push(...schemes);
  },
  handle: (
    scheme: string,
    answer: (request: { readonly url: string; readonly method: string }) => Promise<Response>,
  ): void => {
    PageWindow.handlers.set(scheme, answer);
  },
};

const sessionHandlers: Record<string, unknown> = {};
export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: unknown): void =>
      void (sessionHandlers['permissionRequest'] = handler),
    setPermissionCheckHandler: (handler: unknown): void =>
      void (sessionHandlers['permissionCheck'] = handler),
    setDevicePermissionHandler: (handler: unknown): void =>
      void (sessionHandlers['devicePermission'] = handler),
    setDisplayMediaRequestHandler: (handler: unknown): void =>
      void (sessionHandlers['displayMedia'] = handler),
    on: (name: string, handler: unknown): void => void (sessionHandlers[name] = handler),
  },
};

export class BrowserWindow extends PageWindow {
  constructor(options: Record<string, unknown>) {
    super(options, ipcMain.handlers);
    control.windows.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
}

control.listen({ app, ipcMain, sessionHandlers, powerMonitor, screen });

export default {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  Tray,
  utilityProcess,
};
