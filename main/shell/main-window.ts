// The one window. Closing it hides it: the hub keeps running in the tray. A request never raises or
// focuses it; only a person does.
import { join } from 'node:path';
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';
import { IPC_CHANNELS } from '../../preload/contract/bridge.ts';
import type { ShowRequest } from '../../preload/contract/bridge.ts';
import { APP_ORIGIN } from './app-scheme.ts';

const WINDOW_SIZE = { width: 1180, height: 800, minWidth: 380, minHeight: 480 };

interface MainWindowDeps {
  createWindow(options: BrowserWindowConstructorOptions): BrowserWindow;
  readonly preloadFile: string;
  readonly iconDirectory: string;
}

/**
 * Every window of the app is made with these: isolated, sandboxed, without Node (see SECURITY in
 * README.md).
 */
export function windowOptions(deps: MainWindowDeps): BrowserWindowConstructorOptions {
  return {
    ...WINDOW_SIZE,
    show: false,
    title: 'AXON Hub',
    icon: join(deps.iconDirectory, 'icon.png'),
    autoHideMenuBar: true,
    webPreferences: {
      preload: deps.preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: false,
    },
  };
}

export class MainWindow {
  readonly #deps: MainWindowDeps;
  #window: BrowserWindow | undefined;
  #leaving = false;

  constructor(deps: MainWindowDeps) {
    this.#deps = deps;
  }

  isOurs(contents: unknown): boolean {
    return (
      this.#window !== undefined &&
      !this.#window.isDestroyed() &&
      this.#window.webContents === contents
    );
  }

  /** Makes the window, hidden, and loads the UI. Idempotent. */
  async prepare(): Promise<void> {
    if (this.#window !== undefined && !this.#window.isDestroyed()) return;
    const window = this.#deps.createWindow(windowOptions(this.#deps));
    this.#window = window;
    window.removeMenu();
    window.on('close', (event) => {
      if (this.#leaving) return;
      event.preventDefault();
      window.hide();
    });
    window.webContents.on('render-process-gone', () => {
      if (!this.#leaving && !window.isDestroyed()) window.webContents.reload();
    });
    await window.loadURL(`${APP_ORIGIN}/`);
  }

  /**
   * Brings the window up because a person asked for it: the tray, a notification, a second start.
   */
  async show(request: ShowRequest = { approval_id: null }): Promise<void> {
    await this.prepare();
    const window = this.#window;
    if (window === undefined || window.isDestroyed()) return;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    window.webContents.send(IPC_CHANNELS.show, request);
  }

  /** From now on closing means closing. */
  leave(): void {
    this.#leaving = true;
    if (this.#window !== undefined && !this.#window.isDestroyed()) this.#window.destroy();
  }
}
