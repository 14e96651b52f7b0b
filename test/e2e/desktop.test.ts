// The same story through the built desktop bundles, in a real Electron where one was fetched, else on
// its double with real Chromium windows and the real preload script: what the tray, its menu and its popover, the badge, the
// notification and the card say at each step, and that a request never takes the screen.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import {
  closedWords,
  requestNotification,
  trayTitle,
  trayWords,
} from '../../preload/contract/desktop-strings.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import type { ShownItem } from '../fakes/electron/control.ts';
import type { HubApi } from '../lan/hub-process.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { doWork, nextItem } from './agent-line.ts';
import { didIt } from './card-reader.ts';
import { callFromWindow, DesktopComputer } from './desktop-computer.ts';
import { HouseholdPage, pairByPages } from './household-pages.ts';

const DINNER = 'Tell the family chat that dinner is at 7';
const DINNER_DONE = 'Sent to the family chat.';
const PIZZA = 'Tell the family chat that it is pizza';
const PLANTS = 'Ask the family chat who waters the plants';
const { attention, common, now, people, rules, settings } = ENGLISH;

/** What the desktop says outside its window. */
async function outside(computer: DesktopComputer): Promise<unknown> {
  const { tray, badge, notifications } = await computer.app.state();
  return {
    toolTip: tray?.toolTip,
    first: tray?.menu.slice(0, 1).map(({ label, enabled }) => ({ label, enabled })),
    icon: tray?.image.includes('waiting') === true ? 'waiting' : 'quiet',
    badge,
    notifications: notifications.map(({ title, body, shown, closed }) => ({
      title,
      body,
      open: shown && !closed,
    })),
  };
}

function saying(count: number, notifications: readonly { readonly open: boolean }[]): unknown {
  return {
    toolTip: trayTitle(count),
    first: [{ label: trayWords.waiting(count), enabled: count > 0 }],
    icon: count > 0 ? 'waiting' : 'quiet',
    badge: count,
    notifications: notifications.map(({ open }) => ({
      ...requestNotification('Dad’s laptop'),
      open,
    })),
  };
}

/** The menu of the tray as a person reads it. */
async function menuOf({ app }: DesktopComputer): Promise<readonly string[]> {
  const lines = (items: readonly ShownItem[], indent: string): readonly string[] =>
    items.flatMap(({ label, enabled, submenu }) => [
      `${indent}${label === '' ? '---' : label}${enabled ? '' : ' (off)'}`,
      ...lines(submenu, `${indent}  `),
    ]);
  return lines((await app.state()).tray?.menu ?? [], '');
}

/** A desktop whose session bus says that nothing takes the icons of programs. */
async function withoutTray(home: string): Promise<Readonly<Record<string, string>>> {
  const folder = join(home, 'programs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'gdbus'), '#!/bin/sh\necho "(false,)"\n', { mode: 0o755 });
  return { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

async function theWindow(
  computer: DesktopComputer,
): Promise<{ readonly visible: boolean; readonly focused: boolean; readonly raised: number }> {
  const { windows } = await computer.app.state();
  const [window] = windows;
  if (window === undefined || windows.length > 1) throw new Error(`${windows.length} windows`);
  const { visible, focused, raised } = window;
  return { visible, focused, raised };
}

describe.skipIf(!hasRealPart('chromium'))('two computers with the desktop app', () => {
  let dad: DesktopComputer;
  let mum: DesktopComputer;
  let dadPage: HouseholdPage;
  let mumPage: HouseholdPage;
  let openclaw: HubApi;
  let claude: HubApi;
  let claudeToken = '';

  beforeAll(async () => {
    [dad, mum] = [
      await DesktopComputer.start('Dad’s laptop', withoutTray, { mayBeReal: true }),
      await DesktopComputer.start('Mum’s PC', undefined, { mayBeReal: true }),
    ];
    [dadPage, mumPage] = [await dad.window(), await mum.window()];
    await callFromWindow(mumPage.page, 'settings.update', { person: 'Mum' });
    const asking = await callFromWindow(dadPage.page, 'agents.create', {
      name: 'openclaw',
      domains: ['travel'],
    });
    const working = await callFromWindow(mumPage.page, 'agents.create', {
      name: 'claude-code',
      domains: ['family.chat'],
    });
    claudeToken = working.token;
    [openclaw, claude] = [await dad.agent(asking.token), await mum.agent(working.token)];
  }, 120_000);

  afterAll(() => Promise.all([dad.remove(), mum.remove()]), 60_000);

  beforeEach(() => {
    onTestFailed(async () => {
      for (const page of [dadPage, mumPage])
        process.stderr.write(`${await page.told().catch(String)}\n`);
      for (const { app } of [dad, mum]) process.stderr.write(`${app.output.join('')}\n`);
    });
  });

  const delegate = (task: string) =>
    openclaw.call('send.delegate', { to: 'Mum’s PC', task, domain: 'family.chat' });

  it('pairs through both windows, with an address and a key typed by hand', async () => {
    const { hub } = await callFromWindow(mumPage.page, 'hub.whoami', {});
    await dadPage.openAddPage();
    await mumPage.openAddPage();
    await dadPage.addByAddress(`127.0.0.1:${hub.peer_port ?? ''}`, hub.public_key ?? '');
    await pairByPages(
      { page: dadPage, callsOther: { hub: 'Mum’s PC', person: 'Mum' } },
      { page: mumPage, callsOther: { hub: 'Dad’s laptop', person: 'Dad' } },
    );
    expect(await dadPage.safetyNumber()).toBe(await mumPage.safetyNumber());
    expect(await outside(mum)).toEqual(saying(0, []));
  });

  it('closing the window hides it and the hub goes on, which is told the first time only', async () => {
    const before = await theWindow(mum);
    expect(before).toMatchObject({ visible: true, focused: true });
    await mum.app.ask('window-close');
    expect(await theWindow(mum)).toEqual({ visible: false, focused: false, raised: before.raised });
    const boxes = async () => (await mum.app.state()).boxes;
    await expect.poll(boxes).toMatchObject([closedWords(true)]);
    await mum.app.ask('menu-click', trayWords.open);
    await expect.poll(() => theWindow(mum)).toMatchObject({ visible: true });
    await mum.app.ask('window-close');
    expect(await boxes()).toHaveLength(1);
    expect((await claude.call('hub.whoami', {})).token.agent).toBe('claude-code');
  });

  it.skipIf(process.platform !== 'linux')(
    'on a desktop that shows no icons the window is minimised instead, and carries the menu',
    async () => {
      const state = async () => {
        const { windows, boxes } = await dad.app.state();
        const [
          { visible, minimised, hasMenu } = { visible: false, minimised: false, hasMenu: false },
        ] = windows;
        return { visible, minimised, hasMenu, boxes: boxes.length };
      };
      expect(await state()).toEqual({ visible: true, minimised: false, hasMenu: true, boxes: 0 });
      await dad.app.ask('window-close');
      await expect.poll(state).toEqual({ visible: true, minimised: true, hasMenu: true, boxes: 1 });
      expect((await dad.app.state()).boxes).toMatchObject([closedWords(false)]);
      expect(await dad.launch([]).exited).toBe(0);
      await expect.poll(state).toMatchObject({ visible: true, minimised: false });
    },
  );

  it('a request shows in tray, badge, one notification and the card, and neither raises nor focuses the window', async () => {
    await mumPage.open('people');
    const before = await theWindow(mum);
    expect(await delegate(DINNER)).toMatchObject({ state: 'awaiting_approval' });
    await expect.poll(() => outside(mum)).toEqual(saying(1, [{ open: true }]));
    await expect.poll(() => mumPage.waitingInRail()).toBe('1');
    expect(await theWindow(mum)).toEqual(before);
    // A second one within the minute counts, and rings no second bell.
    expect(await delegate(PIZZA)).toMatchObject({ state: 'awaiting_approval' });
    await expect.poll(() => outside(mum)).toEqual(saying(2, [{ open: true }]));
    await expect.poll(() => mumPage.waitingInRail()).toBe('2');
    expect(await theWindow(mum)).toEqual(before);
    expect(JSON.stringify(await outside(mum))).not.toMatch(/dinner|pizza|openclaw/i);
    expect(await outside(dad)).toEqual(saying(0, []));
    expect(await menuOf(mum)).toEqual([
      '2 requests wait for you',
      'Dad’s laptop: a task',
      'Dad’s laptop: a task',
      '---',
      'Online: 1 of 1 hubs',
      '  Dad’s laptop: online',
      '---',
      'Pause for an hour',
      'Pause until tonight',
      'Pause until I resume',
      'Stop everything',
      '---',
      'Open AXON Hub',
      'Settings',
      'Quit AXON Hub (other hubs will see it as offline)',
    ]);
  });

  it('a click on the notification shows the window with the card and decides nothing', async () => {
    const { raised } = await theWindow(mum);
    await mum.app.ask('notification-click', 0);
    expect(await theWindow(mum)).toEqual({ visible: true, focused: true, raised: raised + 1 });
    await mumPage.card(DINNER).waitFor();
    await mumPage.card(PIZZA).waitFor();
    expect(await callFromWindow(mumPage.page, 'approvals.list', {})).toMatchObject({
      items: [{ state: 'pending' }, { state: 'pending' }],
    });
  });

  it('each decision clears card, tray, badge and its notification together', async () => {
    await mumPage.allowByMouse(DINNER);
    await mumPage.decided(DINNER).getByText(didIt('Mum', 'allowed')).waitFor();
    await expect.poll(() => outside(mum)).toEqual(saying(1, [{ open: false }]));
    await expect.poll(() => mumPage.waitingInRail()).toBe('1');
    await mumPage.declineByMouse(PIZZA);
    await mumPage.decided(PIZZA).getByText(didIt('Mum', 'declined')).waitFor();
    await expect.poll(() => outside(mum)).toEqual(saying(0, [{ open: false }]));
    await expect.poll(() => mumPage.waitingInRail()).toBeNull();
  });

  it('what was allowed is done and reported, what was declined is told, and both histories have it', async () => {
    expect((await doWork(claude, DINNER_DONE)).approval).toMatchObject({
      by: 'Mum',
      surface: 'window',
    });
    expect((await claude.call('inbox.claim', { max: 8 })).items).toEqual([]);
    const reports = [await nextItem(openclaw, 'result'), await nextItem(openclaw, 'result')].map(
      ({ untrusted }) => untrusted.payload,
    );
    expect(reports).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ status: 'completed', outcome: DINNER_DONE }),
        expect.objectContaining({ status: 'failed', code: 'rejected' }),
      ]),
    );
    for (const page of [dadPage, mumPage])
      await (await page.history(DINNER)).getByText(DINNER_DONE).first().waitFor();
  });

  it('a request is kept open, put off and asked for again at the window', async () => {
    await mumPage.open('now');
    await delegate(PLANTS);
    const card = mumPage.card(PLANTS);
    const waiting = async () =>
      (await callFromWindow(mumPage.page, 'approvals.list', { state: 'pending' })).items[0];
    await card.waitFor();
    const before = await waiting();
    if (before === undefined) throw new Error('nothing waits');
    await card.getByRole('button', { name: rules.more }).click();
    await card.getByRole('button', { name: new RegExp(`^${attention.keepOpen}`) }).click();
    await expect
      .poll(async () => ((await waiting())?.expires_at ?? 0) > before.expires_at)
      .toBe(true);
    await card.getByRole('button', { name: attention.laterSpoken }).click();
    await expect.poll(async () => (await outside(mum)) as object).toMatchObject({ badge: 0 });
    await mumPage.page.getByRole('button', { name: attention.showSpoken('Dad’s laptop') }).click();
    await mumPage.declineByMouse(PLANTS);
    await mumPage.decided(PLANTS).getByText(didIt('Mum', 'declined')).waitFor();
  });

  it('a pause begins at the tray or at the window, and ends at either', async () => {
    const menu = async () => (await mum.app.state()).tray?.menu.map(({ label }) => label) ?? [];
    const paused = mumPage.page.getByText(attention.pausedDetail).first();
    await mum.app.ask('menu-click', trayWords.pauseHour);
    await expect.poll(menu).toContain(trayWords.paused);
    await paused.waitFor();
    await mumPage.page.getByRole('button', { name: attention.goOn, exact: true }).click();
    await expect.poll(menu).toContain(trayWords.pauseHour);
    await mumPage.page.getByRole('button', { name: attention.pause, exact: true }).click();
    await mumPage.page.getByRole('button', { name: attention.pauseFor.open, exact: true }).click();
    await expect.poll(menu).toContain(trayWords.paused);
    await mum.app.ask('menu-click', trayWords.goOn);
    await expect.poll(menu).toContain(trayWords.pauseHour);
    await paused.waitFor({ state: 'detached' });
  });

  describe('the popover of the tray', () => {
    const BINS = ['paper', 'glass', 'metal', 'wood'].map((what) => `Remind us of the ${what} bin`);
    const thePopover = async () => {
      const { popovers } = await mum.app.state();
      expect(popovers.length).toBeLessThan(2);
      return popovers[0];
    };
    let popover: HouseholdPage;

    it('opens beside the icon with the first three requests in full when a person presses it, and never by itself', async () => {
      await mum.app.ask('window-close');
      const { raised } = await theWindow(mum);
      for (const task of BINS)
        expect(await delegate(task)).toMatchObject({ state: 'awaiting_approval' });
      await expect.poll(() => outside(mum)).toMatchObject({ badge: BINS.length });
      expect(await thePopover()).toBeUndefined();
      await mum.app.ask('tray-click');
      popover = new HouseholdPage(await mum.app.popover());
      await popover.page.getByRole('heading', { name: now.needYou(BINS.length) }).waitFor();
      const cards = popover.page.getByRole('article');
      await cards.nth(2).waitFor();
      const texts = await cards.allInnerTexts();
      expect(texts).toHaveLength(3);
      for (const [at, text] of texts.entries()) {
        expect(text).toContain(BINS[at]);
        for (const word of [now.decline, now.allowOnce, 'Dad’s laptop', rules.more])
          expect(text).toContain(word);
      }
      expect(await thePopover()).toMatchObject({
        visible: true,
        focused: true,
        bounds: { width: 380, height: 720 },
      });
      expect(await theWindow(mum)).toEqual({ visible: false, focused: false, raised });
    });

    it('decides as the window does, behind the same wait', async () => {
      const [paper = '', glass = '', , wood = ''] = BINS;
      // The fourth stands there only once another has left, and cannot be pressed at once.
      expect(await popover.card(wood).count()).toBe(0);
      await popover.allowByMouse(paper);
      await popover.decided(paper).getByText(didIt('Mum', 'allowed')).waitFor();
      await expect.poll(() => outside(mum)).toMatchObject({ badge: 3 });
      await expect.poll(() => mumPage.waitingInRail()).toBe('3');
      await popover.page.mouse.move(0, 0);
      await popover.card(wood).waitFor();
      expect(await popover.allowButton(wood).getAttribute('aria-disabled')).toBe('true');
      await popover.declineByMouse(glass);
      await popover.decided(glass).getByText(didIt('Mum', 'declined')).waitFor();
      expect((await doWork(claude, 'Reminded.')).approval).toMatchObject({ surface: 'window' });
    });

    it('goes when a person turns elsewhere, presses the icon, Escape or Open, and when the screen is locked', async () => {
      const isShown = async () => (await thePopover())?.visible;
      const reopen = async () => {
        // A press soon after it has gone is the one that made it go.
        await expect
          .poll(async () => {
            if ((await isShown()) !== true) await mum.app.ask('tray-click');
            return isShown();
          })
          .toBe(true);
      };
      for (const question of ['popover-blur', 'tray-click'] as const) {
        await mum.app.ask(question);
        expect(await isShown(), question).toBe(false);
        await reopen();
      }
      await mum.app.ask('power', 'lock-screen');
      expect(await isShown()).toBe(false);
      await mum.app.ask('power', 'unlock-screen');
      await reopen();
      await popover.page.keyboard.press('Escape');
      await expect.poll(isShown).toBe(false);
      await reopen();
      const { raised } = await theWindow(mum);
      await popover.page.getByRole('button', { name: now.openWindow }).click();
      await expect.poll(() => theWindow(mum)).toMatchObject({ visible: true, raised: raised + 1 });
      expect(await isShown()).toBe(false);
      for (const task of BINS.slice(2)) await mumPage.declineByMouse(task);
      await popover.page.getByRole('heading', { name: now.empty.title }).waitFor();
      expect(await isShown()).toBe(false);
    });
  });

  it('E20: a link that somebody opens stands in the form and does nothing by itself', async () => {
    const link = `axon://${'A'.repeat(43)}@192.0.2.7:7100`;
    const { addPage } = people;
    const known = async () =>
      (await callFromWindow(mumPage.page, 'peers.list', {})).items.map(({ name }) => name);
    const field = mumPage.page.getByLabel(addPage.addressLabel, { exact: true });
    const button = mumPage.page.getByRole('button', { name: addPage.addressAdd });
    await mum.app.ask('window-close');
    expect(await mum.launch([`axon://approve?id=1`]).exited).toBe(0);
    await expect.poll(() => theWindow(mum)).toMatchObject({ visible: true });
    expect(await field.count()).toBe(0);
    expect(await mum.launch(['--hidden', link]).exited).toBe(0);
    await field.waitFor();
    expect(await field.inputValue()).toBe(link);
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(false);
    await mumPage.page.getByText(addPage.linkOpened).waitFor();
    await button.waitFor();
    expect(await known()).toEqual(['Dad’s laptop']);
    const { pairing_window: door } = await callFromWindow(mumPage.page, 'hub.snapshot', {});
    expect(door.open).toBe(false);
    await mumPage.page.getByText(addPage.closed).waitFor();
    await mumPage.page.getByRole('button', { name: common.cancel, exact: true }).click();
    await mum.app.ask('open-url', link);
    await expect.poll(() => field.inputValue()).toBe(link);
    await mumPage.open('now');
    await mumPage.open('people');
    await mumPage.openAddPage();
    expect(await field.count()).toBe(0);
    await mumPage.open('now');
  });

  it('a window on a screen that is gone comes back to one that is there', async () => {
    const bounds = async () => (await mum.app.state()).windows[0]?.bounds;
    await mum.app.ask('window-bounds', { x: 2_100, y: 60, width: 1_180, height: 800 });
    await mum.app.ask('screens', [{ workArea: { x: 0, y: 24, width: 1_000, height: 700 } }]);
    expect(await bounds()).toEqual({ x: 0, y: 24, width: 1_000, height: 700 });
    await mum.app.ask('window-bounds', { x: 300, y: 60, width: 600, height: 500 });
    await mum.app.ask('screens', [{ workArea: { x: 0, y: 24, width: 1_000, height: 700 } }]);
    expect(await bounds()).toEqual({ x: 300, y: 60, width: 600, height: 500 });
  });

  it('a second start shows the window of the first and ends; the menu shows it too', async () => {
    await mum.app.ask('window-close');
    const { raised } = await theWindow(mum);
    const second = mum.launch([]);
    expect(await second.exited).toBe(0);
    await expect
      .poll(() => theWindow(mum))
      .toEqual({ visible: true, focused: true, raised: raised + 1 });
    await mum.app.ask('window-close');
    await mum.app.ask('menu-click', trayWords.settings);
    await expect.poll(() => theWindow(mum)).toMatchObject({ visible: true, raised: raised + 2 });
    await mumPage.page.getByRole('heading', { name: settings.title, exact: true }).waitFor();
    await mum.app.ask('window-close');
    await mum.app.ask('menu-click', trayWords.open);
    await expect.poll(() => theWindow(mum)).toMatchObject({ visible: true, raised: raised + 3 });
  });

  it('quitting from the menu ends in order; started hidden it is the same hub, and what waits is counted before there is any window', async () => {
    const { hub: before } = await callFromWindow(mumPage.page, 'hub.whoami', {});
    await expect
      .poll(async () => (await openclaw.call('peers.list', {})).items.map(({ online }) => online))
      .toEqual([true]);
    await delegate('Remind everybody of the bins');
    await expect.poll(() => outside(mum)).toMatchObject({ badge: 1 });
    void mum.app.ask('menu-click', trayWords.quit).catch(() => undefined);
    expect(await mum.app.exited).toBe(0);
    expect(existsSync(join(mum.home, 'hub.json'))).toBe(false);
    mum.restart(['--hidden']);
    await expect.poll(() => outside(mum)).toEqual(saying(1, []));
    const { windows, popovers, debuggingPort } = await mum.app.state();
    expect([windows, popovers, debuggingPort]).toEqual([[], [], null]);
    await mum.app.ask('menu-click', trayWords.waiting(1));
    mumPage = await mum.window();
    await expect.poll(() => theWindow(mum)).toEqual({ visible: true, focused: true, raised: 1 });
    const { hub: after } = await callFromWindow(mumPage.page, 'hub.whoami', {});
    expect(after.agent_id).toBe(before.agent_id);
    expect(
      await (await mum.agent(claudeToken)).call('peers.list', { trust: 'paired' }),
    ).toMatchObject({
      items: [{ name: 'Dad’s laptop' }],
    });
    await mumPage.card('Remind everybody of the bins').waitFor();
  });
});
