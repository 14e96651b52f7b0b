// The pages as they ship: built once with the product's own settings, then read.
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readLicenceNotes } from '../../../renderer/features/settings/licence-notes.ts';
import { rendererConfig } from '../../../electron.vite.config.ts';

/**
 * A page that grows past this has taken in something it does not need. Of what there is now, under
 * a third is packages (the most of it the framework), and the rest is screens and their words; it
 * is read from this computer's own disk or loopback.
 */
const SCRIPT_SIZE_MAX_BYTES = 560_000;
let folder = '';

beforeAll(async () => {
  // A build takes its mode from here; anything else would bring the development half of the
  // packages.
  vi.stubEnv('NODE_ENV', 'production');
  folder = await mkdtemp(join(tmpdir(), 'axon-pages-'));
  await build({
    ...rendererConfig,
    configFile: false,
    logLevel: 'error',
    build: { ...rendererConfig.build, outDir: folder },
  });
  vi.unstubAllEnvs();
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

test('the page is one script and one style sheet of its own, so that nothing is asked for in turns', async () => {
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  expect([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
    expect.stringMatching(/^<script type="module" crossorigin src="\.\/assets\/[^"]+\.js">$/),
  ]);
  expect([...html.matchAll(/<link rel="stylesheet"/g)]).toHaveLength(1);
  expect(html.replaceAll(/(src|href)="(\.\/assets\/|data:image\/svg)/g, '')).not.toMatch(
    /\b(src|href)=|<style|\son[a-z]+=/,
  );
});

test('what ships is the production form of its packages', async () => {
  const assets = await readdir(join(folder, 'assets'));
  const script = await readFile(
    join(folder, 'assets', assets.find((name) => name.endsWith('.js')) ?? ''),
    'utf8',
  );
  // Svelte names the page of each of its errors only there.
  expect(script).not.toContain('can only be used during component initialisation');
  expect(script).toContain('https://svelte.dev/e/');
});

test('the script is small, and the licences of what went into it stand beside it', async () => {
  const assets = await readdir(join(folder, 'assets'));
  expect(assets.map((name) => name.replace(/^.*\./, '')).toSorted()).toEqual(['css', 'js']);
  const script = await readFile(
    join(folder, 'assets', assets.find((name) => name.endsWith('.js')) ?? ''),
    'utf8',
  );
  expect(script.length).toBeLessThan(SCRIPT_SIZE_MAX_BYTES);
  const licences = await readFile(join(folder, 'licences.txt'), 'utf8');
  expect(readLicenceNotes(licences).map(({ title }) => title.split(' ')[0])).toEqual(
    expect.arrayContaining(['svelte', 'valibot', 'eventsource-parser']),
  );
  for (const name of ['svelte', 'valibot', 'eventsource-parser'])
    expect(licences).toMatch(new RegExp(`^## ${name} - .+ \\(MIT\\)$`, 'm'));
});
