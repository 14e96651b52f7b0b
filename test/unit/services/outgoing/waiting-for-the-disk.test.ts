// A hub waits for the disk before it promises something, and for nothing else: on the way of a
// delegation each such wait is seen by whoever asked.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  closeTwoHubs,
  newest,
  openPairedHubs,
  type TwoHubs,
} from '../../../fakes/two-work-hubs.ts';
import { delegation, NO_LIMITS } from '../../../fakes/work-hub.ts';
import { commitLevels, FULL, NORMAL } from '../../../support/commit-levels.ts';

let hubs: TwoHubs;

/** The working hub takes one delegation. */
beforeEach(async () => {
  hubs = await openPairedHubs(
    {},
    { rates: { ...NO_LIMITS, delegate: { burst: 1, perMinute: 1 } } },
  );
  await hubs.dad.agent('openclaw');
  await hubs.mum.agent('claude', ['family.chat']);
  await hubs.mum.knows(hubs.dad);
});

afterEach(() => closeTwoHubs(hubs));

const send = () =>
  hubs.dad.work.sender.delegate(
    delegation('mum', 'Feed the cat', { domain: 'family.chat' }),
    'openclaw',
    null,
  );

test('a delegation waits once at each hub until its ack is told', async () => {
  const levels = await commitLevels(async () => {
    expect((await send()).state).toBe('awaiting_approval');
  });
  expect(levels).toEqual([FULL, FULL, NORMAL]);
});

test('a refusal is on the disk before whoever asked is told of it', async () => {
  await send();
  const levels = await commitLevels(async () => {
    await expect(send()).rejects.toMatchObject({ code: 'rate_limited' });
  });
  expect([levels.at(-1), newest(hubs.dad).state]).toEqual([FULL, 'failed']);
});

test('that an agent has begun, and that a result has come, waits at the hub that says it alone', async () => {
  const { clock, dad, mum } = hubs;
  await send();
  await mum.decide(mum.card, 'allow');
  const item = await mum.claim('claude');
  await clock.settle();
  const begun = await commitLevels(async () => {
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await clock.settle();
    expect(newest(dad).state).toBe('running');
  });
  expect(begun.filter((level) => level === FULL)).toHaveLength(1);
  const done = await commitLevels(async () => {
    const reply = { status: 'completed', outcome: 'Done', truncated: false } as const;
    await mum.work.inbox.reply('claude', item.delivery_id, reply);
    await clock.settle();
    expect(newest(dad).state).toBe('completed');
  });
  // The result at both hubs; that its receipt came is no promise.
  expect(done.filter((level) => level === FULL)).toHaveLength(2);
  expect(done).toContain(NORMAL);
});
