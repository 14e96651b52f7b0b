// Serves the built UI to the window from app://hub: a fixed map from path to file made once at start. No path from a request ever
// reaches the file system, and every answer carries the security headers.
import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Protocol } from 'electron';
import { SECURITY_HEADERS } from '../../preload/contract/content-security.ts';

export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://hub';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Privileges must be declared before the app is ready. */
export const SCHEME_PRIVILEGES = [{ scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }];

/** Lists the built files once. `/` is index.html. */
export async function mapBuiltFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !(extname(entry.name) in MEDIA_TYPES)) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(directory.length).replaceAll('\\', '/'), path);
  }
  const index = files.get('/index.html');
  if (index !== undefined) files.set('/', index);
  return files;
}

/** Answers one request of the window: a mapped file or a bare 404, both with the security headers. */
export async function answerAppRequest(files: ReadonlyMap<string, string>, url: string, method: string): Promise<Response> {
  const file = method === 'GET' ? files.get(pathOf(url) ?? '') : undefined;
  if (file === undefined) return new Response('Not found', { status: 404, headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain' } });
  const body = new Uint8Array(await readFile(file));
  return new Response(body, { status: 200, headers: { ...SECURITY_HEADERS, 'content-type': MEDIA_TYPES[extname(file)] ?? 'text/plain' } });
}

export function serveApp(protocol: Protocol, files: ReadonlyMap<string, string>): void {
  protocol.handle(APP_SCHEME, (request) => answerAppRequest(files, request.url, request.method));
}

function pathOf(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    const isOurs = parsed.protocol === `${APP_SCHEME}:` && parsed.host === 'hub' && parsed.username === '' && parsed.password === '';
    return isOurs ? parsed.pathname : undefined;
  } catch {
    return undefined;
  }
}
