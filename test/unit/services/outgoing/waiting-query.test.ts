// A question that waits for a person at another hub, as the hub that asks sees it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const ask = () => {
  const asked = dad.work.sender.query(
    { to: 'mum', question: 'Milk?', domain: 'family.chat', deadline_ms: 600_000 },
    'openclaw',
    never,
  );
  return asked.then(
    (report) => report.state,
    (error: { code: string }) => error.code,
  );
};
const never = new AbortController().signal;
const own = () => dad.store.read.tasks({ limit: 5 });

it('is a task from the moment it is sent, and waits for the person as soon as that is told', async () => {
  const asked = ask();
  await clock.settle();
  expect(own()).toMatchObject([
    { kind: 'query', direction: 'outgoing', state: 'awaiting_approval' },
  ]);
  await clock.advance(100);
  expect(own()).toMatchObject([{ state: 'awaiting_approval' }]);
  await mum.decide(mum.card, 'allow');
  const item = await mum.claim('claude');
  await mum.work.inbox.reply('claude', item.delivery_id, {
    status: 'completed',
    summary: 'Yes',
    truncated: false,
  });
  expect(await asked).toBe('answered');
  await clock.advance(100);
  expect(own()).toMatchObject([{ state: 'completed', code: null }]);
  expect(own()[0]?.result).toContain('Yes');
});

it('is listed by what its agent has done with it', async () => {
  const asked = ask();
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  const listed = async (state: 'queued' | 'claimed') => {
    const { items } = await mum.work.tasks.list({ limit: 5 }, { person: OWNER }, { state });
    return items.map((task) => task.state);
  };
  expect([await listed('queued'), await listed('claimed')]).toEqual([['queued'], []]);
  const { delivery_id: delivery } = await mum.claim('claude');
  expect([await listed('queued'), await listed('claimed')]).toEqual([[], ['claimed']]);
  const answer = { status: 'completed', summary: 'Yes', truncated: false } as const;
  await mum.work.inbox.reply('claude', delivery, answer);
  await asked;
});

it('wakes whoever waits for its task when its line ends', async () => {
  const asked = ask();
  await clock.settle();
  const [task] = own();
  const waited = dad.work.tasks.get(task?.id ?? '', { agent: 'openclaw' }, 300_000, never);
  await mum.decide(mum.card, 'allow');
  const item = await mum.claim('claude');
  await mum.work.inbox.reply('claude', item.delivery_id, {
    status: 'completed',
    summary: 'Yes',
    truncated: false,
  });
  await asked;
  await clock.advance(100);
  expect(await Promise.race([waited, clock.settle()])).toMatchObject({ state: 'completed' });
});

it('is never taken for a delegation that has to be sent again', async () => {
  mum.messenger.extensions = () => [];
  const asked = ask();
  await clock.advance(100);
  // Nothing is promised, so nothing is written before its line ends.
  expect(own()).toEqual([]);
  dad.cut(mum);
  expect(await asked).toBe('peer_unreachable');
  await clock.advance(100);
  expect(own()).toMatchObject([{ state: 'failed' }]);
  const second = ask();
  expect(await second).toBe('peer_unreachable');
  dad.connect(mum);
  const third = ask();
  await clock.advance(100);
  await dad.restart();
  expect(await third).toBe('peer_unreachable');
  dad.connect(mum);
  await clock.advance(60_000);
  expect(dad.messenger.sent.map((envelope) => envelope.kind)).not.toContain('delegate');
  expect(own().filter((task) => task.state === 'sending')).toEqual([]);
});

it('counts no result that names it: whoever asked waits on its line or not at all', async () => {
  const asked = ask();
  await clock.settle();
  const [task] = own();
  await dad.isTold(mum.key, {
    id: crypto.randomUUID(),
    kind: 'result',
    ref: task?.messageId ?? null,
    payload: { status: 'completed', outcome: 'No' },
  });
  await clock.advance(100);
  expect(own()).toMatchObject([{ state: 'awaiting_approval' }]);
  await mum.decide(mum.card, 'decline');
  expect(await asked).toBe('rejected');
});
