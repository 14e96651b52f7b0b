// A cancel that comes before its request: in the same commit, a moment before, or for an id
// that is something else altogether.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import type { PartyKey } from '../../../../main/ports/transport.ts';
import { RecentIds } from '../../../../main/services/tasks/replay-guard.ts';
import { CANCELLED_IDS_PER_PARTY_MAX } from '../../../../main/services/admission/limits.ts';
import { RECENT_ID_WINDOW_MS, RECENT_IDS_MAX } from '../../../../main/services/tasks/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import type { WorkHub } from '../../../fakes/work-hub.ts';

describe('at a hub', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;

  beforeEach(async () => {
    ({ clock, dad, mum } = await openTwoHubs());
  });

  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  const hears = (message: Parameters<WorkHub['hears']>[1]) => mum.hears(dad.key, message);
  const cancelOf = (ref: string) =>
    hears({ id: crypto.randomUUID(), kind: 'cancel', ref, payload: {} });
  const delegate = (id: string) =>
    hears({ id, kind: 'delegate', payload: { task: 'Dinner is at 7', domain: 'family.chat' } });
  const query = (id: string) =>
    hears({ id, kind: 'query', payload: { question: 'Milk?', domain: 'family.chat' } });

  it('keeps a delegation from being begun that comes in the same turn as its cancel and behind it', async () => {
    const id = crypto.randomUUID();
    const [cancelled, answered] = await Promise.all([cancelOf(id), delegate(id)]);
    expect(cancelled.payload).toMatchObject({ accepted: false, code: 'rejected' });
    expect(answered.payload).toMatchObject({ accepted: false, code: 'cancelled' });
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })).toEqual([]);
  });

  it('keeps a question from being asked that comes behind its cancel, and says why', async () => {
    const id = crypto.randomUUID();
    await cancelOf(id);
    const answered = await query(id);
    expect(answered).toMatchObject({ kind: 'error', payload: { code: 'cancelled' } });
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('takes a delegation whose id a query or a notification had: nobody called that off', async () => {
    await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
    const [asked, told] = [crypto.randomUUID(), crypto.randomUUID()];
    const answering = hears({
      id: asked,
      kind: 'query',
      payload: { question: 'When?', domain: 'family.calendar' },
    });
    await clock.settle();
    const item = await mum.claim('calendar');
    await mum.work.inbox.reply('calendar', item.delivery_id, {
      status: 'completed',
      summary: 'At 7',
      truncated: false,
    });
    await answering;
    await mum.isTold(dad.key, {
      id: told,
      kind: 'notify',
      payload: { topic: 'house.news', data: 'Home at 6' },
    });
    for (const id of [asked, told])
      expect((await delegate(id)).payload).toMatchObject({ accepted: true });
  });

  it('forgets a cancel whose commit failed: it changed nothing, and is sent again', async () => {
    const id = crypto.randomUUID();
    const write = mum.store.write.bind(mum.store);
    mum.store.write = (work) =>
      write((tables) => {
        work(tables);
        throw new AppError('storage_failed', 'The disk is full.');
      });
    expect((await cancelOf(id)).payload).toMatchObject({
      accepted: false,
      code: 'overloaded',
      retryable: true,
    });
    mum.store.write = write;
    expect((await delegate(id)).payload).toMatchObject({ accepted: true });
  });
});

describe('the memory of cancelled ids', () => {
  const clock = new ManualClock();
  const party = (index: number): PartyKey => index.toString(16).padStart(64, '0');

  it('lasts ten minutes', async () => {
    const ids = new RecentIds({ clock }, CANCELLED_IDS_PER_PARTY_MAX);
    ids.keep(party(1), 'a');
    await clock.advance(RECENT_ID_WINDOW_MS - 1);
    expect([ids.has(party(1), 'a'), ids.has(party(2), 'a')]).toEqual([true, false]);
    await clock.advance(1);
    expect(ids.has(party(1), 'a')).toBe(false);
  });

  it('gives each party its share, so that nobody makes it forget what another cancelled', () => {
    const ids = new RecentIds({ clock }, CANCELLED_IDS_PER_PARTY_MAX);
    ids.keep(party(1), 'mine');
    for (let index = 0; index <= CANCELLED_IDS_PER_PARTY_MAX; index += 1)
      ids.keep(party(2), `${index}`);
    expect([ids.has(party(2), '0'), ids.has(party(2), '1')]).toEqual([false, true]);
    expect(ids.has(party(1), 'mine')).toBe(true);
  });

  it('is bounded over all parties, and forgets the oldest first', () => {
    const ids = new RecentIds({ clock }, CANCELLED_IDS_PER_PARTY_MAX);
    for (let index = 0; index <= RECENT_IDS_MAX; index += 1)
      ids.keep(party(Math.floor(index / 100)), `${index}`);
    expect([ids.has(party(0), '0'), ids.has(party(0), '1')]).toEqual([false, true]);
  });
});
