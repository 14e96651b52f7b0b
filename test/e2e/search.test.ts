// "What did they agree on last month?": two hubs whose clocks stood a month back while they worked
// together, and what is found today, in Chromium and by `axon search`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { doWork, nextItem } from './agent-line.ts';
import { HouseholdPage } from './household-pages.ts';
import { pairByApi } from './pair-by-api.ts';

const { search, inspect, save } = ENGLISH.conversations;
const LIMIT_MS = 20_000;
const TASK = 'Tell the family chat that dinner is at 7, with rhubarb';
const OUTCOME = 'Sent to Family. Zucchini asked for.';
/** The clock of the hubs, for as long as it stands in their environment. */
const LAST_MONTH = {
  LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
  FAKETIME: '-29d',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

/** All that was said, as it stands in the file. */
function storedWords(file: string): readonly Buffer[] {
  const database = new Database(file, { readonly: true });
  const cells = [
    'SELECT payload FROM tasks',
    'SELECT result FROM tasks',
    'SELECT view FROM approvals',
    'SELECT payload FROM messages WHERE conversation_id IS NOT NULL',
    'SELECT body FROM deliveries',
  ].flatMap((query) => database.prepare(query).pluck().all());
  database.close();
  return cells.filter((cell) => Buffer.isBuffer(cell)).filter(({ length }) => length > 8);
}

const read = (bytes: Buffer): string => {
  try {
    return inflateRawSync(bytes).toString();
  } catch {
    return bytes.toString();
  }
};

/** What was removed from the search index has left the file, too. */
function isCleared(file: string): boolean {
  const database = new Database(file, { readonly: true });
  try {
    return (
      database.prepare("SELECT value FROM meta WHERE name = 'search_clearing'").pluck().get() === ''
    );
  } finally {
    database.close();
  }
}

describe.skipIf(!hasRealPart('chromium') || !hasRealPart('faketime'))('last month', () => {
  const computers = [new ThisComputer('Dad’s laptop'), new ThisComputer('Mum’s PC')];
  const environment: Record<string, string> = { ...LAST_MONTH };
  const hubs: HubProcess[] = [];
  let browser: Browser;
  let mum: HouseholdPage;
  const tokens: Record<string, string> = {};

  const agent = async (owner: HubApi, name: string, domains: string[]): Promise<string> => {
    const { token } = await owner.call('agents.create', { name, domains });
    return (tokens[name] = token);
  };

  beforeAll(async () => {
    for (const computer of computers) {
      const options = { name: computer.name, flags: ['--discovery', 'off'], environment };
      hubs.push(await HubProcess.start(computer, options));
    }
    const [dads, mums] = hubs;
    if (dads === undefined || mums === undefined) throw new Error('there are two computers');
    const [dad, owner] = [await dads.owner(), await mums.owner()];
    await owner.call('settings.update', { person: 'Mum' });
    await pairByApi(dad, owner, { asking: 'Dad’s laptop', asked: 'Mum’s PC' });
    const asker = dads.api.withToken(await agent(dad, 'openclaw', ['travel']));
    const doer = mums.api.withToken(await agent(owner, 'claude-code', ['family.chat']));
    await agent(dad, 'bystander', ['home.garden']);
    await agent(owner, 'lists', ['family.shopping']);
    await asker.call('send.delegate', { to: "Mum's PC", task: TASK, domain: 'family.chat' });
    const { id, revision, digest } = await until(
      'the request',
      LIMIT_MS,
      async () => (await owner.call('approvals.list', {})).items[0],
    );
    await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
    await doWork(doer, OUTCOME);
    await nextItem(asker, 'result');
    // Today.
    for (const name of Object.keys(environment)) delete environment[name];
    for (const hub of hubs) {
      await hub.kill('SIGTERM');
      await hub.restart();
    }
    browser = await openBrowser(computers[1] ?? new ThisComputer('Mum’s PC'));
    mum = new HouseholdPage(await browser.newPage({ viewport: { width: 1280, height: 820 } }));
    await mum.page.goto(await mums.loginLink());
    await mum.shown();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await Promise.all(hubs.map((hub) => hub.remove()));
    await Promise.all(computers.map((computer) => computer.close()));
  });

  it('a person finds it by three keys and the word: who asked, who allowed it, what came of it', async () => {
    const { page } = mum;
    onTestFailed(async () => void process.stderr.write(await mum.told()));
    await page.keyboard.press('/');
    await page.keyboard.type('dinner');
    await page.keyboard.press('Enter');
    const hit = page.getByRole('main').getByRole('link').filter({ hasText: 'dinner' }).first();
    await hit.waitFor();
    await page.getByText(search.found(1, false)).waitFor();
    const shown = (await hit.innerText()).replaceAll(/\s+/g, ' ');
    expect(shown).toMatch(/OpenClaw, Dad’s laptop to Claude Code, Mum’s PC/);
    expect(shown).toMatch(/Mum allowed it, on Mum’s PC\. Done\./);
    const month = new Date(Date.now() - 29 * 86_400_000).toLocaleString('en-GB', { month: 'long' });
    expect(shown).toContain(month);
    await hit.press('Enter');
    const pane = page.getByRole('region', { name: ENGLISH.conversations.pane });
    await pane.getByText(TASK).first().waitFor();
    await pane.getByText(inspect.open, { exact: true }).first().click();
    await pane.getByText(inspect.payload, { exact: true }).waitFor();
    const saving = page.waitForEvent('download');
    await pane.getByRole('button', { name: save.markdown, exact: true }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('axon-conversation.md');
    expect(readFileSync(await saved.path(), 'utf8')).toContain(`\`\`\`text\n${TASK}`);
  });

  it.each([
    ['openclaw', 0],
    ['claude-code', 1],
  ] as const)('axon search finds it for %s, who took part', async (name, at) => {
    const { code, output, transcript } = (await hubs[at]?.axon(['search', 'dinner'], {
      AXON_TOKEN: tokens[name] ?? '',
    })) ?? { code: null, output: '', transcript: '' };
    expect(code, transcript).toBe(0);
    expect(output).toContain('dinner is at 7');
    expect(output).toMatch(/Mum allowed it, on Mum’s PC\./);
  });

  it.each([
    ['bystander', 0],
    ['lists', 1],
  ] as const)('and nothing for %s, who took no part', async (name, at) => {
    const found = await hubs[at]?.axon(['search', 'dinner', '--json'], {
      AXON_TOKEN: tokens[name] ?? '',
    });
    expect(JSON.parse(found?.output ?? '')).toMatchObject({ items: [] });
  });

  it('is gone from that hub once a person removes it: from search, the page and the database', async () => {
    const { page } = mum;
    const { remove } = ENGLISH.conversations;
    const [dads, mums] = hubs;
    if (dads === undefined || mums === undefined) throw new Error('there are two computers');
    onTestFailed(async () => void process.stderr.write(await mum.told()));
    const database = join(mums.home, 'hub.db');
    const words = storedWords(database);
    expect(words.length).toBeGreaterThanOrEqual(4);
    await mum.history(TASK);
    await page.getByRole('button', { name: remove.open }).click();
    await page.getByText(remove.there('Dad’s laptop')).waitFor();
    await page
      .getByRole('button', { name: remove.yes })
      .and(page.locator(':not([aria-disabled])'))
      .click();
    await page.getByText(search.none).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Enter');
    await page.getByText(ENGLISH.conversations.emptyTitle).waitFor();
    await page.getByText('dinner').waitFor({ state: 'detached' });
    await mum.open('now');
    await page.getByText('dinner').waitFor({ state: 'detached' });
    const searched = (hub: HubProcess, name: string) =>
      hub.axon(['search', 'dinner', '--json'], { AXON_TOKEN: tokens[name] ?? '' });
    expect(JSON.parse((await searched(mums, 'claude-code')).output)).toMatchObject({ items: [] });
    expect(JSON.parse((await searched(dads, 'openclaw')).output).items).toHaveLength(1);
    await until('the index to be cleared', LIMIT_MS, () => isCleared(database) || undefined);
    await mums.kill('SIGTERM');
    const left = readFileSync(database);
    const canaries = [...words, Buffer.from('rhubarb'), Buffer.from('zucchini')];
    expect(canaries.filter((bytes) => left.includes(bytes)).map(read)).toEqual([]);
  });
});
