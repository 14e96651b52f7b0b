// Chromium inside one computer of the test network: a page there opens that computer's 127.0.0.1, while the test steers it over a pipe
// from outside. `browserRefusal` says why there is none.
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import type { LanHost } from './namespaces.ts';

export const CHROMIUM_BINARY = process.env['AXON_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=MediaRouter,DialMediaRouteProvider,OptimizationHints,Translate',
];

/** Why no browser can be started here; null when one can. */
export function browserRefusal(): string | null {
  return existsSync(CHROMIUM_BINARY) ? null : `there is no Chromium at ${CHROMIUM_BINARY} (AXON_TEST_CHROMIUM names another)`;
}

/** Starts a headless Chromium on that computer. The caller closes it. */
export async function openBrowser(host: LanHost): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'axon-browser-'));
  try {
    // Playwright starts one program with its pipe as descriptors 3 and 4; both shells hand them on.
    const starter = join(folder, 'chromium');
    await writeFile(starter, `#!/bin/sh\nexec ip netns exec ${host.namespace} ${CHROMIUM_BINARY} "$@"\n`);
    await chmod(starter, 0o700);
    return await chromium.launch({ executablePath: starter, args: ARGUMENTS, headless: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
