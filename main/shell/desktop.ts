// The desktop app from start to quit: one instance, hardened before anything is shown, the node
// inside, and the surfaces (window, popover, tray, notification) fed by one model. It composes the
// other files of this folder and holds no rule of its own. No window is made until one is needed.
import { join } from 'node:path';
import electron from 'electron';
import { closedWords, notUpdatedWords } from '../../preload/contract/desktop-strings.ts';
import type { UiEvent, UiSnapshot } from '../../preload/contract/dto.ts';
import type { OperationInput } from '../../preload/contract/operations.ts';
import type { WindowOperation } from '../../preload/contract/window-operations.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Clock } from '../ports/clock.ts';
import { mapBuiltFiles, SCHEME_PRIVILEGES, serveApp } from './app-scheme.ts';
import { readStartArguments, type StartRequest } from './argv.ts';
import { Attention, type DesktopPicture } from './attention.ts';
import { openUpdates, type AppUpdates } from './app-updates.ts';
import { applyAutostart, ownProgram, startedAtLogin, takeLinks, takeName } from './autostart.ts';
import type { DesktopNode } from './desktop-node.ts';
import { hardenApp, hardenSession, openingSwitches } from './hardening.ts';
import { MainWindow } from './main-window.ts';
import { Notifications } from './notifications.ts';
import { Popover, popoverPlace } from './popover.ts';
import { listenToSystem } from './system-events.ts';
import { tellOnce } from './told-once.ts';
import { hasTrayHost } from './tray-host.ts';
import { TrayIcon } from './tray-icon.ts';
import { requestPlace, trayMenu, type MenuActions } from './tray-menu.ts';
import { listenToWindows } from './window-ipc.ts';

const {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  Notification: NativeNotification,
  powerMonitor,
  protocol,
  screen,
  session,
  Tray,
} = electron;

/** Beyond which the system calls a person idle; nothing here asks for that. */
const SOME_SECONDS = 600;

interface DesktopOptions {
  /** Built files: out/renderer, out/preload/index.cjs, resources. */
  readonly rendererDirectory: string;
  readonly preloadFile: string;
  readonly iconDirectory: string;
  readonly clock: Clock;
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
 * asked instead).
 */
export async function runDesktop(options: DesktopOptions): Promise<void> {
  const opening = app.isPackaged ? openingSwitches(process.argv) : [];
  if (opening.length > 0) {
    process.stderr.write(`AXON Hub does not start with ${opening.join(', ')}.\n`);
    app.exit(2);
    return;
  }
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  let ready: Desktop | undefined;
  let asked: StartRequest | undefined;
  const ask = (request: StartRequest): void => {
    if (ready === undefined) asked = request;
    else void ready.ask(request);
  };
  app.on('second-instance', (_event, argv) => ask(readStartArguments(argv)));
  // macOS says so of its own start, too, which may be a hidden one.
  app.on('activate', () => void ready?.ask({ hidden: false, link: null }));
  // macOS tells of a link by an event, which may come before the app is ready.
  app.on('open-url', (event, url) => {
    event.preventDefault();
    ask(readStartArguments([url]));
  });
  protocol.registerSchemesAsPrivileged(SCHEME_PRIVILEGES);
  takeName(app, process.platform);
  hardenApp(app);
  await app.whenReady();
  Menu.setApplicationMenu(applicationMenu());
  hardenSession(session.defaultSession);
  serveApp(protocol, await mapBuiltFiles(options.rendererDirectory));
  let desktop: Desktop | undefined;
  try {
    const made = new Desktop(options, await options.createNode());
    desktop = made;
    // After the app is ready: before, Electron would put its own listeners in the place of these.
    options.onStopSignal(() => void made.quit(0));
    await made.start();
    ready = made;
    const { hidden, link } = readStartArguments(process.argv);
    await made.ask(asked ?? { hidden: hidden || startedAtLogin(app, process.platform), link });
  } catch (error) {
    const exitCode = options.reportFailure(error);
    dialog.showErrorBox('AXON Hub did not start', options.failureWords(error));
    if (desktop === undefined) app.exit(exitCode);
    else await desktop.quit(exitCode);
  }
}

/** On macOS copying, pasting and quitting by keys come from a menu; elsewhere there is none. */
function applicationMenu(): Electron.Menu | null {
  if (process.platform !== 'darwin') return null;
  return Menu.buildFromTemplate([
    { role: 'appMenu' },
    { role: 'editMenu' },
    { role: 'windowMenu' },
  ]);
}

class Desktop {
  readonly #node: DesktopNode;
  readonly #window: MainWindow;
  readonly #popover: Popover;
  readonly #tray: TrayIcon;
  readonly #notifications: Notifications;
  readonly #attention: Attention;
  readonly #closing: (() => void)[] = [];
  readonly #report: (error: unknown) => void;
  readonly #failed: (error: unknown) => number;
  readonly #actions: MenuActions;
  readonly #badge: Electron.NativeImage;
  readonly #clock: Clock;
  #picture: DesktopPicture | undefined;
  #appUpdates: AppUpdates | null = null;
  #update: string | null = null;
  #isClosed = false;
  #hasTray = true;
  #notificationsEnabled = true;
  #startsAtLogin: boolean | undefined;
  #quitting: Promise<void> | undefined;

  constructor(options: DesktopOptions, node: DesktopNode) {
    const { iconDirectory, preloadFile } = options;
    const windows = {
      createWindow: (windowOptions: Electron.BrowserWindowConstructorOptions) =>
        new BrowserWindow(windowOptions),
      preloadFile,
      iconDirectory,
    };
    const now = (): number => performance.now();
    this.#node = node;
    this.#clock = options.clock;
    this.#failed = (error) => options.reportFailure(error);
    this.#report = (error) =>
      node.log.error('a part of the desktop failed', { error: messageOf(error) });
    this.#badge = nativeImage.createFromPath(join(iconDirectory, 'tray', 'badge.png'));
    this.#actions = {
      onShow: (place) => this.#show({ place }),
      onPause: (until) => void this.#call('attention.pause', { until }),
      onStopEverything: () => void this.#call('attention.stop', {}),
      onGoOn: () => void this.#call('attention.resume', {}),
      onUpdate: () => this.#install(),
      onQuit: () => void this.quit(0),
    };
    this.#window = new MainWindow({ ...windows, onClosed: () => this.#tellClosed() });
    this.#popover = new Popover({ ...windows, now, place: () => this.#besideTray() });
    this.#tray = new TrayIcon({
      ...this.#actions,
      createTray: (icon) => new Tray(icon),
      loadImage: (path) => nativeImage.createFromPath(path),
      buildMenu: (items) => Menu.buildFromTemplate(items),
      iconDirectory,
      platform: process.platform,
      onPress: () => void this.#popover.press().catch(this.#report),
    });
    this.#notifications = new Notifications({
      create: (notification) => new NativeNotification(notification),
      isSupported: () => NativeNotification.isSupported(),
      enabled: () => this.#notificationsEnabled,
      isLocked: () => powerMonitor.getSystemIdleState(SOME_SECONDS) === 'locked',
      now,
      onOpen: (approvalId) =>
        this.#show(approvalId === null ? {} : { place: requestPlace(approvalId) }),
    });
    this.#attention = new Attention({
      show: (picture) => this.#draw(picture),
      notify: (approvalId, peerName) => this.#notifications.notify(approvalId, peerName),
      withdraw: (approvalId) => this.#notifications.withdraw(approvalId),
      notifyStop: (peerId, peerName) => this.#notifications.notifyStop(peerId, peerName),
      withdrawStop: (peerId) => this.#notifications.withdrawStop(peerId),
    });
  }

  async start(): Promise<void> {
    app.on('window-all-closed', () => undefined);
    app.on('before-quit', (event) => {
      // What installs an update ends the app its own way.
      if (this.#isClosed) return;
      event.preventDefault();
      void this.quit(0);
    });
    this.#listenToSystem();
    const beforeStart = this.#node.events.seq;
    // Started beside it: the session bus may be slow.
    [this.#hasTray] = await Promise.all([hasTrayHost(process.platform), this.#node.start()]);
    this.#closing.push(
      listenToWindows(ipcMain, this.#node, {
        isOurs: (contents) => this.#window.isOurs(contents) || this.#popover.isOurs(contents),
        leavePopover: (place) => {
          this.#popover.hide();
          if (place !== null) this.#show({ place });
        },
      }),
    );
    takeLinks(app);
    await this.#follow(beforeStart);
    // A hub without updates is better than none.
    await this.#lookForUpdates().catch(this.#report);
  }

  /** A person, or a program in their name, started the app or opened a link. */
  async ask({ hidden, link }: StartRequest): Promise<void> {
    if (link !== null) await this.#window.show({ place: '#/people/add', link });
    else if (!hidden) await this.#window.show();
    else if (!this.#hasTray) await this.#window.showMinimised();
  }

  /** Stops the node and leaves; a second call waits for the first. */
  quit(exitCode: number): Promise<void> {
    return this.#end(() => app.exit(exitCode));
  }

  #end(leave: () => void): Promise<void> {
    this.#quitting ??= this.#close().finally(() => {
      this.#isClosed = true;
      leave();
    });
    return this.#quitting;
  }

  async #close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) close();
    this.#notifications.stop();
    this.#popover.leave();
    this.#window.leave();
    this.#tray.stop();
    await this.#node.stop();
  }

  /** A menu that stood open may offer what must wait again. */
  #install(): void {
    const found = this.#appUpdates;
    if (found === null || found.updates.ready === null) return;
    void this.#end(() => found.install((error) => this.#startAgain(error)));
  }

  /** The hub has stopped for an update that could not be installed. */
  #startAgain(error: unknown): void {
    this.#report(error);
    const exitCode = this.#failed(error);
    app.relaunch({ execPath: ownProgram(app.getPath('exe'), process.env) });
    dialog.showErrorBox('AXON Hub', notUpdatedWords);
    app.exit(exitCode);
  }

  /** An app that was packaged without a feed looks for none. */
  async #lookForUpdates(): Promise<void> {
    const found = await openUpdates({
      app,
      clock: this.#clock,
      show: (version) => {
        this.#update = version;
        if (this.#picture !== undefined) this.#draw(this.#picture);
      },
      report: this.#report,
    });
    if (found === null) return;
    this.#appUpdates = found;
    found.updates.waitFor(this.#picture?.waiting.length ?? 0);
    found.updates.start();
    this.#closing.push(() => found.updates.stop());
  }

  #listenToSystem(): void {
    listenToSystem(powerMonitor, screen, {
      onAway: () => this.#popover.hide(),
      onLock: () => this.#notifications.lock(),
      onUnlock: () => this.#notifications.unlock(),
      onShutdown: () => void this.quit(0),
      onScreens: () => {
        this.#popover.hide();
        this.#window.keepOn(
          screen.getAllDisplays().map(({ workArea }) => workArea),
          screen.getPrimaryDisplay().workArea,
        );
      },
    });
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
  }

  #apply(event: UiEvent): void {
    this.#attention.apply(event);
    if (event.type === 'settings') this.#applySettings(event.settings);
  }

  #draw(picture: DesktopPicture): void {
    const count = picture.waiting.length;
    const isFirst = this.#picture === undefined;
    this.#picture = picture;
    const shown = { ...picture, update: this.#update };
    if (isFirst) this.#tray.start(shown);
    else this.#tray.show(shown);
    this.#appUpdates?.updates.waitFor(count);
    this.#notifications.showCount(count + picture.stops.length);
    app.setBadgeCount(count);
    if (process.platform === 'win32') this.#window.mark(this.#badge, count);
    if (!this.#hasTray)
      this.#window.carry(
        Menu.buildFromTemplate([
          { label: 'AXON Hub', submenu: [...trayMenu(shown, this.#actions)] },
        ]),
      );
  }

  #show(request: Parameters<MainWindow['show']>[0]): void {
    this.#window.show(request).catch(this.#report);
  }

  #besideTray(): Electron.Rectangle {
    const icon = this.#tray.bounds ?? { ...screen.getCursorScreenPoint(), width: 0, height: 0 };
    const { workArea } = screen.getDisplayNearestPoint({ x: icon.x, y: icon.y });
    return popoverPlace(icon, workArea);
  }

  /** Closing a window ends most programs: that it does not end this one is said once. */
  #tellClosed(): void {
    const words = closedWords(this.#hasTray);
    const file = join(app.getPath('userData'), 'closing-is-known');
    tellOnce(file, () =>
      dialog.showMessageBox({ type: 'info', title: 'AXON Hub', ...words }),
    ).catch(this.#report);
  }

  /** What the person chose in the menu; when it did not work, the window says what stands. */
  async #call<Name extends WindowOperation>(
    name: Name,
    params: OperationInput<Name>,
  ): Promise<void> {
    const outcome = await this.#node.invoke(name, params);
    if (!outcome.ok) this.#show({});
  }

  #applySettings(settings: UiSnapshot['settings']): void {
    this.#notificationsEnabled = settings.native_notifications;
    if (settings.start_at_login === this.#startsAtLogin) return;
    this.#startsAtLogin = settings.start_at_login;
    const autostart = {
      app,
      platform: process.platform,
      executable: ownProgram(app.getPath('exe'), process.env),
      packaged: app.isPackaged,
    };
    applyAutostart(autostart, settings.start_at_login).catch(this.#report);
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
