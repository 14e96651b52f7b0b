// The outbox of a peer that does not take what it asked for, and clocks that jump.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  CANCELS_AT_ONCE_MAX,
  CANCELS_PER_PARTY_MAX,
  OUTBOX_PAGE,
} from '../../../../main/services/outgoing/limits.ts';
import { PEER_RATES } from '../../../../main/services/links/limits.ts';
import { headlineOf } from '../../../../preload/contract/strings/story.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, NO_LIMITS, type WorkHub } from '../../../fakes/work-hub.ts';
import { OUTBOX_PER_PARTY_MAX } from '../../../../main/services/admission/limits.ts';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const send = () =>
  dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
const held = async () => {
  await send();
  await mum.decide(mum.card, 'allow');
  return mum.claim('claude');
};
const reply = async (id: string) => {
  await mum.work.inbox.reply('claude', id, {
    status: 'completed',
    outcome: 'Done',
    truncated: false,
  });
  await clock.settle();
};
/** Cancels of mum's that wait for dad. */
const cancelling = (count: number) =>
  mum.store.write((tables) => {
    for (let index = 0; index < count; index++) {
      const id = crypto.randomUUID();
      const raw = mum.messenger.encode(dad.key, {
        id,
        kind: 'cancel',
        ref: crypto.randomUUID(),
        payload: {},
      });
      const row = { messageId: id, party: dad.key, kind: 'cancel', raw, settledAt: null };
      tables.putOutbox({ ...row, createdAt: clock.wallMs(), expiresAtUptimeMs: DAY_MS });
    }
  });
const waiting = (count: number) =>
  mum.store.write((tables) => {
    for (let index = 0; index < count; index++) {
      const id = crypto.randomUUID();
      const raw = mum.messenger.encode(dad.key, {
        id,
        kind: 'result',
        ref: id,
        payload: { status: 'completed', outcome: `${index}` },
      });
      const row = { messageId: id, party: dad.key, kind: 'result', raw, settledAt: null };
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

it('takes work from a hub that has not answered what was taken back from it', async () => {
  dad.cut(mum);
  await cancelling(CANCELS_PER_PARTY_MAX);
  dad.messenger.onRequest('cancel', () => new Promise(() => undefined));
  dad.connect(mum);
  expect((await send()).state).toBe('awaiting_approval');
});

it('asks a hub to take no more back than may wait for it', async () => {
  await dad.agent('calendar', ['family.calendar'], { risk: 'R0' });
  await mum.knows(dad);
  await dad.knows(mum);
  await cancelling(CANCELS_PER_PARTY_MAX);
  const asked = mum.work.sender.query(
    { to: 'dad', question: 'Milk?', domain: 'family.calendar', deadline_ms: 1_000 },
    'claude',
    never,
  );
  const code = asked.catch((error: { code: string }) => error.code);
  await clock.settle();
  dad.cut(mum);
  expect(await code).toBe('peer_unreachable');
  await clock.settle();
  expect(mum.store.read.countOutbox(dad.key, 'cancels')).toBe(CANCELS_PER_PARTY_MAX);
});

it('says of what it cancels that it did not tell a hub for which too much waits', async () => {
  mum.messenger.swallowed.add('ack');
  const { id } = await send();
  dad.cut(mum);
  await dad.store.write((tables) => {
    const raw = dad.messenger.encode(mum.key, { id, kind: 'cancel', ref: id, payload: {} });
    for (let index = 0; index < CANCELS_PER_PARTY_MAX; index++)
      tables.putOutbox({
        messageId: crypto.randomUUID(),
        party: mum.key,
        kind: 'cancel',
        raw,
        settledAt: null,
        createdAt: clock.wallMs(),
        expiresAtUptimeMs: DAY_MS,
      });
  });
  const { state, story } = await dad.work.tasks.cancel(id, { agent: 'openclaw' }, null);
  expect([state, headlineOf(story)]).toEqual([
    'failed',
    'Cancelled here. Too much waits for mum, so it was not told.',
  ]);
});

it('takes back a few at a time from a hub that is back, and waits when it is asked for patience', async () => {
  await closeTwoHubs({ clock, dad, mum });
  ({ clock, dad, mum } = await openPairedHubs({
    rates: { ...NO_LIMITS, cancel: PEER_RATES.cancel },
  }));
  dad.cut(mum);
  await cancelling(150);
  let open = 0;
  let most = 0;
  const request = mum.messenger.request.bind(mum.messenger);
  mum.messenger.request = async (peer, message, timeoutMs, signal) => {
    most = Math.max(most, ++open);
    const reply = await request(peer, message, timeoutMs, signal);
    open -= 1;
    return reply;
  };
  dad.connect(mum);
  await clock.advance(1_000);
  expect(mum.messenger.sent.length).toBeLessThanOrEqual(
    PEER_RATES.cancel.burst + CANCELS_AT_ONCE_MAX,
  );
  expect(most).toBe(CANCELS_AT_ONCE_MAX);
  await clock.advance(120_000);
  expect(mum.messenger.sent.length).toBeLessThan(150);
  await clock.advance(900_000);
  expect(mum.store.read.countOutbox(dad.key, 'cancels')).toBe(0);
});

it('looks now and then, and not each second, while a hub is away that has what was sent or not', async () => {
  const { delivery_id: delivery } = await held();
  mum.messenger.lost.add('result');
  await reply(delivery);
  dad.cut(mum);
  const looks = vi.spyOn(mum.store.read, 'outboxParties');
  await clock.advance(600_000);
  expect(looks.mock.calls.length).toBeLessThanOrEqual(4);
  mum.messenger.lost.clear();
  dad.connect(mum);
  await clock.settle();
  expect(dad.store.read.tasks({ limit: 1 })).toMatchObject([{ state: 'completed' }]);
});

it('writes nothing that anybody waits for while a hub is away, and goes on counting its time', async () => {
  dad.cut(mum);
  await waiting(3);
  const promised = vi.spyOn(mum.store, 'write');
  const behind = vi.spyOn(mum.store, 'writeBehind');
  await clock.advance(3_600_000);
  expect(promised).not.toHaveBeenCalled();
  expect(behind.mock.calls.length).toBeGreaterThan(5);
  expect(behind.mock.calls.length).toBeLessThanOrEqual(60);
  expect(Number(mum.store.read.getMeta('outbox.uptime_ms'))).toBeGreaterThan(3_000_000);
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
  expect(
    mum.messenger.sent.filter(
      (envelope) => envelope.kind === 'result' && envelope.payload.outcome === 'Done',
    ),
  ).not.toEqual([]);
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
}, 90_000);

it('hands an item out again within the longest lease, though the clock was set back while the hub was down', async () => {
  const item = await held();
  clock.jumpWall(-30 * DAY_MS);
  await mum.restart();
  await clock.advance(601_000);
  expect((await mum.claim('claude')).delivery_id).toBe(item.delivery_id);
});
