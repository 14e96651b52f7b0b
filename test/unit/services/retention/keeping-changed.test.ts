// How long messages are kept, changed by a person while the hub runs: over real stores, on a clock
// that the test moves.
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  CHANGE_PAUSE_MS,
  CHUNK_PAUSE_MS,
  CHUNK_ROWS,
  FIRST_PURGE_MS,
  PURGE_INTERVAL_MS,
} from '../../../../main/services/retention/limits.ts';
import { Retention } from '../../../../main/services/retention/retention.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { feedRow, taskRow } from '../../../fakes/sample-rows.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const NOTICES = 3 * CHUNK_ROWS;

let hubs: TwoHubs;
let retention: Retention;
let gone: (readonly [seqs: readonly number[], unread: number])[] = [];
let kept = { messagesMs: YEAR_MS, feedMs: 90 * DAY_MS };
beforeEach(async () => {
  kept = { messagesMs: YEAR_MS, feedMs: 90 * DAY_MS };
  hubs = await openTwoHubs();
  const { store } = hubs.mum;
  await store.write((tables) => {
    const at = hubs.clock.wallMs();
    tables.insertTask(taskRow({ id: 'old', state: 'completed', result: '{}', finishedAt: at }));
    for (let index = 0; index < NOTICES; index += 1)
      tables.insertFeed(feedRow({ id: `notice ${index}`, at }));
  });
  const keeps = { keepMessagesMs: () => kept.messagesMs, keepFeedMs: () => kept.feedMs };
  gone = [];
  const onFeedRemoved = (seqs: readonly number[], unread: number) => void gone.push([seqs, unread]);
  retention = new Retention({ store, clock: hubs.clock, log: SILENT_LOG, ...keeps, onFeedRemoved });
  await hubs.mum.work.stop();
  retention.start();
  hubs.clock.standStill(20 * DAY_MS);
  await hubs.clock.advance(FIRST_PURGE_MS);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
  expect([words(), notices(), removals()]).toEqual([1, NOTICES, []]);
});
afterEach(async () => {
  await retention.stop();
  await closeTwoHubs(hubs);
});

const words = (): number =>
  hubs.mum.store.read.tasks({ limit: 9 }).filter(({ payload }) => payload !== '').length;
const notices = (): number => hubs.mum.store.read.feed({ limit: 1_000 }).length;
const removals = (): readonly unknown[] =>
  hubs.mum.store.read
    .audit({ limit: 1_000 })
    .filter(({ action }) => action === 'records.removed')
    .map(({ detail }) => JSON.parse(detail));

function change(to: Partial<typeof kept>): void {
  kept = { ...kept, ...to };
  retention.keepingChanged();
}

it('counts without a restart and the same day, after a pause in which nothing is removed', async () => {
  change({ messagesMs: DAY_MS });
  await hubs.clock.advance(CHANGE_PAUSE_MS - 1);
  expect(words()).toBe(1);
  await hubs.clock.advance(1);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
  expect([words(), notices()]).toEqual([0, NOTICES]);
  expect(removals()).toEqual([expect.objectContaining({ tasks: 1, feed: 0 })]);
  hubs.clock.standStill(PURGE_INTERVAL_MS);
  await hubs.clock.advance(0);
  expect(removals()).toHaveLength(1);
});

it('tells of notices that are gone as they go, with how many of those left are unread', async () => {
  const at = hubs.clock.wallMs() - 19.5 * DAY_MS;
  await hubs.mum.store.write((tables) =>
    tables.insertFeed(feedRow({ id: 'young', at: at + 19 * DAY_MS })),
  );
  change({ feedMs: DAY_MS });
  await hubs.clock.advance(CHANGE_PAUSE_MS);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
  expect(gone.map(([, unread]) => unread)).toEqual([2 * CHUNK_ROWS + 1, CHUNK_ROWS + 1, 1]);
  const young = hubs.mum.store.read.feed({ limit: 9 }).map(({ seq }) => seq);
  const told = gone.flatMap(([seqs]) => seqs);
  expect([young.length, told.length, new Set(told).size]).toEqual([1, NOTICES, NOTICES]);
  expect(told).not.toContain(young[0]);
  change({ feedMs: 1 });
  await hubs.clock.advance(CHANGE_PAUSE_MS);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
  expect(gone.at(-1)?.[1]).toBe(0);
  expect(notices()).toBe(0);
});

it('removes nothing where a longer time was chosen again within the pause', async () => {
  change({ messagesMs: DAY_MS, feedMs: DAY_MS });
  await hubs.clock.advance(CHANGE_PAUSE_MS - 1);
  change({ messagesMs: YEAR_MS, feedMs: 90 * DAY_MS });
  await hubs.clock.advance(3 * CHANGE_PAUSE_MS);
  expect([words(), notices(), removals()]).toEqual([1, NOTICES, []]);
});

it('pauses a removal that is under way, too, which then goes by the new time and is told as one', async () => {
  change({ feedMs: DAY_MS });
  hubs.clock.standStill(CHANGE_PAUSE_MS);
  await hubs.clock.advance(0);
  expect(notices()).toBe(NOTICES - CHUNK_ROWS);
  change({ feedMs: 2 * DAY_MS });
  await hubs.clock.advance(CHANGE_PAUSE_MS - 1);
  expect([notices(), removals()]).toEqual([NOTICES - CHUNK_ROWS, []]);
  await hubs.clock.advance(1);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
  expect(notices()).toBe(0);
  expect(removals()).toEqual([expect.objectContaining({ feed: NOTICES })]);
});
