// What ends while the wall clock is behind, by a dead battery or a hand, is kept as long as all else: from when a removal first sees it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_PAUSE_MS, FIRST_LOOK_MS } from '../../../../main/services/retention/limits.ts';
import { Retention } from '../../../../main/services/retention/retention.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { deliveryRow, feedRow, messageRow, taskRow } from '../../../fakes/sample-rows.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const KEPT = { keepMessagesMs: () => YEAR_MS, keepFeedMs: () => 90 * DAY_MS };

let hubs: TwoHubs;
let retention: Retention;
beforeEach(async () => {
  hubs = await openTwoHubs();
  retention = new Retention({ store: hubs.mum.store, clock: hubs.clock, log: SILENT_LOG, ...KEPT });
  await hubs.mum.work.stop();
});
afterEach(async () => {
  await retention.stop();
  await closeTwoHubs(hubs);
});

/** The hub runs for so long, and then removes what there is to be removed. */
async function runs(forMs: number): Promise<void> {
  retention.start();
  hubs.clock.standStill(forMs);
  await hubs.clock.advance(FIRST_LOOK_MS + 1);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
}

/** A request, its item and the messages about it, a word for itself and a notice, all of now by the wall clock. */
async function ends(id: string, isHandedOut = true): Promise<void> {
  const at = hubs.clock.wallMs();
  await hubs.mum.store.write((tables) => {
    tables.insertTask(taskRow({ id, state: 'completed', result: '{}', finishedAt: at }));
    tables.insertMessage(messageRow({ messageId: `${id} asked`, taskId: id, conversationId: id, at }));
    tables.insertMessage(messageRow({ messageId: `${id} told`, kind: 'notify', conversationId: `${id} alone`, at }));
    const state = isHandedOut ? ({ state: 'done', finishedAt: at } as const) : ({ state: 'queued' } as const);
    tables.insertDelivery(deliveryRow({ deliveryId: id, kind: 'result', taskId: id, ...state }));
    tables.insertFeed(feedRow({ id, at }));
  });
}
/** What is left of it: of the request, of its message, of the word for itself, of its item, of its notice. */
function left(id: string): string {
  const { read } = hubs.mum.store;
  const parts = [
    (read.task(id)?.payload ?? '') === '' ? '' : 'task',
    read.messages({ limit: 9 }, { conversationId: id }).length === 0 ? '' : 'message',
    read.messages({ limit: 9 }, { conversationId: `${id} alone` }).length === 0 ? '' : 'word',
    read.delivery(id) === undefined ? '' : 'item',
    read.feed({ limit: 99 }).some((notice) => notice.id === id) ? 'notice' : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
async function whileClockSays(day: string, run: () => Promise<unknown>): Promise<void> {
  const byMs = hubs.clock.wallMs() - Date.parse(day);
  hubs.clock.jumpWall(-byMs);
  await run();
  hubs.clock.jumpWall(byMs);
}
const ALL = 'task message word item notice';

describe('what ended while the clock was behind', () => {
  it.each(['1970-01-02', '2000-01-01'])(
    'F-12: on %s, before this hub ever looked, is kept for its time from the first look on',
    async (day) => {
      await whileClockSays(day, () => ends('lost'));
      await runs(0);
      expect(left('lost')).toBe(ALL);
      await runs(89 * DAY_MS);
      expect(left('lost')).toBe(ALL);
      await runs(2 * DAY_MS);
      expect(left('lost')).toBe('task message word item');
      await runs(272 * DAY_MS);
      expect(left('lost')).toBe('task message word item');
      await runs(3 * DAY_MS);
      expect(left('lost')).toBe('');
    },
  );

  it('F-12: on a day after the first record of this hub, years ago, is kept so as well', async () => {
    const day = new Date(hubs.clock.wallMs() + 30 * DAY_MS).toISOString();
    await ends('first');
    for (let year = 0; year < 3; year++) await runs(YEAR_MS);
    expect(left('first')).toBe('');
    await whileClockSays(day, () => ends('lost'));
    await ends('known');
    await runs(DAY_MS);
    expect(left('lost')).toBe(ALL);
    await runs(363 * DAY_MS);
    expect(left('lost')).toBe('task message word item');
    await runs(2 * DAY_MS);
    expect([left('lost'), left('known')]).toEqual(['', '']);
  });

  it('F-12: is kept so, too, where the hub ran for weeks by that clock and looked meanwhile', async () => {
    await runs(0);
    await whileClockSays('2000-01-01', async () => {
      await ends('early');
      await runs(40 * DAY_MS);
      await ends('late');
    });
    for (let day = 0; day < 60; day++) await runs(DAY_MS);
    expect([left('early'), left('late')]).toEqual([ALL, ALL]);
  });
});

describe('what ended by a right clock', () => {
  it('and was needed when its time came goes as soon as it is not, and no year later', async () => {
    await ends('waits', false);
    await runs(YEAR_MS + DAY_MS);
    expect(left('waits')).toBe('task message item');
    await runs(20 * DAY_MS);
    await hubs.mum.store.write((tables) => tables.updateDelivery('waits', 'queued', { state: 'done', finishedAt: hubs.clock.wallMs() }));
    await runs(2 * DAY_MS);
    expect(left('waits')).toBe('item');
  });

  it('is kept no longer for a clock that was ahead in between', async () => {
    await runs(0);
    hubs.clock.jumpWall(10 * YEAR_MS);
    await runs(60 * DAY_MS);
    hubs.clock.jumpWall(-10 * YEAR_MS);
    for (let month = 0; month < 4; month++) await runs(30 * DAY_MS);
    await ends('after');
    await runs(364 * DAY_MS);
    expect(left('after')).toBe('task message word item');
    await runs(3 * DAY_MS);
    expect(left('after')).toBe('');
  });
});

it('is kept where the clock was wrong from the first start on', async () => {
  await whileClockSays('2000-01-01', async () => {
    await runs(0);
    await hubs.clock.advance(DAY_MS / 24);
    await ends('late');
  });
  for (let day = 0; day < 40; day += 1) await runs(DAY_MS);
  expect(left('late')).toBe('task message word item notice');
});
