// The popover of the tray: a small window beside the icon with the first requests, each in full. It
// shows what a person asked to see and goes as soon as they turn to something else; a request never
// opens it.
import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { POPOVER_QUERY } from '../../preload/contract/bridge.ts';
import { APP_ORIGIN } from './app-scheme.ts';
import { hardenedOptions, SingleWindow, type WindowDeps } from './single-window.ts';

const SIZE = { width: 380, height: 720 };
/** Between it and the icon, and between it and the edge of the screen. */
const GAP = 8;
/**
 * A press on the icon takes the focus away first, which hides it: such a press does not open it
 * again, ms.
 */
const SAME_PRESS_MS = 250;

interface PopoverDeps extends WindowDeps {
  place(): Rectangle;
  /** Monotonic, ms. */
  now(): number;
}

export function popoverOptions(
  deps: Pick<WindowDeps, 'preloadFile' | 'iconDirectory'>,
): BrowserWindowConstructorOptions {
  return {
    ...SIZE,
    ...hardenedOptions(deps),
    frame: false,
    resizable: false,
    movable: false,
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    skipTaskbar: true,
    alwaysOnTop: true,
  };
}

/** Beside the icon, on its own screen, whichever edge of the screen that stands at. */
export function popoverPlace(icon: Rectangle, area: Rectangle): Rectangle {
  const width = Math.min(SIZE.width, area.width - 2 * GAP);
  const height = Math.min(SIZE.height, area.height - 2 * GAP);
  const middle = { x: icon.x + icon.width / 2, y: icon.y + icon.height / 2 };
  const isAbove = middle.y < area.y + area.height / 2;
  const y = isAbove ? icon.y + icon.height + GAP : icon.y - height - GAP;
  return {
    x: within(middle.x - width / 2, area.x + GAP, area.x + area.width - width - GAP),
    y: within(y, area.y + GAP, area.y + area.height - height - GAP),
    width,
    height,
  };
}

export class Popover {
  readonly #deps: PopoverDeps;
  readonly #single: SingleWindow;
  #hiddenAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: PopoverDeps) {
    this.#deps = deps;
    this.#single = new SingleWindow({
      make: () => {
        const window = deps.createWindow(popoverOptions(deps));
        window.on('blur', () => this.hide());
        return window;
      },
      url: `${APP_ORIGIN}/${POPOVER_QUERY}`,
      onClose: () => this.hide(),
    });
  }

  isOurs(contents: unknown): boolean {
    return this.#single.isOurs(contents);
  }

  /** The icon was pressed. */
  async press(): Promise<void> {
    if (this.#single.current?.isVisible() === true) return this.hide();
    if (this.#deps.now() - this.#hiddenAtMs < SAME_PRESS_MS) return;
    const window = await this.#single.open();
    if (window === undefined) return;
    window.setBounds(this.#deps.place());
    window.show();
    window.focus();
  }

  hide(): void {
    const window = this.#single.current;
    if (window?.isVisible() !== true) return;
    this.#hiddenAtMs = this.#deps.now();
    window.hide();
  }

  leave(): void {
    this.#single.leave();
  }
}

function within(value: number, least: number, most: number): number {
  return Math.round(Math.max(least, Math.min(value, most)));
}
