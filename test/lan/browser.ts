// Chromium inside one computer of the test network: a page there opens that computer's 127.0.0.1,
// while the test steers it over a pipe from outside. Needs the real part `chromium`.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from '../support/real-parts.ts';
import type { Computer } from './namespaces.ts';

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

/** Starts a headless Chromium on that computer. The caller closes it. */
export async function openBrowser(computer: Computer): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'axon-browser-'));
  try {
    // Playwright starts one program with its pipe as descriptors 3 and 4; both shells hand them on.
    const starter = join(folder, 'chromium');
    await writeFile(
      starter,
      `#!/bin/sh\nexec ${computer.reach([chromiumPath()]).join(' ')} "$@"\n`,
    );
    await chmod(starter, 0o700);
    return await chromium.launch({ executablePath: starter, args: ARGUMENTS, headless: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
