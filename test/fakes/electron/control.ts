// How a test sees and presses what the double keeps: plain questions and answers over the process
// channel of a forked app.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PageWindow } from './page-window.ts';

interface TrayState {
  readonly toolTip: string;
  readonly title: string;
  readonly image: { readonly path: string };
  readonly menu: readonly {
    readonly label?: string;
    readonly enabled?: boolean;
    readonly click?: () => void;
  }[];
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
  readonly app: { readonly badge: number; readonly sandboxed: boolean; quit(): void };
  readonly ipcMain: {
    readonly handlers: ReadonlyMap<
      string,
      (event: unknown, ...parameters: readonly unknown[]) => unknown
    >;
  };
  readonly sessionHandlers: Readonly<Record<string, unknown>>;
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
    readonly menu: readonly { readonly label: string; readonly enabled: boolean }[];
  } | null;
  readonly notifications: readonly {
    readonly title: string;
    readonly body: string;
    readonly shown: boolean;
    readonly closed: boolean;
  }[];
  readonly windows: readonly {
    readonly visible: boolean;
    readonly focused: boolean;
    readonly raised: number;
    readonly webPreferences: unknown;
  }[];
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

class Control {
  readonly trays: TrayState[] = [];
  readonly notifications: NotificationState[] = [];
  readonly windows: PageWindow[] = [];
  readonly schemes: unknown[] = [];

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
    switch (ask) {
      case 'state':
        return this.#state(parts);
      case 'tray-click':
        return tray?.emit('click');
      case 'menu-click':
        return tray?.menu.find((item) => item.label === value)?.click?.();
      case 'notification-click':
        return this.notifications.at(Number(value))?.emit('click');
      case 'window-close':
        return this.windows.at(-1)?.close();
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
    const sender = call.ours ? this.windows.at(-1)?.webContents : {};
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
              menu: tray.menu.map((item) => ({
                label: item.label ?? '',
                enabled: item.enabled ?? true,
              })),
            },
      notifications: this.notifications.map(({ options, shown, closed }) => ({
        title: options.title,
        body: options.body,
        shown,
        closed,
      })),
      windows: this.windows.map(({ visible, focused, raised, options }) => ({
        visible,
        focused,
        raised,
        webPreferences: options['webPreferences'],
      })),
    };
  }
}

export const control = new Control();
