// The outbox of a removed hub: nothing in it is sent, even if its key is paired again. A hub that is
// only suspended gets it all.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OUTBOX_PAGE } from '../../../../main/services/outgoing/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, newest, openTwoHubs, putTrust } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const HOUR_MS = 3_600_000;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const send = (task: string) =>
  dad.work.sender.delegate(delegation('mum', task, { domain: 'family.chat' }), 'openclaw', null);
const told = (): readonly string[] =>
  mum.messenger.sent
    .filter(({ kind }) => kind === 'result')
    .map(({ payload }) => String(payload['outcome']));

/** Dad's hub goes away; then an agent of mum's reports, and mum answers something herself. */
async function owesTwo(): Promise<void> {
  await send('Sing');
  await mum.decide(mum.card, 'allow');
  const item = await mum.claim('claude');
  await mum.work.inbox.ack('claude', item.delivery_id, null);
  await send('What is for dinner?');
  mum.cut(dad);
  await mum.work.inbox.reply('claude', item.delivery_id, {
    status: 'completed',
    outcome: 'Sung',
    truncated: false,
  });
  await mum.decide(mum.card, 'answer', BROWSER, { answer: 'Soup' });
  await clock.settle();
  expect(mum.store.read.outboxOf(dad.key)).toHaveLength(2);
  expect(told()).toEqual([]);
}

async function comesBack(): Promise<void> {
  await putTrust(mum, dad, 'paired');
  mum.connect(dad);
  await clock.advance(HOUR_MS);
}

it('leaves neither as the hub is removed nor after a new pairing with its key, over a restart as well', async () => {
  await owesTwo();
  await mum.endTrust(dad, 'revoked');
  expect(mum.store.read.outboxParties()).toEqual([]);
  await mum.restart();
  await comesBack();
  expect(told()).toEqual([]);
  expect(
    mum.work.feed.list({ limit: 5 }).items,
    'nobody is told that it could not be delivered',
  ).toEqual([]);
});

it('does not leave by the round that was sending it when the hub was removed', async () => {
  await owesTwo();
  mum.messenger.lost.add('result');
  mum.connect(dad);
  await clock.settle();
  const tried = told().length;
  await mum.endTrust(dad, 'revoked');
  mum.cut(dad);
  mum.messenger.lost.clear();
  await comesBack();
  expect(told()).toHaveLength(tried);
});

it('leaves when a hub that was suspended is let back in', async () => {
  await owesTwo();
  await mum.endTrust(dad, 'suspended');
  expect(mum.store.read.outboxOf(dad.key)).toHaveLength(2);
  await comesBack();
  expect([...told()].sort()).toEqual(['Soup', 'Sung']);
});

it('is given up at the next start where the hub was removed before that was so', async () => {
  await owesTwo();
  await putTrust(mum, dad, 'revoked');
  await mum.restart();
  await clock.settle();
  expect(mum.store.read.outboxParties()).toEqual([]);
  await comesBack();
  expect(told()).toEqual([]);
});

it('is given up whole, however much it is', async () => {
  mum.cut(dad);
  await mum.store.write((tables) => {
    for (let index = 0; index <= 2 * OUTBOX_PAGE; index++) {
      const id = crypto.randomUUID();
      const raw = mum.messenger.encode(dad.key, {
        id,
        kind: 'result',
        ref: id,
        payload: { status: 'completed', outcome: `${index}` },
      });
      const row = { messageId: id, party: dad.key, kind: 'result', raw, settledAt: null };
      tables.putOutbox({ ...row, createdAt: clock.wallMs(), expiresAtUptimeMs: HOUR_MS });
    }
  });
  await mum.endTrust(dad, 'revoked');
  expect(mum.store.read.countOutbox(dad.key, 'reports')).toBe(0);
});

it('asks a hub that was removed to take nothing back, and what was called off has ended', async () => {
  mum.messenger.swallowed.add('ack');
  await send('Sing');
  const { id } = newest(dad);
  dad.cut(mum);
  await dad.work.tasks.cancel(id, { agent: 'openclaw' }, null);
  expect(dad.store.read.countOutbox(mum.key, 'cancels')).toBe(1);
  await dad.endTrust(mum, 'revoked');
  expect(dad.store.read.countOutbox(mum.key, 'cancels')).toBe(0);
  expect(dad.store.read.task(id)).toMatchObject({ state: 'failed', code: 'pairing_required' });
});
