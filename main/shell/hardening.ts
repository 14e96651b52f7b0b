// Takes from every page what it does not need: permissions, navigation, new windows, webviews.
// Applied to all web contents as they appear, so that no window can be forgotten.
import type { App, Session, WebContents } from 'electron';
import { APP_ORIGIN } from './app-scheme.ts';

/** True for documents of our own UI only. */
export function isAppUrl(url: string): boolean {
  try {
    const parsed = new URL(url);
    return `${parsed.protocol}//${parsed.host}` === APP_ORIGIN;
  } catch {
    return false;
  }
}

/**
 * True for what a page of ours made itself, such as an export of the audit log: the system asks a
 * person where it goes.
 */
function isOwnFile(url: string): boolean {
  return url.startsWith(`blob:${APP_ORIGIN}/`);
}

export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  session.on('will-download', (event, item) => {
    if (!isOwnFile(item.getURL())) event.preventDefault();
  });
}

export function hardenContents(contents: WebContents): void {
  const stayHome = (event: { preventDefault(): void }, url: string): void => {
    if (!isAppUrl(url)) event.preventDefault();
  };
  contents.on('will-navigate', (event) => stayHome(event, event.url));
  contents.on('will-redirect', (event) => stayHome(event, event.url));
  contents.on('will-frame-navigate', (event) => stayHome(event, event.url));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

export function hardenApp(app: App): void {
  app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
}
