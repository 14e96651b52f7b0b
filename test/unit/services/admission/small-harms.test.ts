// What one failing part may not do to the others.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import type { Log } from '../../../../main/ports/log.ts';
import { UnitOfWork } from '../../../../main/services/base/unit-of-work.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { openTemporaryStore, SILENT_LOG } from '../../../fakes/memory-store.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const DONE = { status: 'completed', outcome: 'Done', truncated: false } as const;

it('runs every consequence of a commit, and gives its value, though one of them throws', async () => {
  const store = openTemporaryStore();
  const errors: string[] = [];
  const log: Log = { ...SILENT_LOG, error: (message) => void errors.push(message) };
  const unit = new UnitOfWork({ store, log });
  const ran: string[] = [];
  const value = await unit.run((tables, after) => {
    tables.setMeta('kept', 'yes');
    after(() => ran.push('first'));
    after(() => {
      throw new Error('a listener broke');
    });
    after(() => ran.push('last'));
    return 7;
  });
  expect([value, ran, store.read.getMeta('kept')]).toEqual([7, ['first', 'last'], 'yes']);
  expect(errors).toEqual(['consequence of a commit failed']);
  await store.close();
});

describe('a hub', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;

  beforeEach(async () => {
    ({ clock, dad, mum } = await openTwoHubs());
  });

  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  const ask = (signal: AbortSignal) => {
    const asked = dad.work.sender.query(
      { to: 'mum', question: 'Milk?', domain: 'family.chat' },
      'openclaw',
      signal,
    );
    return asked.then(
      (report) => report.state,
      (error: unknown) => (error instanceof AppError ? error.code : 'broken'),
    );
  };

  it('hands out the questions it has claimed though the store refuses the rest', async () => {
    await dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await mum.decide(mum.card, 'allow');
    await mum.work.agents.setClass('claude', { riskClass: 'R0' }, OWNER);
    const asked = ask(new AbortController().signal);
    await clock.settle();
    const { write } = mum.store;
    mum.store.write = () => Promise.reject(new AppError('storage_failed', 'The disk is full.'));
    const items = await mum.work.inbox.claim('claude', 8);
    mum.store.write = write;
    expect(items.map((item) => item.kind)).toEqual(['query']);
    await mum.work.inbox.reply('claude', items[0]?.delivery_id ?? '', DONE);
    expect(await asked).toBe('answered');
  });

  it('leaves no timer after it has stopped, though a checkpoint was under way', async () => {
    await dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat', report_back: false }),
      'openclaw',
      null,
    );
    await clock.settle();
    let release: () => void = () => undefined;
    const write = mum.store.write.bind(mum.store);
    const held = new Promise<void>((resolve) => (release = resolve));
    mum.store.write = async (work) => {
      await held;
      return write(work);
    };
    await dad.work.stop();
    await clock.advance(30_000);
    const stopped = mum.work.stop();
    release();
    await stopped;
    await clock.settle();
    expect(clock.timers).toBe(0);
  });

  it('puts no durable "stop" into an inbox for a question that was never a durable item', async () => {
    const gone = new AbortController();
    const asked = ask(gone.signal);
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    await clock.settle();
    expect((await mum.claim('claude')).kind).toBe('query');
    gone.abort();
    expect(await asked).not.toBe('answered');
    await clock.settle();
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
    expect(await mum.work.inbox.claim('claude', 8)).toEqual([]);
  });

  it('limits what one of its own agents tells the others', async () => {
    const tell = () =>
      mum.work.sender.notify(
        { to: 'local', topic: 'user.mood', data: 'fine', importance: 'low' },
        'claude',
      );
    for (let count = 0; count < 60; count++) await tell();
    await expect(tell()).rejects.toMatchObject({ code: 'rate_limited' });
    await clock.advance(60_000);
    expect((await tell()).state).toBe('delivered');
  });
});
