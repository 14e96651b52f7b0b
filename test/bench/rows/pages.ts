// P15: the pages of a hub with a long past and much to decide, in Chromium: how soon they are
// drawn, how soon they answer a person, how smoothly they scroll, and what stays in memory.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { HouseholdPage } from '../../e2e/household-pages.ts';
import { openBrowser } from '../../lan/browser.ts';
import type { HubProcess } from '../../lan/hub-process.ts';
import { BenchHubs } from '../bench-hubs.ts';
import { pageMinutes, sized } from '../effort.ts';
import type { PagesPlan } from '../pages-worker.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, quantile, row, type Part, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const TITLE = 'pages of a hub with a long past, in Chromium';
const PLAN: PagesPlan = {
  decided: sized({ full: 10_000, quick: 50 }),
  pending: 50,
  messages: sized({ full: 100_000, quick: 1_000 }),
  peers: 128,
};
const WORKER = join(import.meta.dirname, '..', 'pages-worker.ts');
const HOOKS = new URL('../../support/raw-imports.mjs', import.meta.url).href;
const SIZE = { width: 1280, height: 820 };
const FRAME_MS = 16;
const SCROLL_STEPS = sized({ full: 120, quick: 20 });
const SCROLL_STEP_PIXELS = 60;
const SCREENS = ['conversations', 'people', 'feed', 'rules', 'agents', 'settings', 'now'] as const;
const TYPED = 'the garden';
/** The least that the browser tells of; an answer that it does not tell of was quicker. */
const TOLD_FROM_MS = 16;

export async function measureP15(): Promise<Row> {
  const missing = refusal('build', 'chromium');
  if (missing !== null) return absentRow('P15', TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const hub = await hubs.start('pages');
    // Sets the owner passphrase, which stays.
    await hub.owner();
    await hub.kill('SIGTERM');
    await fill(hub.home);
    await hub.restart();
    const browser = await hubs.keep(openBrowser(hubs.computer));
    const page = await openPage(browser, hub);
    const parts = [
      await paintPart(page),
      await inputPart(page),
      await scrollPart(browser, page),
      await memoryPart(page),
    ];
    const { audit } = (await (await hub.owner()).call('hub.whoami', {})).hub;
    if (audit === 'tampered' || audit === 'restored')
      throw new Error(`the pages were those of a hub whose audit log is ${audit}`);
    return row('P15', `${TITLE}: ${textOf(PLAN)}`, parts);
  });
}

function textOf({ decided, pending, messages, peers }: PagesPlan): string {
  return `${pending} pending and ${decided} decided, ${messages} messages, ${peers} peers`;
}

/** What is there afterwards is what was wanted; a decision takes messages of its own. */
async function fill(home: string): Promise<void> {
  const flags = ['--no-warnings', '--import', HOOKS, WORKER, home, JSON.stringify(PLAN)];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const found: PagesPlan = JSON.parse(stdout);
  const isThere =
    found.decided === PLAN.decided &&
    found.pending === PLAN.pending &&
    found.messages >= PLAN.messages &&
    found.peers === PLAN.peers;
  if (!isThere) throw new Error(`the store holds ${textOf(found)}, not ${textOf(PLAN)}`);
}

/** Logged in, with what watches it from before its first line on. */
async function openPage(browser: Browser, hub: HubProcess): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZE });
  await page.addInitScript(watch);
  await page.goto(await hub.loginLink());
  const household = new HouseholdPage(page);
  await household.shown();
  const waiting = await household.waitingInRail();
  if (waiting !== String(PLAN.pending)) throw new Error(`the rail says that ${waiting} wait`);
  return page;
}

declare global {
  interface Window {
    /** When the first card was on the screen. */
    benchPaintedMs?: number;
    /** The longest answer to each input that the browser tells of, by its number. */
    benchInputsMs?: Map<number, number>;
  }
}

/** Runs in the page. */
function watch(): void {
  const inputs = (window.benchInputsMs = new Map<number, number>());
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
      if (entry.interactionId > 0)
        inputs.set(
          entry.interactionId,
          Math.max(inputs.get(entry.interactionId) ?? 0, entry.duration),
        );
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  const look = new MutationObserver(() => {
    if (document.querySelector('main article') === null) return;
    look.disconnect();
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => (window.benchPaintedMs = performance.now()));
      port1.start();
      // Comes after the frame that holds the cards.
      port2.postMessage(null);
    });
  });
  look.observe(document, { childList: true, subtree: true });
}

/** From the last byte of the snapshot to the frame with the cards. */
async function paintPart(page: Page): Promise<Part> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS_MIN; round += 1) {
    await page.reload();
    await page.waitForFunction(() => window.benchPaintedMs !== undefined);
    times.push(
      await page.evaluate(() => {
        const [snapshot] = performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.endsWith('/v1/snapshot'));
        const { responseEnd } = snapshot as PerformanceResourceTiming;
        return (window.benchPaintedMs ?? NaN) - responseEnd;
      }),
    );
  }
  const goal = { name: 'first paint after the data', unit: 'ms', bound: 'at most', target: 100 };
  return part({ ...goal, bound: 'at most' }, times, `each after a reload`);
}

/** Goes through all screens and types a search, as a person does. */
async function useAll(page: Page): Promise<number> {
  const household = new HouseholdPage(page);
  let inputs = 0;
  for (const screen of SCREENS) {
    await household.open(screen);
    await page.locator('main h1').first().waitFor();
    inputs += 1;
    if (screen !== 'conversations') continue;
    const box = page.getByRole('searchbox').first();
    await box.click();
    await box.pressSequentially(TYPED, { delay: 30 });
    await box.press('Escape');
    inputs += TYPED.length + 2;
  }
  return inputs;
}

async function inputPart(page: Page): Promise<Part> {
  const p95s: number[] = [];
  const all: number[] = [];
  let inputs = 0;
  for (let round = 0; round < ROUNDS_MIN; round += 1) {
    await page.evaluate(() => window.benchInputsMs?.clear());
    inputs = await useAll(page);
    const told = await page.evaluate(() => [...(window.benchInputsMs?.values() ?? [])]);
    const quick = Array.from({ length: Math.max(0, inputs - told.length) }, () => TOLD_FROM_MS);
    const times = [...told, ...quick].toSorted((one, other) => one - other);
    p95s.push(quantile(times, 0.95));
    all.push(...times);
  }
  const detail = `longest ${Math.max(...all)} ms; ${inputs} clicks and keys a round, in steps of 8 ms by the browser's own count`;
  return part(
    { name: 'input to paint, p95', unit: 'ms', bound: 'at most', target: 50 },
    p95s,
    detail,
  );
}

/** The frames while the wheel turns: p95 of the time between two. */
async function scrolled(page: Page): Promise<number> {
  await page.mouse.move(SIZE.width / 2, SIZE.height / 2);
  const frames = await page.evaluateHandle(() => {
    const seen: { times: number[]; scrolls: number } = { times: [], scrolls: 0 };
    const frame = (atMs: number): void => {
      seen.times.push(atMs);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    addEventListener('scroll', () => (seen.scrolls += 1), { capture: true });
    return seen;
  });
  for (let step = 0; step < SCROLL_STEPS; step += 1) {
    // Down, and up again.
    const pixels = step < SCROLL_STEPS / 2 ? SCROLL_STEP_PIXELS : -SCROLL_STEP_PIXELS;
    await page.mouse.wheel(0, pixels);
    await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
  }
  const { times, scrolls } = await frames.jsonValue();
  if (scrolls === 0) throw new Error('nothing scrolled');
  const between = times.slice(1).map((atMs, index) => atMs - (times[index] ?? NaN));
  return quantile(
    between.toSorted((one, other) => one - other),
    0.95,
  );
}

async function scrollPart(browser: Browser, page: Page): Promise<Part> {
  const [p95s, emptyP95s]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS_MIN; round += 1) {
    const empty = await browser.newPage({ viewport: SIZE });
    await empty.setContent('<div style="height: 50000px"></div>');
    emptyP95s.push(await scrolled(empty));
    await empty.close();
    await page.bringToFront();
    await page.reload();
    await page.locator('main article').first().waitFor();
    p95s.push(await scrolled(page));
  }
  const emptyMs = median(emptyP95s);
  const target = Math.round(Math.max(34, 1.5 * emptyMs) * 10) / 10;
  return part(
    { name: 'frame while scrolling, p95', unit: 'ms', bound: 'at most', target },
    p95s,
    `an empty page ${emptyMs.toFixed(1)} ms, of which 1.5 times, or 34 ms, is allowed`,
  );
}

/** What the page holds once its garbage is collected, after the minutes against before. */
async function memoryPart(page: Page): Promise<Part> {
  const session = await page.context().newCDPSession(page);
  await useAll(page);
  const beforeMb = await heapMb(session);
  const untilMs = performance.now() + pageMinutes * 60_000;
  let times = 0;
  do {
    await useAll(page);
    times += 1;
  } while (performance.now() < untilMs);
  const afterMb = await heapMb(session);
  const goal = {
    name: `memory grown in ${pageMinutes} minutes of use`,
    unit: 'MB',
    bound: 'at most',
    target: 20,
  } as const;
  const detail = `${beforeMb.toFixed(1)} to ${afterMb.toFixed(1)} MB, ${times} times through all screens`;
  return part(goal, [afterMb - beforeMb], detail);
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}
