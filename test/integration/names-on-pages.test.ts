// Every state of every screen, in real Chromium, over a household in memory: people read names. An
// id, a key or a handle stands under "Exact identifiers", in a line to copy, in a link or in a
// share token, and nowhere else.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPage, servePage } from '../screenshots/serve.ts';
import type { PageServer } from '../screenshots/serve.ts';
import { STATES } from '../screenshots/states.ts';
import { visit } from '../screenshots/visit.ts';
import { chromiumPath, hasRealPart } from '../support/real-parts.ts';

let browser: Browser;
/** One for all states: a new one takes longer than what stands on it. */
let page: Page;
let server: PageServer;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'axon-names-'));
  await buildPage(join(import.meta.dirname, '../screenshots'), 'page.html', directory);
  server = await servePage(directory);
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

/** What is no name, but for handles. A share token is for copying, wherever it stands. */
const NO_NAMES: readonly (readonly [what: string, RegExp])[] = [
  ['an id', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ['an agent id', /ed25519\.[0-9a-f]+/g],
  ['a key', /(?=[0-9]*[a-f])[0-9a-f]{32,}/g],
  ['a label of mDNS', /\baxon-[0-9a-f]{4,}/g],
];
const SHARE_TOKEN = /axon:\/\/\S+/g;

/**
 * All that is read or read out on the page, where it need not be a name apart; and every handle
 * that the page was given.
 */
function read(): { readonly words: readonly string[]; readonly handles: readonly string[] } {
  const EXACT = 'details.exact, pre.code, code.id, script, style';
  const words: string[] = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest(EXACT) === null) words.push(node.textContent ?? '');
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
    if (element.closest(EXACT) !== null) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      words.push(element.getAttribute(name) ?? '');
  }
  const { agents, registrations, peers, approvals, recently_decided, rules, feed } =
    window.fakeHub?.snapshot ?? {};
  const given = [
    ...(agents ?? []).map(({ name }) => name),
    ...(registrations ?? []).map(({ agent_name }) => agent_name),
    ...(peers ?? [])
      .flatMap(({ capabilities }) => capabilities?.untrusted.agents ?? [])
      .map(({ name }) => name),
    ...[...(approvals ?? []), ...(recently_decided ?? [])].flatMap(({ from_agent, to_agent }) => [
      from_agent,
      to_agent,
    ]),
    ...(rules ?? []).flatMap(({ agent, asking_agent, asking_local }) => [
      agent,
      asking_agent,
      asking_local,
    ]),
    ...(feed ?? []).map(({ from_agent }) => from_agent),
  ];
  return {
    words,
    handles: [...new Set(given.flatMap((handle) => (handle === null ? [] : [handle])))],
  };
}

const isHandle = (word: string): boolean => /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(word);
const hasHandle = (text: string, handle: string): boolean =>
  new RegExp(`(?<![\\w.-])${handle.replaceAll('.', '\\.')}(?![\\w-])`).test(text);

describe.skipIf(!hasRealPart('chromium'))('people read names', () => {
  test.each(Object.entries(STATES))('on %s', async (name, state) => {
    await visit(page, server.origin, name, state);
    const { words, handles } = await page.evaluate(read);
    const shown = words
      .map((text) => text.replaceAll(SHARE_TOKEN, '').trim())
      .filter((text) => text !== '');
    const found = shown.flatMap((text) => [
      ...NO_NAMES.filter(([, pattern]) => text.search(pattern) >= 0).map(
        ([what]) => `${what}: ${text}`,
      ),
      ...handles
        .filter((handle) => isHandle(handle) && hasHandle(text, handle))
        .map((handle) => `the handle ${handle}: ${text}`),
    ]);
    expect(shown.length, 'the page is drawn').toBeGreaterThanOrEqual(3);
    expect(found).toEqual([]);
  });
});
