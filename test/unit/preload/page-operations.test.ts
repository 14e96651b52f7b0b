// What the pages and the shell call, read from their own sources, against what the window lets
// through: an operation that a button needs and the window refuses fails only in the desktop app,
// where the browser's door works.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import {
  ONLY_IN_A_BROWSER,
  WINDOW_OPERATIONS,
} from '../../../preload/contract/window-operations.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const names = new Set<string>(Object.keys(OPERATIONS));

async function calledIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(join(ROOT, folder), { recursive: true });
  const texts = await Promise.all(
    files
      .filter((file) => /\.(?:ts|svelte)$/.test(file))
      .map((file) => readFile(join(ROOT, folder, file), 'utf8')),
  );
  const words = texts.flatMap((text) =>
    [...text.matchAll(/['"`]([a-z0-9_]+\.[a-zA-Z]+)['"`]/g)].map(([, word]) => word ?? ''),
  );
  return [...new Set(words.filter((word) => names.has(word)))].toSorted();
}

test('every operation that a page or the shell calls passes the window', async () => {
  const page = await calledIn('renderer');
  const shell = await calledIn(join('main', 'shell'));
  expect(page).toEqual(
    expect.arrayContaining([
      'approvals.decide',
      'approvals.keepOpen',
      'attention.hold',
      'attention.setQuietHours',
    ]),
  );
  expect(shell).toEqual(
    expect.arrayContaining(['attention.pause', 'attention.resume', 'hub.snapshot']),
  );
  const passes = new Set<string>([...WINDOW_OPERATIONS, ...ONLY_IN_A_BROWSER]);
  expect([...page, ...shell].filter((name) => !passes.has(name))).toEqual([]);
});

test('the window lets nothing through beyond that but these by name', async () => {
  const called = new Set([
    ...(await calledIn('renderer')),
    ...(await calledIn(join('main', 'shell'))),
  ]);
  expect(WINDOW_OPERATIONS.filter((name) => !called.has(name)).toSorted()).toEqual([
    'hub.status',
    'hub.whoami',
    'peers.list',
    'settings.get',
  ]);
});

test('what only a browser needs is no function of the window', () => {
  const window = new Set<string>(WINDOW_OPERATIONS);
  expect(ONLY_IN_A_BROWSER.filter((name) => window.has(name))).toEqual([]);
});
