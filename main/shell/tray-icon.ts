// The tray: a mark, a count and a short menu that is complete on its own, since some desktops show
// no icon. It decides no request.
import { join } from 'node:path';
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';
import type { AttentionDto } from '../../preload/contract/attention.ts';
import { trayTitle, trayWords } from '../../preload/contract/desktop-strings.ts';

/** null: until a person goes on. */
export type PauseEnd = 'in_an_hour' | 'tonight' | null;

interface TrayDeps {
  createTray(icon: NativeImage | string): Tray;
  loadImage(path: string): NativeImage;
  buildMenu(items: MenuItemConstructorOptions[]): Menu;
  readonly iconDirectory: string;
  readonly platform: NodeJS.Platform;
  onShow(): void;
  onPause(until: PauseEnd): void;
  onStopEverything(): void;
  onGoOn(): void;
  onQuit(): void;
}

export class TrayIcon {
  readonly #deps: TrayDeps;
  #tray: Tray | undefined;
  #count = 0;
  #paused: AttentionDto['paused'] = null;
  #stops: readonly string[] = [];

  constructor(deps: TrayDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#tray !== undefined) return;
    this.#tray = this.#deps.createTray(this.#icon());
    this.#tray.on('click', () => this.#deps.onShow());
    this.#draw();
  }

  showCount(count: number): void {
    this.#count = count;
    this.#draw();
  }

  showPaused(paused: AttentionDto['paused']): void {
    this.#paused = paused;
    this.#draw();
  }

  /** The owner's names of the hubs that everything stops for. */
  showStops(peerNames: readonly string[]): void {
    this.#stops = peerNames;
    this.#draw();
  }

  #draw(): void {
    const count = this.#count;
    const tray = this.#tray;
    if (tray === undefined) return;
    tray.setImage(this.#icon());
    tray.setToolTip(this.#title());
    if (this.#deps.platform === 'darwin') tray.setTitle(count === 0 ? '' : String(count));
    tray.setContextMenu(
      this.#deps.buildMenu([
        ...this.#stopItems(),
        { label: trayWords.waiting(count), enabled: count > 0, click: () => this.#deps.onShow() },
        { type: 'separator' },
        ...this.#pauseItems(),
        { type: 'separator' },
        { label: trayWords.open, click: () => this.#deps.onShow() },
        { label: trayWords.quit, click: () => this.#deps.onQuit() },
      ]),
    );
  }

  #title(): string {
    const parts = [trayTitle(this.#count)];
    if (this.#stops.length > 0) parts.push(trayWords.stopped(this.#stops));
    if (this.#paused !== null) parts.push(pausedWords(this.#paused));
    return parts.join('. ');
  }

  /** Nothing else comes before it, here as on the page that it opens. */
  #stopItems(): MenuItemConstructorOptions[] {
    if (this.#stops.length === 0) return [];
    return [
      { label: trayWords.stopped(this.#stops), click: () => this.#deps.onShow() },
      { type: 'separator' },
    ];
  }

  #pauseItems(): MenuItemConstructorOptions[] {
    const { onPause, onStopEverything, onGoOn } = this.#deps;
    const stop = { label: trayWords.stopEverything, click: () => onStopEverything() };
    if (this.#paused !== null)
      return [
        { label: pausedWords(this.#paused), enabled: false },
        { label: trayWords.goOn, click: () => onGoOn() },
        ...(this.#paused.stopped ? [] : [stop]),
      ];
    return [
      { label: trayWords.pauseHour, click: () => onPause('in_an_hour') },
      { label: trayWords.pauseTonight, click: () => onPause('tonight') },
      { label: trayWords.pauseOpen, click: () => onPause(null) },
      stop,
    ];
  }

  stop(): void {
    this.#tray?.destroy();
    this.#tray = undefined;
  }

  #icon(): NativeImage {
    const state = this.#count === 0 && this.#stops.length === 0 ? 'quiet' : 'waiting';
    const template = this.#deps.platform === 'darwin';
    const image = this.#deps.loadImage(
      join(this.#deps.iconDirectory, 'tray', template ? `${state}Template.png` : `${state}.png`),
    );
    if (template) image.setTemplateImage(true);
    return image;
  }
}

function pausedWords({ stopped }: NonNullable<AttentionDto['paused']>): string {
  return stopped ? trayWords.everythingStopped : trayWords.paused;
}
