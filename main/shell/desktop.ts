// The desktop app from start to quit: one instance, hardened before anything is shown, the node
// inside, and three surfaces (window, tray, notification) fed by one model. It composes the other
// files of this folder and holds no rule of its own.
import { join } from 'node:path';
import electron from 'electron';
import type { UiEvent, UiSnapshot } from '../../preload/contract/dto.ts';
import type { OperationInput } from '../../preload/contract/operations.ts';
import type { WindowOperation } from '../../preload/contract/window-operations.ts';
import { mapBuiltFiles, SCHEME_PRIVILEGES, serveApp } from './app-scheme.ts';
import { readStartArguments } from './argv.ts';
import { Attention } from './attention.ts';
import { applyAutostart } from './autostart.ts';
import type { DesktopNode } from './desktop-node.ts';
import { hardenApp, hardenSession } from './hardening.ts';
import { MainWindow } from './main-window.ts';
import { Notifications } from './notifications.ts';
import { TrayIcon } from './tray-icon.ts';
import { listenToWindows } from './window-ipc.ts';

const {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  Notification: NativeNotification,
  protocol,
  session,
  Tray,
} = electron;

interface DesktopOptions {
  /** Built files: out/renderer, out/preload/index.cjs, resources. */
  readonly rendererDirectory: string;
  readonly preloadFile: string;
  readonly iconDirectory: string;
  createNode(): Promise<DesktopNode>;
  /**
   * Calls back whenever the process is told to stop, in place of what Electron does at the second
   * time: end without order.
   */
  onStopSignal(stop: () => void): void;
  /**
   * Says what failed, in a sentence for a person. Returns the exit code for a start that failed so.
   */
  reportFailure(error: unknown): number;
  /** The same words, for a person who has no terminal to look at. */
  failureWords(error: unknown): string;
}

/**
 * Runs the app. Resolves when it is ready, or at once when another instance is running (that one is
 * shown instead).
 */
export async function runDesktop(options: DesktopOptions): Promise<void> {
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  protocol.registerSchemesAsPrivileged(SCHEME_PRIVILEGES);
  hardenApp(app);
  await app.whenReady();
  Menu.setApplicationMenu(null);
  hardenSession(session.defaultSession);
  serveApp(protocol, await mapBuiltFiles(options.rendererDirectory));
  let desktop: Desktop | undefined;
  try {
    const made = new Desktop(options, await options.createNode());
    desktop = made;
    // After the app is ready: before, Electron would put its own listeners in the place of these.
    options.onStopSignal(() => void made.quit(0));
    await made.start(readStartArguments(process.argv).hidden);
  } catch (error) {
    const exitCode = options.reportFailure(error);
    dialog.showErrorBox('AXON Hub did not start', options.failureWords(error));
    if (desktop === undefined) app.exit(exitCode);
    else await desktop.quit(exitCode);
  }
}

class Desktop {
  readonly #node: DesktopNode;
  readonly #window: MainWindow;
  readonly #tray: TrayIcon;
  readonly #notifications: Notifications;
  readonly #attention: Attention;
  readonly #closing: (() => void)[] = [];
  readonly #report: (error: unknown) => void;
  #notificationsEnabled = true;
  #startsAtLogin: boolean | undefined;
  #quitting: Promise<void> | undefined;

  constructor(options: DesktopOptions, node: DesktopNode) {
    this.#node = node;
    this.#report = (error) => void options.reportFailure(error);
    this.#window = new MainWindow({
      createWindow: (windowOptions) => new BrowserWindow(windowOptions),
      preloadFile: options.preloadFile,
      iconDirectory: options.iconDirectory,
    });
    this.#tray = new TrayIcon({
      createTray: (icon) => new Tray(icon),
      loadImage: (path) => nativeImage.createFromPath(path),
      buildMenu: (items) => Menu.buildFromTemplate(items),
      iconDirectory: options.iconDirectory,
      platform: process.platform,
      onShow: () => void this.#window.show(),
      onPause: (until) => void this.#call('attention.pause', { until }),
      onStopEverything: () => void this.#call('attention.stop', {}),
      onGoOn: () => void this.#call('attention.resume', {}),
      onQuit: () => void this.quit(0),
    });
    this.#notifications = new Notifications({
      create: (notification) => new NativeNotification(notification),
      isSupported: () => NativeNotification.isSupported(),
      enabled: () => this.#notificationsEnabled,
      onOpen: (approvalId) => void this.#window.show({ approval_id: approvalId }),
    });
    this.#attention = new Attention({
      showCount: (count) => {
        this.#tray.showCount(count);
        app.setBadgeCount(count);
      },
      notify: (approvalId, peerName) => this.#notifications.notify(approvalId, peerName),
      withdraw: (approvalId) => this.#notifications.withdraw(approvalId),
      showStops: (peerNames) => this.#tray.showStops(peerNames),
      notifyStop: (peerId, peerName) => this.#notifications.notifyStop(peerId, peerName),
      withdrawStop: (peerId) => this.#notifications.withdrawStop(peerId),
    });
  }

  async start(hidden: boolean): Promise<void> {
    app.on('second-instance', (_event, argv) => {
      if (!readStartArguments(argv).hidden) void this.#window.show();
    });
    app.on('activate', () => void this.#window.show());
    app.on('window-all-closed', () => undefined);
    app.on('before-quit', (event) => {
      event.preventDefault();
      void this.quit(0);
    });
    const beforeStart = this.#node.events.seq;
    await this.#node.start();
    this.#closing.push(
      listenToWindows(ipcMain, this.#node, (contents) => this.#window.isOurs(contents)),
    );
    this.#tray.start();
    await this.#follow(beforeStart);
    if (hidden) await this.#window.prepare();
    else await this.#window.show();
  }

  /** Stops the node and leaves; a second call waits for the first. */
  quit(exitCode: number): Promise<void> {
    this.#quitting ??= this.#close().finally(() => app.exit(exitCode));
    return this.#quitting;
  }

  async #close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) close();
    this.#notifications.stop();
    this.#window.leave();
    this.#tray.stop();
    await this.#node.stop();
  }

  /**
   * Takes a snapshot for the tray and follows the events after it; whom the hub called while it
   * started is called now.
   */
  async #follow(beforeStart: number): Promise<void> {
    const told = this.#node.events.since(beforeStart) ?? [];
    this.#closing.push(this.#node.events.subscribe((event) => this.#apply(event)));
    const outcome = await this.#node.invoke('hub.snapshot', {});
    if (!outcome.ok) throw new Error(outcome.problem.detail);
    const snapshot = outcome.value as UiSnapshot;
    this.#applySettings(snapshot.settings);
    this.#attention.reset(snapshot, told);
    this.#tray.showPaused(snapshot.attention.paused);
  }

  #apply(event: UiEvent): void {
    this.#attention.apply(event);
    if (event.type === 'do_not_disturb') this.#tray.showPaused(event.attention.paused);
    if (event.type === 'settings') this.#applySettings(event.settings);
  }

  /** What the person chose in the menu; when it did not work, the window says what stands. */
  async #call<Name extends WindowOperation>(
    name: Name,
    params: OperationInput<Name>,
  ): Promise<void> {
    const outcome = await this.#node.invoke(name, params);
    if (!outcome.ok) await this.#window.show();
  }

  #applySettings(settings: UiSnapshot['settings']): void {
    this.#notificationsEnabled = settings.native_notifications;
    if (settings.start_at_login === this.#startsAtLogin) return;
    this.#startsAtLogin = settings.start_at_login;
    const autostart = {
      app,
      platform: process.platform,
      executable: app.getPath('exe'),
      packaged: app.isPackaged,
    };
    applyAutostart(autostart, settings.start_at_login).catch((error: unknown) =>
      this.#report(error),
    );
  }
}

/** Where the built files stand, next to the bundle that runs. */
export function builtFiles(
  mainDirectory: string,
): Pick<DesktopOptions, 'rendererDirectory' | 'preloadFile' | 'iconDirectory'> {
  return {
    rendererDirectory: join(mainDirectory, '..', 'renderer'),
    preloadFile: join(mainDirectory, '..', 'preload', 'index.cjs'),
    iconDirectory: join(mainDirectory, '..', '..', 'resources'),
  };
}
