// Builds a page of the renderer and serves it on a free port of this computer, with the headers the
// product is served with.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build } from 'vite';
import { SECURITY_HEADERS } from '../../preload/contract/content-security.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** @param page an HTML file below `root`; written to `outDir` with everything it needs */
export async function buildPage(root: string, page: string, outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [svelte({ configFile: false })],
    build: {
      outDir,
      emptyOutDir: true,
      rolldownOptions: { input: join(root, page), checks: { bundlerTimings: false } },
    },
  });
}

export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

export async function servePage(directory: string): Promise<PageServer> {
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path.includes('..') || !(extname(path) in TYPES)) {
      response.writeHead(404, SECURITY_HEADERS).end();
      return;
    }
    readFile(join(directory, path)).then(
      (body) =>
        response
          .writeHead(200, { ...SECURITY_HEADERS, 'content-type': TYPES[extname(path)] })
          .end(body),
      () => response.writeHead(404, SECURITY_HEADERS).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
