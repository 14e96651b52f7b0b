// What ended long ago loses its words and nothing else: over real stores, on a clock that the test moves.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isApprovalPurged } from '../../../../main/ports/retention.ts';
import { CHUNK_PAUSE_MS, CHUNK_ROWS, FIRST_LOOK_MS, LOOK_INTERVAL_MS } from '../../../../main/services/retention/limits.ts';
import { readState } from '../../../../main/services/retention/retention-state.ts';
import { Retention, RETENTION_META } from '../../../../main/services/retention/retention.ts';
import type { Envelope } from '../../../../main/protocol/envelope.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { deliveryRow, feedRow, keyOf, messageRow, outboxRow, taskRow } from '../../../fakes/sample-rows.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const KEPT = { keepMessagesMs: () => YEAR_MS, keepFeedMs: () => 90 * DAY_MS };
const WORDS = 'Tell the family chat that dinner is at 7';
const REMOVED = 'The words of this request are not kept any longer.';
const PERSON = { person: { tokenId: 'ui-1', surface: 'browser' } } as const;
const never = new AbortController().signal;

let hubs: TwoHubs;
let retention: Retention;
beforeEach(async () => {
  hubs = await openTwoHubs();
  retention = new Retention({ store: hubs.mum.store, clock: hubs.clock, log: SILENT_LOG, ...KEPT });
});
afterEach(async () => {
  await retention.stop();
  await closeTwoHubs(hubs);
});

/** The hub runs for so long. */
async function runs(forMs: number): Promise<void> {
  retention.start();
  hubs.clock.standStill(forMs);
  await looks();
}

/** It looks at the clock, and removes what there is to be removed. */
async function looks(): Promise<void> {
  retention.start();
  await hubs.clock.advance(FIRST_LOOK_MS + 1);
  await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
}

const ask = (id: string, task = WORDS): Promise<Envelope> =>
  hubs.mum.hears(hubs.dad.key, { id, kind: 'delegate', payload: { task, domain: 'family.chat' } });

/** One that was allowed, done and reported. */
async function done(id: string): Promise<Envelope> {
  const { mum, dad, clock } = hubs;
  const ack = await ask(id);
  await mum.decide(mum.card, 'allow');
  const item = await mum.claim('claude');
  await mum.work.inbox.reply('claude', item.delivery_id, { status: 'completed', outcome: 'It is said.', truncated: false });
  await clock.settle();
  for (const row of mum.store.read.outboxOf(dad.key))
    await mum.store.write((tables) => tables.putOutbox({ ...row, settledAt: clock.wallMs() }));
  return ack;
}

const removals = (): readonly unknown[] =>
  hubs.mum.store.read
    .audit({ limit: 1_000 })
    .filter(({ action }) => action === 'records.removed')
    .map(({ detail }) => JSON.parse(detail));

describe('what ended more than a year ago', () => {
  const id = crypto.randomUUID();

  it('loses its words, and keeps its ids, digest, end and code', async () => {
    const { mum, dad } = hubs;
    await done(id);
    const before = mum.store.read.taskByMessage('incoming', dad.key, id);
    const approval = mum.store.read.approvalOfTask(before?.id ?? '');
    const messages = mum.store.read.messages({ limit: 9 }, {}).length;
    expect(messages).toBeGreaterThan(1);
    await runs(YEAR_MS - 2 * DAY_MS);
    expect(mum.store.read.taskByMessage('incoming', dad.key, id)).toEqual(before);
    await runs(3 * DAY_MS);
    expect(mum.store.read.taskByMessage('incoming', dad.key, id)).toEqual({ ...before, payload: '', result: null, reason: null });
    expect(mum.store.read.approvalOfTask(before?.id ?? '')).toEqual({ ...approval, view: '', reason: null });
    expect(mum.store.read.messages({ limit: 9 }, {})).toEqual([]);
    expect(mum.store.read.conversations({ limit: 9 })).toEqual([]);
    expect(mum.store.read.deliveryOfTask(before?.id ?? '', 'delegate')).toBeUndefined();
    expect(removals()).toEqual([{ tasks: 1, deliveries: 1, messages, outbox: 1, feed: 0 }]);
    expect(JSON.stringify(mum.store.read.audit({ limit: 99 }))).not.toContain('dinner');
  });

  it('DL-01: is still known: the same ack, a conflict for other words, and no second card', async () => {
    const { mum } = hubs;
    const ack = await done(id);
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.payload).toBe('');
    for (let round = 0; round < 1_000; round++) expect((await ask(id)).payload).toEqual(ack.payload);
    expect(await ask(id, 'Unlock the door')).toMatchObject({ kind: 'error', payload: { code: 'conflict' } });
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 9 })).toHaveLength(1);
    expect(mum.store.read.messages({ limit: 9 }, {})).toEqual([]);
    await mum.restart();
    expect((await ask(id)).payload).toEqual(ack.payload);
  });

  it('DL-01: a cancel that comes again after its task was emptied has the same answer', async () => {
    const { mum, dad, clock } = hubs;
    await ask(id);
    const cancel = { id: crypto.randomUUID(), kind: 'cancel', ref: id, payload: { reason: 'Not today' } } as const;
    const first = await mum.hears(dad.key, cancel);
    expect(first).toMatchObject({ kind: 'ack', payload: { accepted: true } });
    await clock.settle();
    for (const row of mum.store.read.outboxOf(dad.key)) await mum.store.write((tables) => tables.putOutbox({ ...row, settledAt: 1 }));
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.taskByMessage('incoming', dad.key, id)).toMatchObject({ state: 'cancelled', payload: '', reason: null });
    expect((await mum.hears(dad.key, cancel)).payload).toEqual(first.payload);
    const other = await mum.hears(dad.key, { ...cancel, payload: { reason: 'Another' } });
    expect(other).toMatchObject({ kind: 'error', payload: { code: 'conflict' } });
    expect(mum.store.read.messages({ limit: 9 }, {})).toEqual([]);
  });

  it('is told from a card that waits and lost its words: that one was damaged', () => {
    expect(isApprovalPurged({ view: '', state: 'declined' })).toBe(true);
    expect(isApprovalPurged({ view: '', state: 'pending' })).toBe(false);
    expect(isApprovalPurged({ view: '{}', state: 'declined' })).toBe(false);
  });

  it('DL-01: a result that comes again after it was removed is not taken twice', async () => {
    const { mum, dad } = hubs;
    const task = taskRow({ id: 'sent', direction: 'outgoing', party: dad.key, messageId: crypto.randomUUID(), state: 'running' });
    await mum.store.write((tables) => tables.insertTask(task));
    const report = {
      id: crypto.randomUUID(),
      kind: 'result',
      ref: task.messageId,
      payload: { status: 'completed', outcome: 'Planned' },
    } as const;
    await mum.isTold(dad.key, report);
    expect(mum.store.read.task(task.id)).toMatchObject({ state: 'completed', result: expect.stringContaining('Planned') });
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.task(task.id)?.payload, 'its agent has not been told').not.toBe('');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.task(task.id)).toMatchObject({ payload: '', result: null, state: 'completed' });
    const audited = mum.auditActions().length;
    await mum.isTold(dad.key, report);
    await mum.isTold(dad.key, { ...report, payload: { status: 'completed', outcome: 'Other' } });
    expect(mum.store.read.task(task.id)).toMatchObject({ payload: '', result: null, state: 'completed' });
    expect(mum.auditActions().slice(0, mum.auditActions().length - audited)).toEqual(['message.conflict']);
  });

  it('says in words, everywhere, that the words are gone, and nowhere that they were damaged', async () => {
    const { mum, dad } = hubs;
    await done(id);
    const answered = crypto.randomUUID();
    await ask(answered);
    await mum.decide(mum.card, 'answer', undefined, { answer: 'I said it myself.' });
    await hubs.clock.settle();
    for (const row of mum.store.read.outboxOf(dad.key)) await mum.store.write((tables) => tables.putOutbox({ ...row, settledAt: 1 }));
    const task = mum.store.read.taskByMessage('incoming', dad.key, id);
    await runs(YEAR_MS + DAY_MS);
    const decided = mum.work.approvals.decided({ limit: 9 }).items;
    expect(decided.map(({ text, state }) => [text, state])).toEqual([
      [REMOVED, 'answered'],
      [REMOVED, 'approved'],
    ]);
    expect(decided.map(({ own_answer }) => own_answer)).toEqual([
      { text: 'The words of this answer are not kept any longer.', choice: null },
      null,
    ]);
    expect(decided[0]).toMatchObject({ peer_name: 'dad', domain: 'family.chat', risk_class: 'R2', fields: [] });
    expect(await mum.work.tasks.get(task?.id ?? '', PERSON, 0, never)).toMatchObject({
      text: REMOVED,
      state: 'completed',
      untrusted: null,
    });
    expect(() => mum.work.conversations.get(task?.conversationId ?? '', null)).toThrow(/not kept any longer/);
    expect(() => mum.work.conversations.get('never', null)).toThrow(/no such conversation/);
    expect(mum.work.conversations.list({ limit: 9 }, null).items).toEqual([]);
    expect(mum.work.snapshot().recently_decided).toHaveLength(2);
    await mum.restart();
    expect(mum.work.snapshot().recently_decided).toHaveLength(2);
  });
});

describe('what still is of use', () => {
  it('stays: what waits, is held, runs, was not handed out, was not told yet, and what ended lately', async () => {
    const { store } = hubs.mum;
    const ended = { state: 'completed', result: '{}', finishedAt: hubs.clock.wallMs() } as const;
    await store.write((tables) => {
      for (const state of ['received', 'awaiting_approval', 'held', 'approved', 'queued', 'claimed', 'running', 'cancelling'] as const) {
        tables.insertTask(taskRow({ id: `open-${state}`, direction: state === 'cancelling' ? 'outgoing' : 'incoming', state }));
        tables.insertMessage(messageRow({ messageId: `of-${state}`, taskId: `open-${state}`, conversationId: 'c' }));
      }
      tables.insertTask(taskRow({ id: 'untold', ...ended }));
      tables.insertMessage(messageRow({ messageId: 'report', direction: 'out', taskId: 'untold', kind: 'result' }));
      tables.putOutbox(outboxRow({ messageId: 'report' }));
      tables.insertTask(taskRow({ id: 'unheard', ...ended }));
      tables.insertDelivery(deliveryRow({ deliveryId: 'queued', kind: 'result', taskId: 'unheard' }));
      tables.insertDelivery(deliveryRow({ deliveryId: 'dead', kind: 'notify', state: 'dead' }));
      tables.insertTask(taskRow({ id: 'over', ...ended }));
      tables.insertFeed(feedRow({ at: hubs.clock.wallMs() }));
    });
    const all = (): readonly unknown[] => [
      store.read.tasks({ limit: 99 }).filter(({ id }) => id !== 'over'),
      store.read.messages({ limit: 99 }, {}),
      store.read.outboxOf(keyOf('Mum PC')),
      store.read.delivery('queued'),
      store.read.delivery('dead'),
      store.read.conversations({ limit: 9 }),
      store.read.currentRules(),
      store.read.peers(),
    ];
    const before = all();
    // The work itself is stopped: only what is removed by its age is asked about here.
    await hubs.mum.work.stop();
    await runs(3 * YEAR_MS);
    expect(store.read.task('over')?.payload).toBe('');
    expect(all()).toEqual(before);
    expect(store.read.feed({ limit: 9 })).toEqual([]);
    expect(removals()).toEqual([{ tasks: 1, deliveries: 0, messages: 0, outbox: 0, feed: 1 }]);
  });

  it('keeps a conversation with what is left of it', async () => {
    const { store } = hubs.mum;
    const now = hubs.clock.wallMs();
    await store.write((tables) => {
      for (const [index, days] of [0, 1, 390, 391].entries()) {
        tables.insertMessage(messageRow({ messageId: `m${index}`, conversationId: 'talk', at: now + days * DAY_MS }));
      }
    });
    await runs(400 * DAY_MS);
    const rows = store.read.messages({ limit: 9 }, { conversationId: 'talk' });
    expect(rows.map(({ messageId }) => messageId)).toEqual(['m3', 'm2']);
    expect(store.read.conversations({ limit: 9 })).toEqual([
      expect.objectContaining({ messages: 2, firstAt: now + 390 * DAY_MS, lastAt: now + 391 * DAY_MS, lastSeq: rows[0]?.seq }),
    ]);
    expect(hubs.mum.work.conversations.get('talk', null).entries).toHaveLength(2);
  });
});

describe('a clock that is wrong', () => {
  const old = crypto.randomUUID();
  const words = (): string | undefined => hubs.mum.store.read.taskByMessage('incoming', hubs.dad.key, old)?.payload;

  it('F-12: that jumps ten years ahead removes nothing for as long as a person needs to see it, though the hub is restarted', async () => {
    await done(old);
    await looks();
    hubs.clock.jumpWall(10 * YEAR_MS);
    for (let day = 0; day < 11; day++) {
      await runs(DAY_MS);
      expect(words(), `day ${day}`).toContain('dinner');
      await retention.stop();
      retention = new Retention({ store: hubs.mum.store, clock: hubs.clock, log: SILENT_LOG, ...KEPT });
    }
    hubs.clock.jumpWall(-10 * YEAR_MS);
    await runs(DAY_MS);
    expect(words()).toContain('dinner');
    expect(removals()).toEqual([]);
  });

  it('F-12: is believed after some days of running, so that a hub that was off for a year goes on', async () => {
    await done(old);
    await looks();
    hubs.clock.jumpWall(YEAR_MS + 2 * DAY_MS);
    await runs(DAY_MS);
    expect(words()).toContain('dinner');
    await runs(14 * DAY_MS);
    expect(words()).toBe('');
  });

  it('F-12: that is set back removes nothing, whatever was believed before', async () => {
    await done(old);
    await runs(300 * DAY_MS);
    hubs.clock.jumpWall(-200 * DAY_MS);
    await runs(100 * DAY_MS);
    expect(words()).toContain('dinner');
  });

  it('a hub that never removed anything does not begin with a clock that jumped before', async () => {
    await done(old);
    hubs.clock.jumpWall(2 * YEAR_MS);
    await runs(5 * DAY_MS);
    expect(words()).toContain('dinner');
  });
});

describe('a hub that runs a little every day', () => {
  const MINUTE_MS = 60_000;
  const old = crypto.randomUUID();
  const words = (): string | undefined => hubs.mum.store.read.taskByMessage('incoming', hubs.dad.key, old)?.payload;
  const behindMs = (): number =>
    hubs.clock.wallMs() - (readState(hubs.mum.store.read.getMeta(RETENTION_META))?.believedMs ?? Number.NEGATIVE_INFINITY);
  /** A day of this household: the hub runs for so many minutes of it. */
  async function day(minutes: number, end: 'stops' | 'is killed' = 'stops'): Promise<void> {
    const run = new Retention({ store: hubs.mum.store, clock: hubs.clock, log: SILENT_LOG, ...KEPT, keepMessagesMs: () => 3 * DAY_MS });
    run.start();
    await hubs.clock.advance(minutes * MINUTE_MS);
    const written = hubs.mum.store.read.getMeta(RETENTION_META);
    await run.stop();
    if (end === 'is killed') await hubs.mum.store.write((tables) => tables.setMeta(RETENTION_META, written ?? ''));
    hubs.clock.jumpWall(DAY_MS - minutes * MINUTE_MS);
  }

  it('keeps up with the calendar from 48 minutes on, and removes what is due in time', async () => {
    await done(old);
    await hubs.mum.work.stop();
    for (let days = 0; days < 3; days++) await day(48);
    expect(words()).toContain('dinner');
    for (let days = 0; days < 2; days++) await day(48);
    expect(words()).toBe('');
    expect(behindMs()).toBeLessThanOrEqual(DAY_MS);
  });

  it('has every minute of it counted, that of a run too short to remove anything as well', async () => {
    await hubs.mum.work.stop();
    await day(4);
    const before = behindMs();
    for (let days = 0; days < 6; days++) await day(4);
    expect(behindMs() - before).toBe(6 * (DAY_MS - 30 * 4 * MINUTE_MS));
  });

  it('loses a few minutes of a run that ends without an order, and counts none twice', async () => {
    await hubs.mum.work.stop();
    await day(4);
    const before = behindMs();
    await day(28, 'is killed');
    expect(behindMs() - before).toBe(DAY_MS - 30 * 25 * MINUTE_MS);
    await day(28);
    expect(behindMs() - before).toBe(2 * DAY_MS - 30 * (25 + 28) * MINUTE_MS);
    const state = hubs.mum.store.read.getMeta(RETENTION_META);
    retention.start();
    await retention.stop();
    hubs.clock.standStill(DAY_MS);
    await retention.stop();
    expect(hubs.mum.store.read.getMeta(RETENTION_META)).toBe(state);
  });
});

describe('the chunks', () => {
  const ROWS = 10 * CHUNK_ROWS;
  const left = (): number => hubs.mum.store.read.tasks({ limit: 1_000 }).filter(({ payload }) => payload !== '').length;

  beforeEach(async () => {
    const finishedAt = hubs.clock.wallMs();
    await hubs.mum.store.write((tables) => {
      for (let index = 0; index < ROWS; index++)
        tables.insertTask(taskRow({ id: `t${index}`, state: 'completed', result: '{}', finishedAt }));
    });
    await hubs.mum.work.stop();
    retention.start();
    hubs.clock.standStill(YEAR_MS + DAY_MS);
    await hubs.clock.advance(0);
  });

  it('are commits of their own with a pause between, and one row tells of all', async () => {
    expect(left()).toBe(ROWS - CHUNK_ROWS);
    await hubs.clock.advance(CHUNK_PAUSE_MS);
    expect(left()).toBe(ROWS - 2 * CHUNK_ROWS);
    expect(removals()).toEqual([]);
    await hubs.clock.advance(CHUNK_PAUSE_MS * 20);
    expect(left()).toBe(0);
    expect(removals()).toEqual([expect.objectContaining({ tasks: ROWS })]);
    await hubs.clock.advance(LOOK_INTERVAL_MS * 3);
    expect(removals()).toHaveLength(1);
  });

  it('end with a hub that stops, and nothing of it goes on', async () => {
    const timers = hubs.clock.timers;
    await retention.stop();
    expect(left()).toBe(ROWS - CHUNK_ROWS);
    await hubs.clock.advance(LOOK_INTERVAL_MS * 30);
    expect(left()).toBe(ROWS - CHUNK_ROWS);
    expect(hubs.clock.timers).toBeLessThan(timers);
  });

  it('that were done before a crash are told of after it, with the others', async () => {
    await hubs.clock.advance(CHUNK_PAUSE_MS);
    await hubs.mum.restart();
    expect(readState(hubs.mum.store.read.getMeta(RETENTION_META))?.removed.tasks).toBe(2 * CHUNK_ROWS);
    await retention.stop();
    retention = new Retention({ store: hubs.mum.store, clock: hubs.clock, log: SILENT_LOG, ...KEPT });
    await looks();
    expect(left()).toBe(0);
    expect(removals()).toEqual([expect.objectContaining({ tasks: ROWS })]);
    expect(readState(hubs.mum.store.read.getMeta(RETENTION_META))?.removed.tasks).toBe(0);
  });
});
