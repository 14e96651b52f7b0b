// The tray: a mark that says how things stand, a count, and the menu. A press on it opens the
// popover, where the desktop tells of presses. It decides no request.
import { join } from 'node:path';
import type { Menu, MenuItemConstructorOptions, NativeImage, Rectangle, Tray } from 'electron';
import { trayTitle } from '../../preload/contract/desktop-strings.ts';
import {
  noticesOf,
  pausedWords,
  trayMenu,
  type MenuActions,
  type TrayPicture,
} from './tray-menu.ts';

interface TrayDeps extends MenuActions {
  createTray(icon: NativeImage | string): Tray;
  loadImage(path: string): NativeImage;
  buildMenu(items: MenuItemConstructorOptions[]): Menu;
  readonly iconDirectory: string;
  readonly platform: NodeJS.Platform;
  onPress(): void;
}

export class TrayIcon {
  readonly #deps: TrayDeps;
  #tray: Tray | undefined;
  #menu: Menu | undefined;

  constructor(deps: TrayDeps) {
    this.#deps = deps;
  }

  start(picture: TrayPicture): void {
    if (this.#tray !== undefined) return;
    const tray = this.#deps.createTray(this.#icon(picture));
    this.#tray = tray;
    tray.on('click', () => this.#deps.onPress());
    // A menu that is set there would open at every press.
    if (this.#deps.platform === 'darwin')
      tray.on('right-click', () => tray.popUpContextMenu(this.#menu));
    this.show(picture);
  }

  show(picture: TrayPicture): void {
    const tray = this.#tray;
    if (tray === undefined) return;
    const count = picture.waiting.length;
    const menu = this.#deps.buildMenu([...trayMenu(picture, this.#deps)]);
    this.#menu = menu;
    tray.setImage(this.#icon(picture));
    tray.setToolTip(titleOf(picture));
    if (this.#deps.platform === 'darwin') tray.setTitle(count === 0 ? '' : String(count));
    else tray.setContextMenu(menu);
  }

  /** Where it stands; undefined where the desktop does not say. */
  get bounds(): Rectangle | undefined {
    const bounds = this.#tray?.getBounds();
    return bounds === undefined || bounds.width === 0 ? undefined : bounds;
  }

  stop(): void {
    this.#tray?.destroy();
    this.#tray = undefined;
  }

  #icon(picture: TrayPicture): NativeImage {
    const template = this.#deps.platform === 'darwin';
    const image = this.#deps.loadImage(
      join(
        this.#deps.iconDirectory,
        'tray',
        `${stateOf(picture)}${template ? 'Template' : ''}.png`,
      ),
    );
    if (template) image.setTemplateImage(true);
    return image;
  }
}

/** off: no other hub can reach this one. waiting: a person is needed. */
function stateOf({ hub, stops, waiting, paused }: TrayPicture): string {
  if (hub.state !== 'running') return 'off';
  if (waiting.length > 0 || stops.length > 0 || hub.copy_at !== null) return 'waiting';
  return paused === null ? 'quiet' : 'paused';
}

function titleOf(picture: TrayPicture): string {
  const paused = pausedWords(picture);
  return [
    trayTitle(picture.waiting.length),
    ...noticesOf(picture),
    ...(paused === null ? [] : [paused]),
  ].join('. ');
}
