// P13: from a person's "Allow once" to the event at the agent that does the work. Two built hubs on
// this computer, paired with each other. The decision goes in by a click in Chromium, and, without
// a page, by the owner's HTTP door; the agent reads its stream.
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import type { ApprovalDto, UiEvent } from '../../../preload/contract/dto.ts';
import { pressAllow, readToEnd } from '../../e2e/card-reader.ts';
import { pairByApi } from '../../e2e/pair-by-api.ts';
import { openBrowser } from '../../lan/browser.ts';
import type { HubApi } from '../../lan/hub-process.ts';
import type { ThisComputer } from '../../lan/this-computer.ts';
import type { EventReader, SeenEvent } from '../../support/event-reader.ts';
import { until } from '../../support/until.ts';
import { BenchHubs, RAISED } from '../bench-hubs.ts';
import { sized } from '../effort.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, quantile, row, type Part, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const TITLE = 'allow once to the event at the agent';
const DOMAIN = 'household.chores';
const DECISIONS_A_ROUND = sized({ full: 40, quick: 2 });
/**
 * A click waits until the buttons of a new card take one, and the owner's token holds for five
 * minutes.
 */
const CLICKS_A_ROUND = sized({ full: 20, quick: 2 });
const PERSON = 'Person';
/** A person reads before allowing: by then the request is on the disk at both hubs. */
const READING_MS = 50;
const EVENT_LIMIT_MS = 20_000;
const PRESS_TAKEN_WITHIN_MS = 2_000;

export async function measureP13(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P13', TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const asking = await hubs.start('asking');
    const working = await hubs.start('working');
    const household = await hubs.keep(Household.open(await asking.owner(), await working.owner()));
    const posted = p95Part(
      'POST of the decision to the event',
      await household.rounds(DECISIONS_A_ROUND, household.post),
    );
    const noBrowser = refusal('chromium');
    if (noBrowser !== null)
      return { ...row('P13', TITLE, [posted]), holds: false, reason: noBrowser };
    const clicked = await clicks(hubs.computer, await working.loginLink(), household);
    return row('P13', TITLE, [p95Part('click in Chromium to the event', clicked), posted]);
  });
}

function p95Part(name: string, rounds: readonly (readonly number[])[]): Part {
  const p95s = rounds.map((values) =>
    quantile(
      [...values].sort((a, b) => a - b),
      0.95,
    ),
  );
  const detail = `p50 ${median(rounds.flat()).toFixed(1)} ms; p95 of each round of ${rounds[0]?.length ?? 0}; ${RAISED.join(' ')}`;
  return part({ name: `${name}, p95`, unit: 'ms', bound: 'at most', target: 20 }, p95s, detail);
}

/**
 * The page is open beside, as it is for a person, and its clock and ours are the computer's, in
 * whole milliseconds.
 */
async function clicks(
  computer: ThisComputer,
  link: string,
  household: Household,
): Promise<readonly (readonly number[])[]> {
  const browser = await openBrowser(computer);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
    await page.goto(link);
    await page.evaluate(() => {
      addEventListener(
        'click',
        () => (document.documentElement.dataset['pressedAt'] = String(Date.now())),
        { capture: true },
      );
    });
    return await household.rounds(CLICKS_A_ROUND, (card, arrival) => click(page, card, arrival));
  } finally {
    await browser.close();
  }
}

/**
 * Nothing looks into the page before the event is here: a test that waits for words on a page has
 * it draw frame after frame, which nobody's page does, and takes a processor from the hub. A card
 * that moves at that moment takes no press, by the rule of its page: it is pressed again.
 */
async function click(page: Page, { id }: ApprovalDto, arrival: Promise<unknown>): Promise<number> {
  await readToEnd(page, id);
  let arrivedAt: number | undefined;
  const arrived = arrival.then(() => (arrivedAt = Date.now()));
  await until('a press that counts', EVENT_LIMIT_MS, async () => {
    if (arrivedAt === undefined) await pressAllow(page, id);
    await Promise.race([
      arrived,
      new Promise((resolve) => setTimeout(resolve, PRESS_TAKEN_WITHIN_MS)),
    ]);
    return arrivedAt;
  });
  return (
    (await arrived) -
    Number(await page.evaluate(() => document.documentElement.dataset['pressedAt']))
  );
}

/** Lets a request in, and gives the ms from then to the arrival of the event at the agent. */
type Allow = (card: ApprovalDto, arrival: Promise<unknown>) => Promise<number>;

/** Two paired hubs, an agent that asks at one of them and one that works at the other. */
class Household {
  readonly #asker: HubApi;
  readonly #working: HubApi;
  readonly #worker: HubApi;
  readonly #page: EventReader;
  readonly #inbox: EventReader;

  private constructor(
    asker: HubApi,
    working: HubApi,
    worker: HubApi,
    readers: readonly [page: EventReader, inbox: EventReader],
  ) {
    this.#asker = asker;
    this.#working = working;
    this.#worker = worker;
    [this.#page, this.#inbox] = readers;
  }

  static async open(asking: HubApi, working: HubApi): Promise<Household> {
    await working.call('settings.update', { person: PERSON });
    await pairByApi(asking, working, { asking: 'Asking', asked: 'Working' });
    const asker = asking.withToken(
      (await asking.call('agents.create', { name: 'asker', domains: [DOMAIN] })).token,
    );
    const worker = working.withToken(
      (await working.call('agents.create', { name: 'worker', domains: [DOMAIN] })).token,
    );
    return new Household(asker, working, worker, [
      await working.follow(),
      await worker.follow('/v1/inbox/stream'),
    ]);
  }

  close(): Promise<void> {
    for (const reader of [this.#page, this.#inbox]) reader.close();
    return Promise.resolve();
  }

  /** The times of each round, in ms. The first round only warms up. */
  async rounds(count: number, allow: Allow): Promise<readonly (readonly number[])[]> {
    const rounds: number[][] = [];
    for (let round = 0; round <= ROUNDS_MIN; round += 1) {
      const times: number[] = [];
      while (times.length < count) times.push(await this.#once(allow));
      if (round > 0) rounds.push(times);
    }
    return rounds;
  }

  readonly post: Allow = async ({ id, revision, digest }, arrival) => {
    const beganMs = performance.now();
    const [tookMs] = await Promise.all([
      arrival.then(() => performance.now() - beganMs),
      this.#working.call('approvals.decide', { id, revision, digest, decision: 'allow' }),
    ]);
    return tookMs;
  };

  async #once(allow: Allow): Promise<number> {
    const asked = next(this.#page, 'the card', (seen) => pendingIn(seen) !== undefined);
    await this.#asker.call('send.delegate', {
      to: 'Working',
      task: 'Water the plants on the balcony',
      domain: DOMAIN,
    });
    const card = pendingIn(await asked);
    if (card === undefined) throw new Error('the card was lost');
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    const event = next(
      this.#inbox,
      'the event at the agent',
      ({ data }) => deliveryOf(data) !== undefined,
    );
    const tookMs = await allow(card, event);
    const delivery = deliveryOf((await event).data) ?? '';
    await this.#worker.call('inbox.ack', { delivery });
    await this.#worker.call('inbox.reply', { delivery, outcome: 'Done' });
    return tookMs;
  }
}

/** The first event still to come that fits. */
async function next(
  reader: EventReader,
  what: string,
  fits: (seen: SeenEvent) => boolean,
): Promise<SeenEvent> {
  const before = reader.events.length;
  const limit = setTimeout(() => reader.close(), EVENT_LIMIT_MS);
  try {
    return await reader.next(
      (seen) => reader.events.lastIndexOf(seen) >= before && fits(seen),
      what,
    );
  } finally {
    clearTimeout(limit);
  }
}

function pendingIn({ data }: SeenEvent): ApprovalDto | undefined {
  return isUiEvent(data) && data.type === 'approval' && data.approval.state === 'pending'
    ? data.approval
    : undefined;
}

function isUiEvent(data: unknown): data is UiEvent {
  return typeof data === 'object' && data !== null && 'type' in data;
}

function deliveryOf(data: unknown): string | undefined {
  return typeof data === 'object' && data !== null && 'delivery_id' in data
    ? String(data.delivery_id)
    : undefined;
}
