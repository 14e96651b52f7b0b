// Serves the built UI to the window from app://hub: a fixed map from path to file made once at
// start (lib/built-pages). No path from a request ever reaches the file system, and every answer
// carries the security headers.
import { readFile, readdir } from 'node:fs/promises';
import type { Protocol } from 'electron';
import { SECURITY_HEADERS } from '../../preload/contract/content-security.ts';
import { mapBuiltPages } from '../lib/built-pages.ts';
import type { BuiltFile } from '../lib/built-pages.ts';

const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://hub';

/** Privileges must be declared before the app is ready. */
export const SCHEME_PRIVILEGES = [
  { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
];

/** Lists the built files once. */
export async function mapBuiltFiles(directory: string): Promise<ReadonlyMap<string, BuiltFile>> {
  return mapBuiltPages(
    directory,
    await readdir(directory, { recursive: true, withFileTypes: true }),
  );
}

/**
 * Answers one request of the window: a mapped file or a bare 404, both with the security headers.
 */
export async function answerAppRequest(
  files: ReadonlyMap<string, BuiltFile>,
  url: string,
  method: string,
): Promise<Response> {
  const built = method === 'GET' ? files.get(pathOf(url) ?? '') : undefined;
  if (built === undefined)
    return new Response('Not found', {
      status: 404,
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain' },
    });
  const body = new Uint8Array(await readFile(built.file));
  return new Response(body, {
    status: 200,
    headers: { ...SECURITY_HEADERS, 'content-type': built.mediaType },
  });
}

export function serveApp(protocol: Protocol, files: ReadonlyMap<string, BuiltFile>): void {
  protocol.handle(APP_SCHEME, (request) => answerAppRequest(files, request.url, request.method));
}

function pathOf(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    const isOurs =
      parsed.protocol === `${APP_SCHEME}:` &&
      parsed.host === 'hub' &&
      parsed.username === '' &&
      parsed.password === '';
    return isOurs ? parsed.pathname : undefined;
  } catch {
    return undefined;
  }
}
