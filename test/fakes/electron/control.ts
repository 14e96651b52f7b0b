// How a test sees and presses what the double keeps: plain questions and answers over the process
// channel of a forked app.
import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PageWindow } from './page-window.ts';

interface MenuState {
  readonly label?: string;
  readonly enabled?: boolean;
  readonly click?: () => void;
  readonly submenu?: readonly MenuState[];
}

interface TrayState {
  readonly toolTip: string;
  readonly title: string;
  readonly image: { readonly path: string };
  readonly menu: readonly MenuState[];
  readonly destroyed: boolean;
  emit(name: string): boolean;
}

interface NotificationState {
  readonly options: { readonly title: string; readonly body: string };
  readonly shown: boolean;
  readonly closed: boolean;
  emit(name: string): boolean;
}

interface Parts {
  readonly app: {
    readonly badge: number;
    readonly sandboxed: boolean;
    quit(): void;
    emit(name: string, ...values: readonly unknown[]): boolean;
  };
  readonly ipcMain: {
    readonly handlers: ReadonlyMap<
      string,
      (event: unknown, ...parameters: readonly unknown[]) => unknown
    >;
  };
  readonly sessionHandlers: Readonly<Record<string, unknown>>;
  readonly powerMonitor: EventEmitter;
  readonly screen: EventEmitter & { displays: unknown[] };
}

/** An item of a menu as it is shown; without a label it is a line between two groups. */
export interface ShownItem {
  readonly label: string;
  readonly enabled: boolean;
  readonly submenu: readonly ShownItem[];
}

export interface DesktopState {
  readonly badge: number;
  readonly sandboxed: boolean;
  readonly schemes: readonly unknown[];
  readonly sessionHandlers: readonly string[];
  readonly channels: readonly string[];
  readonly debuggingPort: number | null;
  readonly tray: {
    readonly toolTip: string;
    readonly title: string;
    readonly image: string;
    readonly menu: readonly ShownItem[];
  } | null;
  /** What a person would have to close. */
  readonly boxes: readonly { readonly message: string; readonly detail: string }[];
  readonly notifications: readonly {
    readonly title: string;
    readonly body: string;
    readonly shown: boolean;
    readonly closed: boolean;
  }[];
  readonly windows: readonly WindowState[];
  readonly popovers: readonly WindowState[];
}

interface WindowState {
  readonly visible: boolean;
  readonly focused: boolean;
  readonly minimised: boolean;
  readonly raised: number;
  readonly bounds: unknown;
  readonly hasMenu: boolean;
  readonly webPreferences: unknown;
}

function debuggingPort(): number | null {
  try {
    const [port] = readFileSync(
      join(PageWindow.profileDirectory, 'DevToolsActivePort'),
      'utf8',
    ).split('\n');
    // The file is there before its first line is.
    return Number(port) > 0 ? Number(port) : null;
  } catch {
    return null;
  }
}

function isPopover({ url }: PageWindow): boolean {
  return new URL(url === '' ? 'app://hub/' : url).search !== '';
}

function windowState(window: PageWindow): WindowState {
  const { visible, focused, minimised, raised, bounds, menu, options } = window;
  return {
    visible,
    focused,
    minimised,
    raised,
    bounds,
    hasMenu: menu !== null,
    webPreferences: options['webPreferences'],
  };
}

function shownItem({ label, enabled, submenu }: MenuState): ShownItem {
  return {
    label: label ?? '',
    enabled: enabled ?? true,
    submenu: (submenu ?? []).map(shownItem),
  };
}

function itemsOf(menu: readonly MenuState[]): readonly MenuState[] {
  return menu.flatMap((item) => [item, ...itemsOf(item.submenu ?? [])]);
}

/** Soon, and in nobody's hands. */
function fail(kind: string): void {
  const fault = new Error(`a fault of the test: ${kind}`);
  if (kind === 'reject') void Promise.reject(fault);
  else
    setImmediate(() => {
      throw fault;
    });
}

class Control {
  readonly trays: TrayState[] = [];
  readonly notifications: NotificationState[] = [];
  readonly windows: PageWindow[] = [];
  readonly schemes: unknown[] = [];
  readonly boxes: { readonly message: string; readonly detail: string }[] = [];
  readonly protocolClients: string[] = [];

  get #window(): PageWindow | undefined {
    return this.windows.findLast((window) => !isPopover(window));
  }

  get #popover(): PageWindow | undefined {
    return this.windows.findLast(isPopover);
  }

  listen(parts: Parts): void {
    process.on(
      'message',
      (message: { readonly id: number; readonly ask: string; readonly value?: unknown }) => {
        void this.#answer(parts, message.ask, message.value).then((value) =>
          process.send?.({ id: message.id, value }),
        );
      },
    );
  }

  async #answer(parts: Parts, ask: string, value: unknown): Promise<unknown> {
    const tray = this.trays.at(-1);
    // On macOS the menu belongs to a press alone.
    if (process.platform === 'darwin') tray?.emit('right-click');
    switch (ask) {
      case 'state':
        return this.#state(parts);
      case 'tray-click':
        return tray?.emit('click');
      case 'menu-click':
        return itemsOf(tray?.menu ?? [])
          .find((item) => item.label === value)
          ?.click?.();
      case 'notification-click':
        return this.notifications.at(Number(value))?.emit('click');
      case 'window-close':
        return this.#window?.close();
      case 'popover-blur':
        return this.#popover?.blur();
      case 'power':
        return parts.powerMonitor.emit(String(value), { preventDefault: () => undefined });
      case 'screens':
        parts.screen.displays = value as unknown[];
        return parts.screen.emit('display-removed');
      case 'window-bounds':
        return this.#window?.setBounds(value as PageWindow['bounds']);
      case 'fail':
        return fail(String(value));
      case 'open-url':
        return parts.app.emit('open-url', { preventDefault: () => undefined }, value);
      case 'quit':
        return parts.app.quit();
      case 'ipc':
        return this.#callAs(parts, value);
      default:
        throw new Error(`the double does not know '${ask}'`);
    }
  }

  /**
   * Calls a channel as a sender of the test's choosing: a null frame, a subframe, a foreign
   * document.
   */
  async #callAs(parts: Parts, value: unknown): Promise<unknown> {
    const call = value as {
      readonly channel: string;
      readonly frame: unknown;
      readonly ours: boolean;
      readonly parameters: readonly unknown[];
    };
    const sender = call.ours ? this.#window?.webContents : {};
    return parts.ipcMain.handlers.get(call.channel)?.(
      { sender, senderFrame: call.frame },
      ...call.parameters,
    );
  }

  #state(parts: Parts): DesktopState {
    const tray = this.trays.at(-1);
    return {
      badge: parts.app.badge,
      sandboxed: parts.app.sandboxed,
      schemes: this.schemes,
      sessionHandlers: Object.keys(parts.sessionHandlers),
      channels: [...parts.ipcMain.handlers.keys()],
      debuggingPort: debuggingPort(),
      tray:
        tray === undefined || tray.destroyed
          ? null
          : {
              toolTip: tray.toolTip,
              title: tray.title,
              image: tray.image.path,
              menu: tray.menu.map(shownItem),
            },
      boxes: this.boxes,
      notifications: this.notifications.map(({ options, shown, closed }) => ({
        title: options.title,
        body: options.body,
        shown,
        closed,
      })),
      windows: this.windows.filter((window) => !isPopover(window)).map(windowState),
      popovers: this.windows.filter(isPopover).map(windowState),
    };
  }
}

export const control = new Control();
