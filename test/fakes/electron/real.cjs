// The other half of control.ts for a real Electron, which loads it before the app (`electron -r`): the same questions, asked of Electron's own
// windows, menus, screens and tray. Notifications and boxes are kept and not drawn, since a machine that builds a release has nobody to look
// at them. What it answers is in the form of DesktopState.
const { existsSync, mkdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const electron = require('electron');

const { app, BrowserWindow, dialog, nativeImage, Notification, powerMonitor, screen, Tray } =
  electron;
const kept = { badge: 0, boxes: [], notifications: [] };
const raised = new WeakMap();
const menus = new WeakMap();
const paths = new WeakMap();
let tray;

// Every data folder has an Electron of its own: its lock, its profile, and the port at which the specs reach its pages.
const userData = join(process.env.AXON_HOME, 'double', 'userData');
mkdirSync(userData, { recursive: true });
app.setPath('userData', userData);
app.commandLine.appendSwitch('remote-debugging-port', '0');

/** Calls `seen` before the method does what it does. */
function watch(owner, method, seen) {
  const original = owner[method];
  owner[method] = function watched(...given) {
    seen(this, ...given);
    return original.apply(this, given);
  };
}

watch(app, 'setBadgeCount', (_app, count) => (kept.badge = count));
const createFromPath = nativeImage.createFromPath.bind(nativeImage);
nativeImage.createFromPath = (path) => {
  const image = createFromPath(path);
  paths.set(image, path);
  return image;
};
watch(
  Tray.prototype,
  'setImage',
  (icon, image) =>
    (tray = Object.assign(tray?.icon === icon ? tray : { icon, menu: [] }, {
      image: paths.get(image) ?? '',
    })),
);
watch(Tray.prototype, 'setToolTip', (_icon, toolTip) => Object.assign(tray, { toolTip }));
watch(Tray.prototype, 'setTitle', (_icon, title) => Object.assign(tray, { title }));
watch(Tray.prototype, 'setContextMenu', (_icon, menu) => Object.assign(tray, { menu: menu.items }));
watch(Tray.prototype, 'destroy', () => (tray = undefined));
// It would stay open until somebody chooses.
Tray.prototype.popUpContextMenu = (menu) => void Object.assign(tray, { menu: menu?.items ?? [] });
watch(BrowserWindow.prototype, 'show', (window) =>
  raised.set(window, (raised.get(window) ?? 0) + 1),
);
watch(BrowserWindow.prototype, 'setMenu', (window, menu) => menus.set(window, menu));

Notification.isSupported = () => true;
Notification.prototype.show = function show() {
  kept.notifications.push({
    own: this,
    title: this.title,
    body: this.body,
    shown: true,
    closed: false,
  });
};
Notification.prototype.close = function close() {
  for (const one of kept.notifications) if (one.own === this) one.closed = true;
  this.emit('close');
};
dialog.showMessageBox = ({ message, detail }) => {
  kept.boxes.push({ message, detail });
  return Promise.resolve({ response: 0 });
};
dialog.showErrorBox = (title, content) => void process.stdout.write(`[${title}] ${content}\n`);

const windowsWith = (isWanted) =>
  BrowserWindow.getAllWindows()
    .filter((window) =>
      isWanted(new URL(window.webContents.getURL() || 'app://hub/').search !== ''),
    )
    .toSorted((one, other) => one.id - other.id);
const mainWindows = () => windowsWith((isPopover) => !isPopover);
const popovers = () => windowsWith((isPopover) => isPopover);

const shownItem = ({ label, enabled, submenu }) => ({
  label: label ?? '',
  enabled: enabled ?? true,
  submenu: (submenu?.items ?? []).map(shownItem),
});
const itemsOf = (items) => items.flatMap((item) => [item, ...itemsOf(item.submenu?.items ?? [])]);

const windowState = (window) => ({
  visible: window.isVisible(),
  focused: window.isFocused(),
  minimised: window.isMinimized(),
  raised: raised.get(window) ?? 0,
  bounds: window.getBounds(),
  hasMenu: (menus.get(window) ?? null) !== null,
  webPreferences: {},
});

function debuggingPort() {
  const file = join(userData, 'DevToolsActivePort');
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  return port > 0 ? port : null;
}

function menu() {
  // On macOS the menu belongs to a press alone.
  if (process.platform === 'darwin') tray?.icon.emit('right-click');
  return tray?.menu ?? [];
}

function state() {
  return {
    badge: kept.badge,
    sandboxed: true,
    schemes: [],
    sessionHandlers: [],
    channels: [],
    debuggingPort: mainWindows().length + popovers().length === 0 ? null : debuggingPort(),
    tray:
      tray === undefined
        ? null
        : {
            toolTip: tray.toolTip ?? '',
            title: tray.title ?? '',
            image: tray.image,
            menu: menu().map(shownItem),
          },
    boxes: kept.boxes,
    notifications: kept.notifications.map(({ own: _own, ...rest }) => rest),
    windows: mainWindows().map(windowState),
    popovers: popovers().map(windowState),
  };
}

function standOn(displays) {
  screen.getAllDisplays = () => displays;
  screen.getPrimaryDisplay = () => displays[0];
  screen.getDisplayNearestPoint = () => displays[0];
  screen.emit('display-removed');
}

const ANSWERS = {
  state,
  'tray-click': () => tray?.icon.emit('click'),
  'menu-click': (label) =>
    itemsOf(menu())
      .find((item) => item.label === label)
      ?.click(),
  'notification-click': (at) => kept.notifications.at(at)?.own.emit('click'),
  'window-close': () => mainWindows().at(-1)?.close(),
  'popover-blur': () => popovers().at(-1)?.blur(),
  power: (name) => powerMonitor.emit(name, { preventDefault: () => undefined }),
  screens: standOn,
  'window-bounds': (bounds) => mainWindows().at(-1)?.setBounds(bounds),
  'open-url': (url) => app.emit('open-url', { preventDefault: () => undefined }, url),
  quit: () => app.quit(),
};

process.on('message', ({ id, ask, value }) => {
  const answer = ANSWERS[ask];
  if (answer === undefined) throw new Error(`a real Electron is not asked '${ask}'`);
  const said = answer(value);
  // Most of them answer with nothing, and some with what does not travel.
  process.send({ id, value: ask === 'state' ? said : null });
});
