// The window with the pages. Closing it hides it: the hub keeps running in the tray. A request
// never raises or focuses it; only a person does.
import type {
  BrowserWindow,
  BrowserWindowConstructorOptions,
  Menu,
  NativeImage,
  Rectangle,
} from 'electron';
import { IPC_CHANNELS } from '../../preload/contract/bridge.ts';
import type { ShowRequest } from '../../preload/contract/bridge.ts';
import { trayWords } from '../../preload/contract/desktop-strings.ts';
import { APP_ORIGIN } from './app-scheme.ts';
import { hardenedOptions, SingleWindow, type WindowDeps } from './single-window.ts';

const WINDOW_SIZE = { width: 1180, height: 800, minWidth: 380, minHeight: 480 };

interface MainWindowDeps extends WindowDeps {
  /** The window was closed by a person, and is hidden or minimised. */
  onClosed(): void;
}

export function windowOptions(
  deps: Pick<WindowDeps, 'preloadFile' | 'iconDirectory'>,
): BrowserWindowConstructorOptions {
  return { ...WINDOW_SIZE, ...hardenedOptions(deps) };
}

export class MainWindow {
  readonly #single: SingleWindow;
  /** Where the desktop shows no tray, the window has its menu and stays in the taskbar. */
  #menu: Menu | undefined;
  #badge: { readonly image: NativeImage | null; readonly words: string } | undefined;

  constructor(deps: MainWindowDeps) {
    this.#single = new SingleWindow({
      make: () => deps.createWindow(windowOptions(deps)),
      url: `${APP_ORIGIN}/`,
      onClose: (window) => {
        if (this.#menu === undefined) window.hide();
        else window.minimize();
        deps.onClosed();
      },
    });
  }

  isOurs(contents: unknown): boolean {
    return this.#single.isOurs(contents);
  }

  /**
   * Brings the window up because a person asked for it: the tray, a notification, a second start, a
   * link.
   */
  async show(request: Partial<ShowRequest> = {}): Promise<void> {
    const window = await this.#single.open();
    if (window === undefined) return;
    this.#dress(window);
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    window.webContents.send(IPC_CHANNELS.show, { place: '#/now', link: null, ...request });
  }

  /** In the taskbar and out of the way, for a start that nobody looks at. */
  async showMinimised(): Promise<void> {
    const window = await this.#single.open();
    if (window === undefined) return;
    this.#dress(window);
    window.minimize();
  }

  /** There is no tray: the window carries the menu that stands there elsewhere. */
  carry(menu: Menu): void {
    this.#menu = menu;
    this.#dress(this.#single.current);
  }

  /** The taskbar of Windows takes a picture on the window's button in place of a number. */
  mark(picture: NativeImage, count: number): void {
    this.#badge = { image: count === 0 ? null : picture, words: trayWords.waiting(count) };
    this.#dress(this.#single.current);
  }

  /** A screen is gone or has another size: a window that stands on none comes back. */
  keepOn(areas: readonly Rectangle[], first: Rectangle): void {
    const window = this.#single.current;
    if (window === undefined) return;
    const bounds = window.getBounds();
    if (areas.some((area) => isOn(bounds, area))) return;
    window.setBounds({
      x: first.x,
      y: first.y,
      width: Math.min(bounds.width, first.width),
      height: Math.min(bounds.height, first.height),
    });
  }

  /** From now on closing means closing. */
  leave(): void {
    this.#single.leave();
  }

  #dress(window: BrowserWindow | undefined): void {
    if (this.#menu !== undefined) {
      window?.setMenu(this.#menu);
      window?.setMenuBarVisibility(true);
    }
    if (this.#badge !== undefined) window?.setOverlayIcon(this.#badge.image, this.#badge.words);
  }
}

/** Enough of it to take hold of. */
function isOn(bounds: Rectangle, area: Rectangle): boolean {
  const width = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x);
  const top = bounds.y >= area.y - 8 && bounds.y < area.y + area.height - 32;
  return width >= 64 && top;
}
