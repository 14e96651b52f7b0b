// A delegation whose ack was lost is sent again; what goes wrong on this side of the line meanwhile
// is not the other hub's word.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { PENDING_PER_PARTY_MAX } from '../../../../main/services/approvals/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

for (const [what, failure] of [
  [
    'too much is under way',
    new AppError('overloaded', 'Too much is under way already.', { failedBy: 'local' }),
  ],
  [
    'the call is given up',
    new AppError('cancelled', 'The call was given up.', { failedBy: 'local' }),
  ],
] as const) {
  it(`goes on being sent when ${what} here, since the other hub may have it`, async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    expect(mum.work.approvals.pending()).toHaveLength(1);
    mum.messenger.swallowed.clear();
    dad.messenger.failing = failure;
    await clock.advance(60_000);
    expect(dad.messenger.failed).toBeGreaterThan(1);
    expect(dad.store.read.task(id)?.state).toBe('sending');
    dad.messenger.failing = undefined;
    await clock.advance(120_000);
    expect(dad.store.read.task(id)?.state).toBe('awaiting_approval');
    expect(mum.work.approvals.pending()).toHaveLength(1);
  });
}

it('is sent again when the disk did not take the other hub’s answer', async () => {
  const write = dad.store.write.bind(dad.store);
  let commits = 0;
  dad.store.write = (work) =>
    ++commits === 2
      ? Promise.reject(new AppError('storage_failed', 'The disk is full.'))
      : write(work);
  const sent = dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await expect(sent).rejects.toMatchObject({ code: 'storage_failed' });
  const [task] = dad.store.read.tasks({ limit: 1 });
  expect(task?.state).toBe('sending');
  await clock.advance(60_000);
  expect(dad.store.read.task(task?.id ?? '')?.state).toBe('awaiting_approval');
  expect(mum.work.approvals.pending()).toHaveLength(1);
});

it('tells who sends it at once what went wrong here before it left', async () => {
  dad.messenger.failing = new AppError('overloaded', 'Too much is under way already.', {
    failedBy: 'local',
  });
  const sent = dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await expect(sent).rejects.toMatchObject({ code: 'overloaded' });
  const [task] = dad.store.read.tasks({ limit: 1 });
  expect(task).toMatchObject({ state: 'failed', code: 'overloaded' });
});

it('is not refused by a hub that has no room when it is sent again: the try before may still come there', async () => {
  const text = (number: number) => delegation('mum', `Task ${number}`, { domain: 'family.chat' });
  for (let number = 0; number < PENDING_PER_PARTY_MAX; number += 1)
    await dad.work.sender.delegate(text(number), 'openclaw', null);
  // For all that is known here it is still on its way.
  dad.messenger.failing = new AppError('timeout', 'No answer came in time.', {
    failedBy: 'timeout',
  });
  const { id } = await dad.work.sender.delegate(text(PENDING_PER_PARTY_MAX), 'openclaw', null);
  dad.messenger.failing = undefined;
  await clock.advance(30_000);
  expect(dad.messenger.sent.filter((envelope) => envelope.id === id).length).toBeGreaterThan(1);
  expect(dad.store.read.task(id)?.state).toBe('sending');
  const [first] = mum.work.approvals.pending();
  if (first === undefined) throw new Error('requests wait at mum');
  await mum.decide(first, 'decline');
  const payload: unknown = JSON.parse(dad.store.read.task(id)?.payload ?? '{}');
  const late = await mum.hears(dad.key, {
    id,
    kind: 'delegate',
    payload: Object.assign({}, payload),
  });
  expect(late.payload).toMatchObject({ accepted: true });
  await clock.advance(120_000);
  expect(dad.store.read.task(id)?.state).toBe('awaiting_approval');
  expect(mum.work.approvals.pending()).toHaveLength(PENDING_PER_PARTY_MAX);
});

it('fails at its deadline when the other hub never has room', async () => {
  const text = (number: number, deadline_ms: number) =>
    delegation('mum', `Task ${number}`, { domain: 'family.chat', deadline_ms });
  for (let number = 0; number < PENDING_PER_PARTY_MAX; number += 1)
    await dad.work.sender.delegate(text(number, 3_600_000), 'openclaw', null);
  dad.messenger.failing = new AppError('timeout', 'No answer came in time.', {
    failedBy: 'timeout',
  });
  const { id } = await dad.work.sender.delegate(
    text(PENDING_PER_PARTY_MAX, 60_000),
    'openclaw',
    null,
  );
  dad.messenger.failing = undefined;
  await clock.advance(59_000);
  expect(dad.store.read.task(id)?.state).toBe('sending');
  await clock.advance(2_000);
  expect(dad.store.read.task(id)).toMatchObject({ state: 'failed', code: 'timeout' });
  expect(mum.work.approvals.pending()).toHaveLength(PENDING_PER_PARTY_MAX);
});

it('is refused at once by a hub that has no room when it is sent for the first time: nothing else of it is on its way', async () => {
  const send = (number: number) =>
    dad.work.sender.delegate(
      delegation('mum', `Task ${number}`, { domain: 'family.chat' }),
      'openclaw',
      null,
    );
  for (let number = 0; number < PENDING_PER_PARTY_MAX; number += 1) await send(number);
  await expect(send(PENDING_PER_PARTY_MAX)).rejects.toMatchObject({ code: 'overloaded' });
  const [task] = dad.store.read.tasks({ limit: 1 });
  expect(task).toMatchObject({ state: 'failed', code: 'overloaded' });
});

it('is not sent again as a choice to a hub that has become too old to read it as one, and goes on when that hub is newer again', async () => {
  const extensions = dad.messenger.extensions.bind(dad.messenger);
  const options = [{ label: '09:12, direct' }, { label: '10:40, one change' }];
  dad.messenger.failing = new AppError('timeout', 'No answer came in time.', {
    failedBy: 'timeout',
  });
  const { id } = await dad.work.sender.delegate(
    delegation('mum', 'Which train should I book?', { options }),
    'openclaw',
    null,
  );
  const sentOf = () => dad.messenger.sent.filter((envelope) => envelope.id === id).length;
  const before = sentOf();
  dad.cut(mum);
  dad.messenger.failing = undefined;
  dad.messenger.extensions = (peer) => extensions(peer).filter((name) => name !== 'escalations/1');
  dad.connect(mum);
  await clock.advance(120_000);
  expect(sentOf()).toBe(before);
  expect(dad.store.read.task(id)?.state).toBe('sending');
  expect(mum.store.read.tasks({ limit: 1 })).toEqual([]);
  dad.cut(mum);
  dad.messenger.extensions = extensions;
  dad.connect(mum);
  await clock.advance(120_000);
  expect(dad.store.read.task(id)?.state).toBe('awaiting_approval');
  expect(mum.card.choice?.options).toHaveLength(2);
});
