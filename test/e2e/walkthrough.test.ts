// The walkthrough on two computers: found with nothing configured, paired by what two screens show,
// delegated with the built command, allowed by mouse and by keyboard in Chromium, done, reported,
// and kept in both histories. Two network namespaces with real multicast; where a machine does not
// allow them, one loopback and an address typed by hand.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { Lan, type Computer } from '../lan/namespaces.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { rounds } from '../support/counts.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { doWork, nextItem } from './agent-line.ts';
import { didIt } from './card-reader.ts';
import { HouseholdPage, pairByPages, SHOWN_WITHIN_MS } from './household-pages.ts';

const FOUND_WITHIN_MS = 5_000;
const REPORTED_WITHIN_MS = 1_000;
const DINNER = 'Tell the family chat that dinner is at 7';
const DINNER_DONE = 'Sent to the family chat. Two thumbs up so far.';
const PIZZA = 'Tell the family chat that it is pizza';
const PIZZA_DONE = 'Sent. Everybody is coming.';
const { now } = ENGLISH;
const multicast = hasRealPart('namespaces');

interface Place {
  readonly computer: Computer;
  readonly hub: HubProcess;
  readonly owner: HubApi;
  /** When its API first answered, by performance.now(). */
  readonly answeredAt: number;
}

class Home {
  readonly #lan = multicast ? new Lan(['dad', 'mum']) : null;
  readonly #here: ThisComputer[] = [];
  readonly #hubs: HubProcess[] = [];

  computer(name: 'dad' | 'mum'): Computer {
    if (this.#lan !== null) return this.#lan.host(name);
    const here = new ThisComputer(name);
    this.#here.push(here);
    return here;
  }

  async start(name: 'dad' | 'mum', calls: string): Promise<Place> {
    const computer = this.computer(name);
    const flags = multicast ? [] : ['--discovery', 'off'];
    const hub = await HubProcess.start(computer, { name: calls, flags });
    const answeredAt = performance.now();
    this.#hubs.push(hub);
    return { computer, hub, owner: await hub.owner(), answeredAt };
  }

  async stopHubs(): Promise<void> {
    await Promise.all(this.#hubs.splice(0).map((hub) => hub.remove()));
  }

  async close(): Promise<void> {
    await this.stopHubs();
    await this.#lan?.close();
    await Promise.all(this.#here.map((computer) => computer.close()));
  }
}

describe.skipIf(!multicast)('hubs of two computers with nothing configured', () => {
  const home = multicast ? new Home() : null;
  afterAll(() => home?.close());

  it('every one of the discoveries is within 5 s of the second hub’s first answer, on both sides', async () => {
    if (home === null) return expect.unreachable();
    const count = rounds('discoveries of two fresh hubs', { short: 10, long: 50 });
    const tookMs: number[] = [];
    for (let round = 0; round < count; round += 1) {
      const places = [await home.start('dad', 'Dad’s laptop'), await home.start('mum', 'Mum’s PC')];
      const from = Math.max(...places.map(({ answeredAt }) => answeredAt));
      const keys = await Promise.all(
        places.map(async ({ owner }) => (await owner.call('hub.whoami', {})).hub.public_key),
      );
      for (const [index, { owner }] of places.entries()) {
        const seen = async (): Promise<readonly string[]> =>
          (await owner.call('peers.list', {})).items.map((peer) => peer.public_key);
        await expect
          .poll(seen, { timeout: FOUND_WITHIN_MS, interval: 20 })
          .toEqual([keys[1 - index]]);
      }
      tookMs.push(Math.round(performance.now() - from));
      await home.stopHubs();
    }
    process.stderr.write(
      `the second hub answered, and after so many ms both had seen each other: ${tookMs.join(', ')}\n`,
    );
    expect(tookMs).toHaveLength(count);
    expect(Math.max(...tookMs)).toBeLessThan(FOUND_WITHIN_MS);
  }, 600_000);
});

const setting = multicast
  ? 'on two computers of a home network'
  : 'on one loopback with addresses typed by hand';

describe.skipIf(!hasRealPart('chromium'))(`the walkthrough, ${setting}`, () => {
  const home = new Home();
  const browsers: Browser[] = [];
  let dad: Place;
  let mum: Place;
  let dadPage: HouseholdPage;
  let mumPage: HouseholdPage;
  let openclaw: { readonly api: HubApi; readonly token: string };
  let claude: HubApi;

  async function pageOf(place: Place): Promise<HouseholdPage> {
    const browser = await openBrowser(place.computer);
    browsers.push(browser);
    const page = new HouseholdPage(
      await browser.newPage({ viewport: { width: 1280, height: 820 } }),
    );
    await page.page.goto(await place.hub.loginLink());
    await page.shown();
    return page;
  }

  beforeAll(async () => {
    [dad, mum] = [await home.start('dad', 'Dad’s laptop'), await home.start('mum', 'Mum’s PC')];
    await dad.owner.call('settings.update', { person: 'Dad' });
    await mum.owner.call('settings.update', { person: 'Mum' });
    const asking = await dad.owner.call('agents.create', { name: 'openclaw', domains: ['travel'] });
    openclaw = { api: dad.hub.api.withToken(asking.token), token: asking.token };
    const working = await mum.owner.call('agents.create', {
      name: 'claude-code',
      domains: ['family.chat', 'family.calendar'],
    });
    claude = mum.hub.api.withToken(working.token);
    [dadPage, mumPage] = [await pageOf(dad), await pageOf(mum)];
  }, 120_000);

  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    await home.close();
  });

  beforeEach(() => {
    onTestFailed(async () => {
      process.stderr.write(
        `Dad’s page: ${await dadPage.told()}\nMum’s page: ${await mumPage.told()}\n`,
      );
    });
  });

  const axon = async (words: readonly string[]): Promise<unknown> => {
    const { code, output, transcript } = await dad.hub.axon([...words, '--json'], {
      AXON_TOKEN: openclaw.token,
    });
    if (code !== 0)
      throw new Error(`axon ${words.join(' ')} ended with ${String(code)}\n${transcript}`);
    return JSON.parse(output);
  };
  const delegate = (task: string): Promise<unknown> =>
    axon([
      'delegate',
      'Mum’s PC',
      task,
      '--domain',
      'family.chat',
      '--context',
      '{"location":"home"}',
      '--reason',
      'Dad asked me to',
    ]);
  const taskId = (report: unknown): string => {
    if (
      typeof report !== 'object' ||
      report === null ||
      !('id' in report) ||
      typeof report.id !== 'string'
    )
      throw new Error('no id');
    return report.id;
  };

  it('the page in a browser shows the licences of what it holds', async () => {
    expect(await mumPage.readLicences()).toEqual(
      expect.arrayContaining(['svelte', 'valibot', 'eventsource-parser']),
    );
  });

  it('1 and 2: each shows the other, and two people pair them by digits that are read and typed', async () => {
    await dadPage.openAddPage();
    await mumPage.openAddPage();
    if (!multicast) {
      const { hub } = await mum.owner.call('hub.whoami', {});
      await dadPage.addByAddress(`127.0.0.1:${hub.peer_port ?? ''}`, hub.public_key ?? '');
    } else {
      for (const { nearby } of [mumPage, dadPage]) {
        await nearby.waitFor();
        expect(await nearby.count()).toBe(1);
      }
      await dadPage.add();
    }
    const { six, two } = await pairByPages(
      { page: dadPage, callsOther: { hub: 'Mum’s PC', person: 'Mum' } },
      { page: mumPage, callsOther: { hub: 'Dad’s laptop', person: 'Dad' } },
    );
    expect([six, two]).toEqual([
      expect.stringMatching(/^\d{6}$/),
      expect.stringMatching(/^\d{2}$/),
    ]);
    expect(await dadPage.safetyNumber()).toBe(await mumPage.safetyNumber());
    expect(await dadPage.safetyNumber()).toMatch(/^(\d{5} ){11}\d{5}$/);
    for (const { owner } of [dad, mum]) {
      await expect
        .poll(async () =>
          (await owner.call('peers.list', { trust: 'paired' })).items.map((peer) => peer.online),
        )
        .toEqual([true]);
    }
  });

  it('3 and 4: Dad’s agent sees what Mum’s agents offer and delegates; Mum sees who, what and every word, and allows it by mouse', async () => {
    expect(await axon(['discover', 'Mum’s PC'])).toMatchObject({
      untrusted: { agents: [{ name: 'claude-code', domains: ['family.chat', 'family.calendar'] }] },
    });
    await mumPage.open('now');
    expect(await mumPage.waitingInRail()).toBeNull();
    const report = await delegate(DINNER);
    expect(report).toMatchObject({ state: 'awaiting_approval', chosen: { peer_name: 'Mum’s PC' } });
    const card = mumPage.card(DINNER);
    await card.waitFor();
    expect(await mumPage.waitingInRail()).toBe('1');
    await expect.poll(() => mumPage.page.title()).toBe('(1) AXON Hub');
    const shown = await card.innerText();
    for (const words of [
      'Dad’s laptop',
      'Dad',
      'OpenClaw',
      DINNER,
      'Location',
      'home',
      'Dad asked me to',
      now.notChecked,
    ])
      expect(shown).toContain(words);
    for (const words of [
      now.facts.runsHere('Claude Code'),
      now.risk.R2,
      ENGLISH.story.ifNothing.notDone('Dad’s laptop'),
    ])
      expect(shown).toContain(words);
    expect(await mum.owner.call('approvals.list', {})).toMatchObject({
      items: [{ state: 'pending', text: DINNER }],
    });
    await mumPage.allowByMouse(DINNER);
    await mumPage.decided(DINNER).getByText(didIt('Mum', 'allowed')).waitFor();
    await expect.poll(() => mumPage.waitingInRail()).toBeNull();
    expect(await axon(['tasks', taskId(report)])).toMatchObject({
      id: taskId(report),
      text: DINNER,
    });
  });

  it('5: Mum’s agent has exactly those words and does it; Dad’s agent has the result within a second, once', async () => {
    const at = (): number => performance.now();
    const [{ item, cameAt }, { done, doneAt }] = await Promise.all([
      nextItem(openclaw.api, 'result').then((item) => ({ item, cameAt: at() })),
      doWork(claude, DINNER_DONE).then((done) => ({ done, doneAt: at() })),
    ]);
    expect(done).toMatchObject({
      kind: 'delegate',
      trust: { peer_name: 'Dad’s laptop' },
      approval: { by: 'Mum', surface: 'browser' },
      untrusted: { text: DINNER, origin: { from_agent: 'openclaw' } },
    });
    expect(item.untrusted).toMatchObject({ text: DINNER_DONE, payload: { status: 'completed' } });
    expect(cameAt - doneAt).toBeLessThan(REPORTED_WITHIN_MS);
    await openclaw.api.call('inbox.ack', { delivery: item.delivery_id });
    expect(await axon(['tasks', item.task_id ?? '', '--wait'])).toMatchObject({
      state: 'completed',
      untrusted: { outcome: DINNER_DONE },
    });
    expect(await axon(['inbox'])).toEqual({ items: [], next: null, waiting: 0 });
    expect((await claude.call('inbox.claim', { max: 8 })).items).toEqual([]);
  });

  it('the same by keyboard alone: Enter decides nothing until the button has the focus and is open', async () => {
    await mumPage.open('people');
    const report = await delegate(PIZZA);
    await expect.poll(() => mumPage.waitingInRail(), { timeout: SHOWN_WITHIN_MS }).toBe('1');
    await mumPage.page.keyboard.press('Enter');
    expect(await mum.owner.call('approvals.list', {})).toMatchObject({
      items: [{ state: 'pending', text: PIZZA }],
    });
    await mumPage.allowByKeyboard(PIZZA);
    await mumPage.decided(PIZZA).getByText(didIt('Mum', 'allowed')).waitFor();
    expect((await doWork(claude, PIZZA_DONE)).untrusted.text).toBe(PIZZA);
    expect(await axon(['inbox', '--wait', '10', '--kinds', 'result'])).toMatchObject({
      items: [{ task_id: taskId(report), untrusted: { text: PIZZA_DONE } }],
    });
    expect(await axon(['tasks', taskId(report), '--wait'])).toMatchObject({ state: 'completed' });
  });

  it('6: both histories show the whole of both, with the decision', async () => {
    for (const [task, outcome] of [
      [DINNER, DINNER_DONE],
      [PIZZA, PIZZA_DONE],
    ] as const) {
      const decision = didIt('Mum', 'allowed');
      for (const [page, more] of [
        [dadPage, []],
        [mumPage, [decision, 'OpenClaw']],
      ] as const) {
        const pane = await page.history(task);
        for (const words of [task, outcome, ...more]) await pane.getByText(words).first().waitFor();
        expect(await pane.innerText()).not.toContain(task === DINNER ? PIZZA : DINNER);
      }
    }
  });
});
