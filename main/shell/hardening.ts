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

/**
 * Switches that open the pages, or the processes that draw them, to another program, or that take a
 * wall of the browser down. Node's own are shut by the fuses of a package; Chromium knows no fuse.
 */
const OPENING =
  /^(?:--?|\/)(?:inspect|debug|remote-|js-flags|load-extension|browser-subprocess-path|gpu-launcher|renderer-cmd-prefix|utility-cmd-prefix|no-zygote|single-process|disable-(?:web-security|site-isolation|features|popup-blocking)|host-(?:resolver-)?rules|proxy-|ignore-certificate|allow-(?:file|insecure|running)|unsafely-)/i;

/** Those among the words of a start: a packaged app does not start with one. */
export function openingSwitches(argv: readonly string[]): readonly string[] {
  return argv.filter((word) => OPENING.test(word)).map((word) => word.split('=')[0] ?? '');
}

/** What makes a program load code of somebody else's choosing; a process of ours inherits none. */
const LOADERS = /^(?:NODE_OPTIONS|NODE_PATH|LD_PRELOAD|LD_AUDIT|DYLD_.*|ELECTRON_RUN_AS_NODE)$/;

export function withoutLoaders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !LOADERS.test(name)));
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
