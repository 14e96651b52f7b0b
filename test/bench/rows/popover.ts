// P7, P8, P9 and P13 of the desktop app: its built bundles on the double of Electron, hidden, and with
// the popover of the tray open. Counted are the hub's two processes; the double runs in one of them,
// so that their memory and their start hold it as well. The pages are Chromium's, not Electron's.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import { pressAllow, readToEnd } from '../../e2e/card-reader.ts';
import { callFromWindow, DesktopComputer } from '../../e2e/desktop-computer.ts';
import { newIdentity } from '../../integration/quic-test-hub.ts';
import { LightPeer } from '../../support/crowd/light-peer.ts';
import { HubApi } from '../../lan/hub-process.ts';
import { LoopbackClient } from '../../lan/loopback-client.ts';
import { until } from '../../support/until.ts';
import { pairInFolder } from '../bench-hubs.ts';
import { buildDouble } from '../built-double.ts';
import { sized } from '../effort.ts';
import { childrenOf, memoryOfAll } from '../hub-start.ts';
import { processorMs, TICK_MS } from '../processor.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, quantile, row, type Part, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';
import { bareNodeMs } from './start-and-memory.ts';

const ON = 'desktop app on the double of Electron';
const PEERS = 8;
const DOMAIN = 'household.chores';
const START_ROUNDS = sized({ full: 9, quick: 1 });
const IDLE_MS = sized({ full: 10_000, quick: 500 });
const IDLE_ROUND_MS = sized({ full: 60_000, quick: 1_000 });
const OPENED_TIMES = sized({ full: 200, quick: 3 });
/** A decided card keeps its place for five seconds, and longer under the pointer. */
const CLICKS_A_ROUND = sized({ full: 10, quick: 2 });
const LIMIT_MS = 30_000;
const PRESS_TAKEN_WITHIN_MS = 2_000;
/** A press sooner after the popover has gone is the one that made it go. */
const BETWEEN_PRESSES_MS = 300;
const HIDDEN = ['--hidden'];
let double: Promise<string> | undefined;

/** Runs the work beside a desktop app that was started hidden, in a folder of its own. */
async function withApp<T>(work: (app: DesktopComputer) => Promise<T>): Promise<T> {
  double ??= buildDouble();
  const environment = { ELECTRON_DOUBLE: await double };
  const app = await DesktopComputer.start('bench', () => Promise.resolve(environment), {
    parameters: HIDDEN,
  });
  try {
    await answers(app);
    return await work(app);
  } finally {
    await app.remove();
  }
}

/** The same, with so many paired hubs connected, which are reduced to their manners on the wire. */
function withPeers<T>(
  count: number,
  work: (app: DesktopComputer, page: Page, peers: readonly LightPeer[]) => Promise<T>,
): Promise<T> {
  return withApp(async (app) => {
    const identities = Array.from({ length: count }, () => newIdentity());
    await app.app.quit();
    await pairInFolder(
      app.home,
      identities.map(({ keyHex }, number) => ({ keyHex, name: `Peer ${number}` })),
    );
    app.restart(HIDDEN);
    await answers(app);
    const page = await opened(app);
    const hub = await until('the port between hubs', LIMIT_MS, async () => {
      const known = (await callFromWindow(page, 'hub.whoami', {})).hub;
      return known.peer_port === null ? undefined : known;
    });
    const target = {
      keyHex: hub.public_key ?? '',
      agentId: hub.agent_id ?? '',
      host: '127.0.0.1',
      port: hub.peer_port ?? 0,
    };
    const peers: LightPeer[] = [];
    try {
      for (const identity of identities) {
        const peer = new LightPeer(identity, '127.0.0.1', target);
        peers.push(peer);
        await (await peer.start()).connected();
      }
      return await work(app, page, peers);
    } finally {
      for (const peer of peers) await peer.stop();
    }
  });
}

/** From now until the hub's API has answered, ms. */
async function answers({ home }: DesktopComputer): Promise<number> {
  const beganMs = performance.now();
  const file = join(home, 'hub.json');
  const port = await soon('the hub', () =>
    existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { port: number }).port
      : undefined,
  );
  await (await fetch(`http://127.0.0.1:${port}/health`)).arrayBuffer();
  return performance.now() - beganMs;
}

/** The main process and the QUIC process; the browser of the pages is another child. */
function hubProcesses({ app: { pid = 0 } }: DesktopComputer): readonly number[] {
  const isQuic = (child: number): boolean =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('quic.js');
  return [pid, ...childrenOf(pid).filter(isQuic)];
}

async function press({ app }: DesktopComputer): Promise<void> {
  await pause(BETWEEN_PRESSES_MS);
  await app.ask('tray-click');
}

async function opened(app: DesktopComputer): Promise<Page> {
  // It comes after the hub.
  await until('the tray', LIMIT_MS, async () => (await app.app.state()).tray ?? undefined);
  await press(app);
  const page = await app.app.popover();
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

export async function measureP7d(): Promise<Row> {
  const title = `memory of the ${ON}, both processes of its hub`;
  const missing = refusal('build', 'proc', 'chromium');
  if (missing !== null) return absentRow('P7d', title, missing);
  const hidden: number[] = [];
  const grown: number[] = [];
  const rounds = sized({ full: ROUNDS_MIN, quick: 1 });
  for (let round = 0; round < rounds; round += 1)
    await withApp(async (app) => {
      const resident = (): number => memoryOfAll(hubProcesses(app)).residentMb;
      await pause(IDLE_MS);
      hidden.push(resident());
      await opened(app);
      await press(app);
      await pause(IDLE_MS);
      const before = resident();
      // Every other press hides it.
      for (let time = 0; time < 2 * OPENED_TIMES; time += 1) await press(app);
      await pause(IDLE_MS);
      grown.push(resident() - before);
    });
  const goal = { unit: 'MB', bound: 'at most' } as const;
  return row('P7d', title, [
    part(
      { ...goal, name: `hidden, idle for ${IDLE_MS / 1_000} s`, target: 130 },
      hidden,
      'no window was made; the double is in it',
    ),
    part(
      { ...goal, name: `the popover opened ${OPENED_TIMES} times`, target: 40 },
      grown,
      'more than after the first time',
    ),
  ]);
}

export async function measureP8d(): Promise<Row> {
  const title = `start of the ${ON}, hidden, and its popover`;
  const missing = refusal('build', 'chromium');
  if (missing !== null) return absentRow('P8d', title, missing);
  const ratios: number[] = [];
  const [appMs, popoverMs]: [number[], number[]] = [[], []];
  // The first start makes the data folder and warms the disk.
  await withApp(async (app) => {
    for (let round = 0; round < START_ROUNDS; round += 1) {
      await app.app.quit();
      const nodeMs = await bareNodeMs();
      app.restart(HIDDEN);
      const startedMs = await answers(app);
      appMs.push(startedMs);
      ratios.push(startedMs / nodeMs);
    }
    await opened(app);
    for (let round = 0; round < START_ROUNDS; round += 1) {
      await press(app);
      await pause(BETWEEN_PRESSES_MS);
      const beganMs = performance.now();
      await app.app.ask('tray-click');
      await soon('the popover', async () =>
        (await app.app.state()).popovers[0]?.visible === true ? true : undefined,
      );
      popoverMs.push(performance.now() - beganMs);
    }
  });
  return row('P8d', title, [
    part(
      {
        name: 'start until the API has answered',
        unit: 'x node -e 0',
        bound: 'at most',
        target: 6,
      },
      ratios,
      `${median(appMs).toFixed(0)} ms; the double is in it`,
    ),
    part(
      { name: 'a press on the icon to the popover', unit: 'ms', bound: 'at most', target: 100 },
      popoverMs,
      'not for the first time',
    ),
  ]);
}

export async function measureP9d(): Promise<Row> {
  const title = `processor of the idle ${ON}, popover open, ${PEERS} hubs connected`;
  const missing = refusal('build', 'proc', 'chromium');
  if (missing !== null) return absentRow('P9d', title, missing);
  const shares = await withPeers(PEERS, async (app) => {
    await pause(IDLE_MS);
    const processes = hubProcesses(app);
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS_MIN; round += 1) {
      const [beganMs, beforeMs] = [performance.now(), processorMs(processes)];
      await pause(IDLE_ROUND_MS);
      const tookMs = processorMs(processes) - beforeMs;
      rounds.push((tookMs / (performance.now() - beganMs)) * 100);
    }
    return rounds;
  });
  const goal = {
    name: `both processes of its hub, rounds of ${IDLE_ROUND_MS / 1_000} s`,
    unit: '% of a core',
    bound: 'at most',
    target: 0.1,
  } as const;
  return row('P9d', title, [part(goal, shares, `ticks of ${TICK_MS} ms; mDNS off`)]);
}

export async function measureP13d(): Promise<Row> {
  const title = `allow once in the popover of the ${ON} to the event at the agent`;
  const missing = refusal('build', 'chromium');
  if (missing !== null) return absentRow('P13d', title, missing);
  return row('P13d', title, [await withPeers(PEERS, clicksPart)]);
}

async function clicksPart(
  { computer }: DesktopComputer,
  page: Page,
  peers: readonly LightPeer[],
): Promise<Part> {
  const { token } = await callFromWindow(page, 'agents.create', {
    name: 'worker',
    domains: [DOMAIN],
  });
  const { hub } = await callFromWindow(page, 'hub.whoami', {});
  const agent = new HubApi(await LoopbackClient.open(computer, hub.api_port), token);
  const inbox = await agent.follow('/v1/inbox/stream');
  await page.evaluate(() => {
    addEventListener(
      'click',
      () => (document.documentElement.dataset['pressedAt'] = String(Date.now())),
      { capture: true },
    );
  });
  const p95s: number[] = [];
  const all: number[] = [];
  for (let round = 0; round <= ROUNDS_MIN; round += 1) {
    const times: number[] = [];
    for (let click = 0; click < CLICKS_A_ROUND; click += 1) {
      const before = inbox.events.length;
      const payload = { task: 'Water the plants on the balcony', domain: DOMAIN };
      // One after the other, since each may ask a few times a minute only.
      const peer = peers[(round * CLICKS_A_ROUND + click) % peers.length];
      const reply = await peer?.ask('delegate', payload, LIMIT_MS);
      if (typeof reply !== 'object' || reply.payload['accepted'] !== true)
        throw new Error(`it was not taken in: ${JSON.stringify(reply)}`);
      const { items } = await callFromWindow(page, 'approvals.list', { state: 'pending' });
      const id = items[0]?.id;
      if (id === undefined) throw new Error('nothing waits');
      const arrival = inbox
        .next(
          (seen) => inbox.events.lastIndexOf(seen) >= before && deliveryOf(seen.data) !== undefined,
          'the event',
        )
        .then(({ data }) => ({ data, at: Date.now() }));
      // Whatever breaks off meanwhile is told in its place.
      arrival.catch(() => undefined);
      const { data, at } = await allowed(page, id, arrival);
      times.push(
        at - Number(await page.evaluate(() => document.documentElement.dataset['pressedAt'])),
      );
      const delivery = deliveryOf(data) ?? '';
      await page.mouse.move(0, 0);
      await agent.call('inbox.ack', { delivery });
      await agent.call('inbox.reply', { delivery, outcome: 'Done' });
    }
    // The first round only warms up.
    if (round === 0) continue;
    p95s.push(
      quantile(
        times.toSorted((one, other) => one - other),
        0.95,
      ),
    );
    all.push(...times);
  }
  const goal = {
    name: 'click to the event, p95',
    unit: 'ms',
    bound: 'at most',
    target: 20,
  } as const;
  return part(goal, p95s, `p50 ${median(all).toFixed(1)} ms`);
}

/** As `until`, and looks every millisecond, since what it waits for is timed. */
async function soon<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const limit = performance.now() + LIMIT_MS;
  while (performance.now() < limit) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(1);
  }
  throw new Error(`waited ${LIMIT_MS} ms for ${what}`);
}

/** Presses "Allow once" until the event is there: a card that moves at that moment takes no press. */
async function allowed<Event>(page: Page, id: string, arrival: Promise<Event>): Promise<Event> {
  await readToEnd(page, id);
  let event: Event | undefined;
  const arrived = arrival.then((seen) => (event = seen));
  return await until('a press that counts', LIMIT_MS, async () => {
    if (event === undefined) await pressAllow(page, id);
    await Promise.race([arrived, pause(PRESS_TAKEN_WITHIN_MS)]);
    return event;
  });
}

function deliveryOf(data: unknown): string | undefined {
  return typeof data === 'object' && data !== null && 'delivery_id' in data
    ? String(data.delivery_id)
    : undefined;
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
