// A window of the app that exists at most once: made when it is first needed, loaded from our own
// origin, reloaded when its renderer died, and never closed but with the app, or where its page
// does not load. What closing means instead is its owner's to say.
import { join } from 'node:path';
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';

export interface WindowDeps {
  createWindow(options: BrowserWindowConstructorOptions): BrowserWindow;
  readonly preloadFile: string;
  readonly iconDirectory: string;
}

/** Every window of the app is made with these: isolated, sandboxed, without Node. */
export function hardenedOptions({
  preloadFile,
  iconDirectory,
}: Pick<WindowDeps, 'preloadFile' | 'iconDirectory'>): BrowserWindowConstructorOptions {
  return {
    show: false,
    title: 'AXON Hub',
    icon: join(iconDirectory, 'icon.png'),
    webPreferences: {
      preload: preloadFile,
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

interface SingleWindowDeps {
  make(): BrowserWindow;
  readonly url: string;
  /** A person closed it; it is still there. */
  onClose(window: BrowserWindow): void;
}

export class SingleWindow {
  readonly #deps: SingleWindowDeps;
  #window: BrowserWindow | undefined;
  #loaded: Promise<void> | undefined;
  #leaving = false;

  constructor(deps: SingleWindowDeps) {
    this.#deps = deps;
  }

  /** undefined: none was made, or it is gone. */
  get current(): BrowserWindow | undefined {
    return this.#window?.isDestroyed() === false ? this.#window : undefined;
  }

  isOurs(contents: unknown): boolean {
    const own = this.current?.webContents;
    return own !== undefined && own === contents;
  }

  /** Makes it, hidden, where there is none, and waits for its page. undefined: the app ends. */
  async open(): Promise<BrowserWindow | undefined> {
    if (this.#leaving) return undefined;
    if (this.current === undefined) this.#loaded = this.#make();
    await this.#loaded;
    return this.current;
  }

  /** From now on closing means closing. */
  leave(): void {
    this.#leaving = true;
    this.current?.destroy();
  }

  async #make(): Promise<void> {
    const window = this.#deps.make();
    this.#window = window;
    window.removeMenu();
    window.on('close', (event) => {
      if (this.#leaving) return;
      event.preventDefault();
      this.#deps.onClose(window);
    });
    window.webContents.on('render-process-gone', () => {
      if (!this.#leaving && !window.isDestroyed()) window.webContents.reload();
    });
    try {
      await window.loadURL(this.#deps.url);
    } catch (error) {
      // The next one who opens it gets another one.
      if (!window.isDestroyed()) window.destroy();
      throw error;
    }
  }
}
