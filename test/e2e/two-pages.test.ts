// One household, two pages at once: what one decides, the other shows, and of two presses the first
// counts and the second is told so. Real Chromium on a headless hub with two tabs, and on the built
// desktop app with its window and a tab beside it.
import { setTimeout } from 'node:timers/promises';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { requestNotification, trayTitle } from '../../preload/contract/desktop-strings.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { story } from '../../preload/contract/strings/story.ts';
import { HubClient } from '../../main/cli/hub-client.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { nextItem } from './agent-line.ts';
import { didIt } from './card-reader.ts';
import { callFromWindow, DesktopComputer } from './desktop-computer.ts';
import { HouseholdPage } from './household-pages.ts';

const { common, now } = ENGLISH;
const PASSPHRASE = 'a passphrase for two pages';
const AREA = 'family.chat';

async function tab(browser: Browser, link: string): Promise<HouseholdPage> {
  const page = new HouseholdPage(await browser.newPage({ viewport: { width: 1280, height: 820 } }));
  await page.page.goto(link);
  await page.shown();
  return page;
}

/**
 * Holds the next decision of this page on its way to the hub. What it resolves with presses a button
 * until a press counts, since a card takes none right after it has moved, and resolves with what
 * lets the decision go.
 */
async function holdDecision(page: Page): Promise<(button: Locator) => Promise<() => void>> {
  const pressed = Promise.withResolvers<() => void>();
  const hold = async (route: Route): Promise<void> => {
    const released = Promise.withResolvers<void>();
    pressed.resolve(() => released.resolve());
    await released.promise;
    await route.continue();
  };
  await page.route(/\/decide$/, hold, { times: 1 });
  return (button) =>
    until('a press that counts', 60_000, async () => {
      await button.click({ timeout: 2_000 }).catch(() => undefined);
      return Promise.race([pressed.promise, setTimeout(2_000, undefined)]);
    });
}

/**
 * What a test file opened, to be closed in the other order: also where only a part of it could be.
 */
const ends: (() => Promise<void> | void)[] = [];
async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

const ask = (agent: HubApi, task: string) =>
  agent.call('send.delegate', { to: 'local/claude-code', task, domain: AREA });

describe.skipIf(!hasRealPart('chromium'))('one headless hub in two tabs', () => {
  let tabs: readonly [HouseholdPage, HouseholdPage];
  let asking: HubApi;
  let working: HubApi;

  beforeAll(async () => {
    const computer = new ThisComputer('mum');
    ends.push(() => computer.close());
    const hub = await HubProcess.start(computer, {
      name: 'Mum’s PC',
      flags: ['--discovery', 'off'],
    });
    ends.push(() => hub.remove());
    const owner = await hub.owner();
    await owner.call('settings.update', { person: 'Mum' });
    asking = hub.api.withToken(
      (await owner.call('agents.create', { name: 'openclaw', domains: ['travel'] })).token,
    );
    working = hub.api.withToken(
      (await owner.call('agents.create', { name: 'claude-code', domains: [AREA] })).token,
    );
    const browser = await openBrowser(computer);
    ends.push(() => browser.close());
    tabs = [await tab(browser, await hub.loginLink()), await tab(browser, await hub.loginLink())];
  }, 120_000);
  afterAll(endAll, 60_000);
  beforeEach(() => {
    onTestFailed(async () => {
      for (const page of tabs) process.stderr.write(`${await page.told().catch(String)}\n`);
    });
  });

  it('one decision clears the card and the count of both', async () => {
    await ask(asking, 'Say that dinner is at 7');
    for (const page of tabs) {
      await page.card('dinner').waitFor();
      expect(await page.waitingInRail()).toBe('1');
    }
    await tabs[0].allowByMouse('dinner');
    await tabs[0].decided('dinner').getByText(didIt('Mum', 'allowed')).waitFor();
    for (const page of tabs)
      await page.row('dinner').getByText(common.surfaces.browser).first().waitFor();
    for (const page of tabs) await expect.poll(() => page.waitingInRail()).toBeNull();
    expect((await nextItem(working, 'delegate')).untrusted.text).toBe('Say that dinner is at 7');
  });

  it('a reply that comes after the agent took the task takes no row back, on neither page', async () => {
    await ask(asking, 'Say that the bus is late');
    const [first, second] = tabs;
    const decided = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    await first.page.route(
      /\/decide$/,
      async (route) => {
        const response = await route.fetch();
        decided.resolve();
        await taken.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await first.allowButton('bus').click();
    await decided.promise;
    await nextItem(working, 'delegate');
    const told = story.hasIt('Claude Code');
    await second.page.getByText(told).first().waitFor();
    taken.resolve();
    for (const { page } of tabs) {
      await page.getByRole('navigation').first().hover();
      const row = page.getByRole('listitem').filter({ hasText: 'the bus is late' });
      await row.getByText(told).waitFor();
    }
  });

  it('of two presses at once the first that comes counts, and the other page says by whom and that its own changed nothing', async () => {
    await ask(asking, 'Say that it is pizza');
    const [first, second] = tabs;
    const pressFirst = await holdDecision(first.page);
    const pressSecond = await holdDecision(second.page);
    const releaseFirst = await pressFirst(first.allowButton('pizza'));
    const declines = second.card('pizza').getByRole('button', { name: now.decline });
    const releaseSecond = await pressSecond(declines);
    releaseFirst();
    await first.decided('pizza').getByText(didIt('Mum', 'allowed')).waitFor();
    releaseSecond();
    const row = second.page.getByRole('article').filter({ hasText: 'pizza' });
    await row.getByText(now.decided.second).waitFor();
    await row.getByRole('heading', { name: didIt('Mum', 'allowed') }).waitFor();
    expect((await nextItem(working, 'delegate')).untrusted.text).toBe('Say that it is pizza');
  });
});

describe.skipIf(!hasRealPart('chromium'))('the desktop app with a tab beside its window', () => {
  let desktop: DesktopComputer;
  let window: HouseholdPage;
  let beside: HouseholdPage;
  let asking: HubApi;

  beforeAll(async () => {
    desktop = await DesktopComputer.start('Mum’s PC');
    ends.push(() => desktop.remove());
    window = await desktop.window();
    await callFromWindow(window.page, 'settings.update', { person: 'Mum' });
    asking = await desktop.agent(
      (
        await callFromWindow(window.page, 'agents.create', {
          name: 'openclaw',
          domains: ['travel'],
        })
      ).token,
    );
    await callFromWindow(window.page, 'agents.create', { name: 'claude-code', domains: [AREA] });
    const line = await HubClient.connect(desktop.home);
    ends.push(() => line.close());
    await callFromWindow(window.page, 'hub.setPassphrase', { passphrase: PASSPHRASE });
    const { token } = await line.call('hub.login', { passphrase: PASSPHRASE });
    const browser = await openBrowser(desktop.computer);
    ends.push(() => browser.close());
    beside = await tab(browser, (await line.withToken(token).call('hub.loginCode', {})).url);
  }, 120_000);
  afterAll(endAll, 60_000);
  beforeEach(() => {
    onTestFailed(async () => {
      for (const page of [window, beside])
        process.stderr.write(`${await page.told().catch(String)}\n`);
      process.stderr.write(desktop.app.output.join(''));
    });
  });

  const outside = async () => {
    const { tray, badge, notifications } = await desktop.app.state();
    return {
      toolTip: tray?.toolTip,
      badge,
      open: notifications.filter(({ shown, closed }) => shown && !closed).map(({ title }) => title),
    };
  };

  it('a decision in the tab clears the tray, the badge, the notification and the card in the window', async () => {
    await ask(asking, 'Say that dinner is at 7');
    await expect
      .poll(outside)
      .toEqual({ toolTip: trayTitle(1), badge: 1, open: [requestNotification('Mum’s PC').title] });
    for (const page of [window, beside]) await page.card('dinner').waitFor();
    await beside.allowByMouse('dinner');
    await window.decided('dinner').getByText(didIt('Mum', 'allowed')).waitFor();
    await window.row('dinner').getByText(common.surfaces.browser).first().waitFor();
    await expect.poll(outside).toEqual({ toolTip: trayTitle(0), badge: 0, open: [] });
    for (const page of [window, beside]) await expect.poll(() => page.waitingInRail()).toBeNull();
  });

  it('the window is first although the tab was pressed before, and the tab says so', async () => {
    await ask(asking, 'Say that it is pizza');
    const press = await holdDecision(beside.page);
    const release = await press(beside.allowButton('pizza'));
    await window.declineByMouse('pizza');
    await window.decided('pizza').getByText(didIt('Mum', 'declined')).waitFor();
    release();
    const row = beside.page.getByRole('article').filter({ hasText: 'pizza' });
    await row.getByText(now.decided.second).waitFor();
    await row.getByRole('heading', { name: didIt('Mum', 'declined') }).waitFor();
    await expect.poll(outside).toEqual({ toolTip: trayTitle(0), badge: 0, open: [] });
  });
});
