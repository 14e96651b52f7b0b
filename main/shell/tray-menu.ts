// The menu of the tray, complete on its own, since some desktops show no icon: what has to be
// answered, what waits, who is online, peace, the window, the end. It decides no request. Says
// fixed words and the owner's names alone.
import type { MenuItemConstructorOptions } from 'electron';
import { trayWords } from '../../preload/contract/desktop-strings.ts';
import type { DesktopPicture } from './attention.ts';

/** All that tray and menu show. */
export interface TrayPicture extends DesktopPicture {
  /** The version that is here and can be installed; null: none. */
  readonly update: string | null;
}

/** null: until a person goes on. */
export type PauseEnd = 'in_an_hour' | 'tonight' | null;

/** What pressing an item does. */
export interface MenuActions {
  /** @param place of the page, from "#/" on */
  onShow(place: string): void;
  onPause(until: PauseEnd): void;
  onStopEverything(): void;
  onGoOn(): void;
  onUpdate(): void;
  onQuit(): void;
}

/** Requests that are named one by one; the page shows all. */
const REQUESTS_MAX = 5;
const HUBS_MAX = 20;
const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

export function trayMenu(
  picture: TrayPicture,
  actions: MenuActions,
): readonly MenuItemConstructorOptions[] {
  const notices = noticeItems(picture, actions);
  return [
    ...notices,
    ...(notices.length === 0 ? [] : [SEPARATOR]),
    ...waitingItems(picture, actions),
    SEPARATOR,
    hubsItem(picture, actions),
    SEPARATOR,
    ...pauseItems(picture, actions),
    SEPARATOR,
    { label: trayWords.open, click: () => actions.onShow('#/now') },
    { label: trayWords.settings, click: () => actions.onShow('#/settings') },
    ...(picture.update === null
      ? []
      : [{ label: trayWords.update(picture.update), click: () => actions.onUpdate() }]),
    { label: trayWords.quit, click: () => actions.onQuit() },
  ];
}

/** Where the page shows this request. */
export function requestPlace(approvalId: string): string {
  return `#/now/${encodeURIComponent(approvalId)}`;
}

/** What stands before all else, here as on the page that it opens. */
export function noticesOf({ stops, hub }: DesktopPicture): readonly string[] {
  const notices = [
    stops.length === 0 ? null : trayWords.stopped(stops),
    hub.copy_at === null ? null : trayWords.copied,
    trayWords.state[hub.state],
  ];
  return notices.filter((notice) => notice !== null);
}

export function pausedWords({ paused }: DesktopPicture): string | null {
  if (paused === null) return null;
  return paused.stopped ? trayWords.everythingStopped : trayWords.paused;
}

function noticeItems(
  picture: DesktopPicture,
  { onShow }: MenuActions,
): readonly MenuItemConstructorOptions[] {
  return noticesOf(picture).map((notice) => ({
    label: asLabel(notice),
    click: () => onShow('#/now'),
  }));
}

function waitingItems(
  { waiting }: DesktopPicture,
  { onShow }: MenuActions,
): readonly MenuItemConstructorOptions[] {
  const count = waiting.length;
  const click = (): void => onShow('#/now');
  const more = count - REQUESTS_MAX;
  return [
    { label: trayWords.waiting(count), enabled: count > 0, click },
    ...waiting.slice(0, REQUESTS_MAX).map(({ id, peer_name, kind }) => ({
      label: asLabel(trayWords.request(peer_name, kind)),
      click: () => onShow(requestPlace(id)),
    })),
    ...(more > 0 ? [{ label: trayWords.moreWaiting(more), click }] : []),
  ];
}

function hubsItem({ hubs }: DesktopPicture, { onShow }: MenuActions): MenuItemConstructorOptions {
  const label = trayWords.online(hubs.filter(({ online }) => online).length, hubs.length);
  if (hubs.length === 0) return { label, click: () => onShow('#/people/add') };
  const more = hubs.length - HUBS_MAX;
  return {
    label,
    submenu: [
      ...hubs.slice(0, HUBS_MAX).map(({ id, name, online }) => ({
        label: asLabel(trayWords.hub(name, online)),
        click: () => onShow(`#/people/hub/${encodeURIComponent(id)}`),
      })),
      ...(more > 0
        ? [{ label: trayWords.moreWaiting(more), click: () => onShow('#/people') }]
        : []),
    ],
  };
}

function pauseItems(
  picture: DesktopPicture,
  { onPause, onStopEverything, onGoOn }: MenuActions,
): readonly MenuItemConstructorOptions[] {
  const stop = { label: trayWords.stopEverything, click: () => onStopEverything() };
  const said = pausedWords(picture);
  if (said !== null)
    return [
      { label: said, enabled: false },
      { label: trayWords.goOn, click: () => onGoOn() },
      ...(picture.paused?.stopped === true ? [] : [stop]),
    ];
  return [
    { label: trayWords.pauseHour, click: () => onPause('in_an_hour') },
    { label: trayWords.pauseTonight, click: () => onPause('tonight') },
    { label: trayWords.pauseOpen, click: () => onPause(null) },
    stop,
  ];
}

/** A menu takes a single "&" for the sign that the next letter is a key. */
function asLabel(text: string): string {
  return text.replaceAll('&', '&&');
}
