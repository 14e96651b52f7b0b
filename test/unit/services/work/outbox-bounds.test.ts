// The outbox of a peer that does not take what it asked for, and clocks that jump.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OUTBOX_PAGE, OUTBOX_PER_PARTY_MAX } from '../../../../main/services/work/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const DAY_MS = 86_400_000;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const send = () => dad.work.sender.delegate(delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }), 'openclaw', null);
const held = async () => {
  await send();
  await mum.decide(mum.card, 'allow');
  return mum.claim('claude');
};
const reply = async (id: string) => {
  await mum.work.inbox.reply('claude', id, { status: 'completed', outcome: 'Done', truncated: false });
  await clock.settle();
};
const waiting = (count: number) =>
  mum.store.write((tables) => {
    for (let index = 0; index < count; index++) {
      const id = crypto.randomUUID();
      const raw = mum.messenger.encode(dad.key, { id, kind: 'result', ref: id, payload: { status: 'completed', outcome: `${index}` } });
      const row = { messageId: id, party: dad.key, kind: 'result', raw, attempts: 0, settledAt: null };
      tables.putOutbox({ ...row, createdAt: clock.wallMs(), expiresAtUptimeMs: DAY_MS });
    }
  });

it('takes no more work from a hub that does not take its results', async () => {
  dad.cut(mum);
  await waiting(OUTBOX_PER_PARTY_MAX);
  dad.messenger.lost.add('notify');
  dad.messenger.onMessage('result', () => Promise.resolve());
  dad.connect(mum);
  await expect(send()).rejects.toMatchObject({ code: 'overloaded' });
  expect(mum.work.approvals.pending()).toEqual([]);
});

it('reaches what is behind many messages that were sent and not acknowledged, and never reads them all at once', async () => {
  const { delivery_id: id } = await held();
  dad.cut(mum);
  await waiting(200);
  dad.messenger.lost.add('notify');
  await reply(id);
  const outboxOf = vi.spyOn(mum.store.read, 'outboxOf');
  dad.connect(mum);
  await clock.settle();
  await clock.advance(1_000);
  const pages = outboxOf.mock.results.map(({ value }) => (Array.isArray(value) ? value.length : 0));
  expect(Math.max(...pages)).toBe(OUTBOX_PAGE);
  expect(pages.length).toBeGreaterThanOrEqual(Math.ceil(201 / OUTBOX_PAGE));
  expect(mum.messenger.sent.filter((envelope) => envelope.kind === 'result' && envelope.payload.outcome === 'Done')).not.toEqual([]);
});

it('gives nothing up because the wall clock jumped ahead', async () => {
  const { delivery_id: id } = await held();
  dad.cut(mum);
  await reply(id);
  clock.jumpWall(30 * DAY_MS);
  await clock.advance(600_000);
  expect(mum.store.read.outboxOf(dad.key)).toHaveLength(1);
  dad.connect(mum);
  await clock.settle();
  expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
  expect(dad.store.read.tasks({ limit: 1 })[0]?.state).toBe('completed');
});

it('F-12: gives nothing up because the wall clock jumped ahead ten years while the hub was off', async () => {
  const { delivery_id: id } = await held();
  dad.cut(mum);
  await reply(id);
  clock.jumpWall(3_650 * DAY_MS);
  await mum.restart();
  await clock.advance(600_000);
  expect(mum.store.read.outboxOf(dad.key)).toHaveLength(1);
  dad.connect(mum);
  await clock.settle();
  expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
  expect(dad.store.read.tasks({ limit: 1 })[0]?.state).toBe('completed');
});

it('gives a result up after it has run for a day since, however often it was restarted meanwhile, and says so', async () => {
  const { delivery_id: id } = await held();
  dad.cut(mum);
  await reply(id);
  // Only mum's time counts here.
  await dad.work.stop();
  for (let hour = 0; hour < 23; hour++) {
    await clock.advance(3_600_000);
    if (hour % 6 === 5) await mum.restart();
  }
  expect(mum.store.read.outboxOf(dad.key)).toHaveLength(1);
  await clock.advance(3_600_000 + 600_000);
  expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
  expect(mum.work.feed.list({ limit: 9 }).items.map((item) => item.topic)).toContain('axon.outbox');
});

it('hands an item out again within the longest lease, though the clock was set back while the hub was down', async () => {
  const item = await held();
  clock.jumpWall(-30 * DAY_MS);
  await mum.restart();
  await clock.advance(601_000);
  expect((await mum.claim('claude')).delivery_id).toBe(item.delivery_id);
});
