// One end, one word: what became of each request reads alike for whoever asked and whoever decided,
// on the pages in Chromium and at a terminal.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { story } from '../../preload/contract/strings/story.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { doWork } from './agent-line.ts';
import { didIt } from './card-reader.ts';
import { HouseholdPage } from './household-pages.ts';
import { pairByApi } from './pair-by-api.ts';

const REASON = 'Not before homework';
const { now } = ENGLISH;
const HEADS = {
  completed: story.done.task,
  declined: story.declined,
  expired: story.expired,
  // The asker knows that nobody had begun, and the hub that was asked that nobody had decided.
  cancelled: 'Cancelled: nobody had',
  failed: story.failed,
} as const;
type Ended = keyof typeof HEADS;
const EXPIRED = /(Nobody here|No person at .*) decided in time\. No agent got it\./;

interface Place {
  readonly hub: HubProcess;
  readonly owner: HubApi;
  readonly page: HouseholdPage;
}

describe.skipIf(!hasRealPart('chromium'))('a household of three', () => {
  const computers: ThisComputer[] = [];
  const browsers: Browser[] = [];
  const hubs: HubProcess[] = [];
  let dad: Place;
  let mum: Place;
  let kid: Place;
  let asker: { readonly api: HubApi; readonly token: string };
  let worker: HubApi;

  async function start(name: string, person: string): Promise<Place> {
    const computer = new ThisComputer(name);
    computers.push(computer);
    const hub = await HubProcess.start(computer, { name, flags: ['--discovery', 'off'] });
    hubs.push(hub);
    const owner = await hub.owner();
    await owner.call('settings.update', { person });
    const browser = await openBrowser(computer);
    browsers.push(browser);
    const page = new HouseholdPage(
      await browser.newPage({ viewport: { width: 1280, height: 820 } }),
    );
    await page.page.goto(await hub.loginLink());
    await page.shown();
    return { hub, owner, page };
  }

  beforeAll(async () => {
    dad = await start('Dad’s laptop', 'Dad');
    mum = await start('Mum’s PC', 'Mum');
    kid = await start('Leo’s tablet', 'Leo');
    await pairByApi(dad.owner, mum.owner, { asking: 'Dad’s laptop', asked: 'Mum’s PC' });
    await pairByApi(dad.owner, kid.owner, { asking: 'Dad’s laptop', asked: 'Leo’s tablet' });
    const asking = await dad.owner.call('agents.create', { name: 'openclaw', domains: ['travel'] });
    asker = { api: dad.hub.api.withToken(asking.token), token: asking.token };
    const working = await mum.owner.call('agents.create', {
      name: 'claude-code',
      domains: ['family.chat'],
    });
    worker = mum.hub.api.withToken(working.token);
    await kid.owner.call('agents.create', { name: 'homework', domains: ['family.chat'] });
  }, 180_000);

  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    await Promise.all(hubs.map((hub) => hub.remove()));
    await Promise.all(computers.map((computer) => computer.close()));
  });

  /** Types the name with a straight apostrophe, as keyboards have it. */
  const ask = async (to: string, task: string, deadlineMs?: number): Promise<string> =>
    (
      await asker.api.call('send.delegate', {
        to: to.replaceAll('’', "'"),
        task,
        domain: 'family.chat',
        ...(deadlineMs === undefined ? {} : { deadline_ms: deadlineMs }),
      })
    ).id;

  async function declineWithReason({ page }: Place, task: string): Promise<void> {
    const card = page.card(task);
    await card.getByRole('button', { name: now.withReason }).click();
    await page.page.getByRole('radio', { name: now.why.own }).check();
    await page.page.getByLabel(now.why.ownLabel).fill(REASON);
    await page.page.getByRole('button', { name: now.why.decline }).click();
  }

  interface Story {
    readonly to: () => Place;
    readonly name: string;
    readonly person: string;
    readonly state: Ended;
    /** What the decision is called; null where nobody decided. */
    readonly decision: 'allowed' | 'declined' | 'expired' | null;
    readonly end: (there: Place, task: string, id: string) => Promise<unknown>;
    readonly deadlineMs?: number;
  }
  const STORIES: readonly Story[] = [
    {
      to: () => mum,
      name: 'Mum’s PC',
      person: 'Mum',
      state: 'completed',
      decision: 'allowed',
      end: async ({ page }, task) => {
        await page.allowByMouse(task);
        await doWork(worker, 'Told them.');
      },
    },
    {
      to: () => mum,
      name: 'Mum’s PC',
      person: 'Mum',
      state: 'declined',
      decision: 'declined',
      end: declineWithReason,
    },
    {
      to: () => kid,
      name: 'Leo’s tablet',
      person: 'Leo',
      state: 'declined',
      decision: 'declined',
      end: declineWithReason,
    },
    {
      to: () => mum,
      name: 'Mum’s PC',
      person: 'Mum',
      state: 'expired',
      decision: 'expired',
      deadlineMs: 4_000,
      end: () => Promise.resolve(),
    },
    {
      to: () => kid,
      name: 'Leo’s tablet',
      person: 'Leo',
      state: 'cancelled',
      decision: null,
      end: (_there, _task, id) => asker.api.call('tasks.cancel', { id, reason: 'Plans changed' }),
    },
  ];

  it.each(STORIES)(
    '$name: a request that ends as $state',
    { timeout: 120_000 },
    async ({ to, name, person, state, decision, end, deadlineMs }) => {
      const there = to();
      onTestFailed(async () => {
        process.stderr.write(
          `Dad: ${await dad.page.told()}\n${name}: ${await there.page.told()}\n`,
        );
      });
      const task = `Tell the family chat: ${state}, ${person}`;
      await there.page.open('now');
      const id = await ask(name, task, deadlineMs);
      await there.page.card(task).waitFor();
      await end(there, task, id);
      await expect
        .poll(async () => (await asker.api.call('tasks.get', { id })).state, { timeout: 20_000 })
        .toBe(state);

      for (const place of [dad, there]) {
        const pane = await place.page.history(task);
        await pane.getByText(task).first().waitFor();
        const row = place.page.page.getByRole('link').filter({ hasText: task }).locator('.state');
        await expect.poll(() => row.textContent()).toContain(HEADS[state]);
        if (decision !== null) {
          const told = decision === 'expired' ? EXPIRED : didIt(person, decision);
          await pane.getByText(told).first().waitFor();
        }
        if (decision === 'declined') await pane.getByText(REASON).first().waitFor();
        const shown = await pane.innerText();
        for (const [other, head] of Object.entries(HEADS)) {
          if (other !== state)
            expect(shown, `${place === dad ? 'Dad' : name} is told of no other end`).not.toContain(
              head,
            );
        }
        expect(await place.page.feed(), 'the feed tells of no request').not.toContain(task);
      }

      const { output } = await dad.hub.axon(['tasks', id], { AXON_TOKEN: asker.token });
      expect(output.split('\n')[0]).toContain(HEADS[state]);
      if (decision === 'allowed' || decision === 'declined')
        expect(output).toContain(`${person} ${decision} it, on ${name}.`);
      if (decision === 'declined') expect(output).toContain(REASON);
      if (decision === 'expired') expect(output).toContain(`No person at ${name} decided in time.`);
    },
  );
});
