// The tray: a mark, a count and a short menu that is complete on its own, since some desktops show no icon. It decides nothing.
import { join } from 'node:path';
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';
import { trayTitle, trayWords } from '../../preload/contract/desktop-strings.ts';

export interface TrayDeps {
  createTray(icon: NativeImage | string): Tray;
  loadImage(path: string): NativeImage;
  buildMenu(items: MenuItemConstructorOptions[]): Menu;
  readonly iconDirectory: string;
  readonly platform: NodeJS.Platform;
  onShow(): void;
  onQuit(): void;
}

export class TrayIcon {
  readonly #deps: TrayDeps;
  #tray: Tray | undefined;

  constructor(deps: TrayDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#tray !== undefined) return;
    this.#tray = this.#deps.createTray(this.#icon(0));
    this.#tray.on('click', () => this.#deps.onShow());
    this.showCount(0);
  }

  showCount(count: number): void {
    const tray = this.#tray;
    if (tray === undefined) return;
    tray.setImage(this.#icon(count));
    tray.setToolTip(trayTitle(count));
    if (this.#deps.platform === 'darwin') tray.setTitle(count === 0 ? '' : String(count));
    tray.setContextMenu(
      this.#deps.buildMenu([
        { label: trayWords.waiting(count), enabled: count > 0, click: () => this.#deps.onShow() },
        { type: 'separator' },
        { label: trayWords.open, click: () => this.#deps.onShow() },
        { label: trayWords.quit, click: () => this.#deps.onQuit() },
      ]),
    );
  }

  stop(): void {
    this.#tray?.destroy();
    this.#tray = undefined;
  }

  #icon(count: number): NativeImage {
    const state = count === 0 ? 'quiet' : 'waiting';
    const template = this.#deps.platform === 'darwin';
    const image = this.#deps.loadImage(join(this.#deps.iconDirectory, 'tray', template ? `${state}Template.png` : `${state}.png`));
    if (template) image.setTemplateImage(true);
    return image;
  }
}
