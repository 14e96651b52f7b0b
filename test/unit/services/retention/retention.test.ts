// What ended long ago loses its words and nothing else: over real stores, on a clock that the test
// moves.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isApprovalPurged } from '../../../../main/ports/retention.ts';
import {
  CHANGE_PAUSE_MS,
  CHUNK_PAUSE_MS,
  CHUNK_ROWS,
  FIRST_PURGE_MS,
  PURGE_INTERVAL_MS,
} from '../../../../main/services/retention/limits.ts';
import {
  readState,
  Retention,
  RETENTION_META,
} from '../../../../main/services/retention/retention.ts';
import type { Envelope } from '../../../../main/protocol/envelope.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import {
  auditRow,
  deliveryRow,
  feedRow,
  keyOf,
  messageRow,
  outboxRow,
  taskRow,
} from '../../../fakes/sample-rows.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation } from '../../../fakes/work-hub.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const KEPT = { keepMessagesMs: () => YEAR_MS, keepFeedMs: () => 90 * DAY_MS };
const WORDS = 'Tell the family chat that dinner is at 7';
const REMOVED = 'The words of this request are no longer kept.';
const PERSON = { person: { actor: 'ui:1', surface: 'browser' } } as const;
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

const OWNER = { actor: 'ui:1', surface: 'browser' } as const;

/** The hub runs for so long, and its owner confirms the date. */
async function runs(forMs: number): Promise<void> {
  retention.start();
  await hubs.clock.settle();
  hubs.clock.standStill(forMs);
  await retention.confirmDate(hubs.clock.wallMs(), OWNER);
  await removes();
}

async function dayPasses(): Promise<void> {
  hubs.clock.standStill(PURGE_INTERVAL_MS);
  await hubs.clock.advance(0);
}

/** It removes what there is to be removed, if the date is known. */
async function removes(): Promise<void> {
  retention.start();
  await hubs.clock.advance(FIRST_PURGE_MS + 1);
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
  await mum.work.inbox.reply('claude', item.delivery_id, {
    status: 'completed',
    outcome: 'It is said.',
    truncated: false,
  });
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

it('keeps what a program asked to do for seven days, and all else for as long as its owner says', async () => {
  const { mum } = hubs;
  await done(crypto.randomUUID());
  const wants = {
    tool: 'Bash',
    input: { command: 'rm -rf build' },
    folder: '/home/mum',
    deadline_ms: 50_000,
  };
  const said = mum.work.permissions.ask('claude', wants, never);
  await hubs.clock.settle();
  await mum.decide(mum.card, 'decline');
  expect((await said).decision).toBe('decline');
  const texts = () => mum.work.approvals.decided({ limit: 9 }).items.map(({ text }) => text);
  await runs(6 * DAY_MS);
  expect(texts()).toEqual(['Bash\nrm -rf build', WORDS]);
  await runs(2 * DAY_MS);
  expect(texts()).toEqual([REMOVED, WORDS]);
});

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
    expect(mum.store.read.taskByMessage('incoming', dad.key, id)).toEqual({
      ...before,
      payload: '',
      result: null,
      reason: null,
    });
    expect(mum.store.read.approvalOfTask(before?.id ?? '')).toEqual({
      ...approval,
      view: '',
      reason: null,
    });
    expect(mum.store.read.messages({ limit: 9 }, {})).toEqual([]);
    expect(mum.store.read.conversations({ limit: 9 })).toEqual([]);
    expect(mum.store.read.deliveryOfTask(before?.id ?? '', 'delegate')).toBeUndefined();
    // The request and its answer went with the task.
    expect(removals()).toEqual([
      { tasks: 1, deliveries: 1, messages: messages - 2, outbox: 1, feed: 0 },
    ]);
    expect(JSON.stringify(mum.store.read.audit({ limit: 99 }))).not.toContain('dinner');
  });

  it('leaves the title to what was said since, as the words of whoever said it', async () => {
    const { mum, dad } = hubs;
    await dad.agent('lists', ['family.lists']);
    await dad.knows(mum);
    await done(id);
    await runs(YEAR_MS + DAY_MS);
    const later = delegation('dad', 'Bread', { domain: 'family.lists', conversation: { id } });
    await mum.work.sender.delegate(later, 'claude', null);
    const [conversation] = mum.work.conversations.list({ limit: 9 }).items;
    expect(conversation).toMatchObject({ title: 'Bread', title_by: 'us', from_agent: 'claude' });
  });

  it('DL-01: is still known: the same ack, a conflict for other words, and no second card', async () => {
    const { mum } = hubs;
    const ack = await done(id);
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.payload).toBe('');
    for (let round = 0; round < 1_000; round++)
      expect((await ask(id)).payload).toEqual(ack.payload);
    expect(await ask(id, 'Unlock the door')).toMatchObject({
      kind: 'error',
      payload: { code: 'conflict' },
    });
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 9 })).toHaveLength(1);
    expect(mum.store.read.messages({ limit: 9 }, {})).toEqual([]);
    await mum.restart();
    expect((await ask(id)).payload).toEqual(ack.payload);
  });

  it('DL-01: a cancel that comes again after its task was emptied has the same answer', async () => {
    const { mum, dad, clock } = hubs;
    await ask(id);
    const cancel = {
      id: crypto.randomUUID(),
      kind: 'cancel',
      ref: id,
      payload: { reason: 'Not today' },
    } as const;
    const first = await mum.hears(dad.key, cancel);
    expect(first).toMatchObject({ kind: 'ack', payload: { accepted: true } });
    await clock.settle();
    for (const row of mum.store.read.outboxOf(dad.key))
      await mum.store.write((tables) => tables.putOutbox({ ...row, settledAt: 1 }));
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.taskByMessage('incoming', dad.key, id)).toMatchObject({
      state: 'cancelled',
      payload: '',
      reason: null,
    });
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
    const task = taskRow({
      id: 'sent',
      direction: 'outgoing',
      party: dad.key,
      messageId: crypto.randomUUID(),
      state: 'running',
    });
    await mum.store.write((tables) => tables.insertTask(task));
    const report = {
      id: crypto.randomUUID(),
      kind: 'result',
      ref: task.messageId,
      payload: { status: 'completed', outcome: 'Planned' },
    } as const;
    await mum.isTold(dad.key, report);
    expect(mum.store.read.task(task.id)).toMatchObject({
      state: 'completed',
      result: expect.stringContaining('Planned'),
    });
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.task(task.id)?.payload, 'its agent has not been told').not.toBe('');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await runs(YEAR_MS + DAY_MS);
    expect(mum.store.read.task(task.id)).toMatchObject({
      payload: '',
      result: null,
      state: 'completed',
    });
    const audited = mum.auditActions().length;
    await mum.isTold(dad.key, report);
    await mum.isTold(dad.key, { ...report, payload: { status: 'completed', outcome: 'Other' } });
    expect(mum.store.read.task(task.id)).toMatchObject({
      payload: '',
      result: null,
      state: 'completed',
    });
    expect(mum.auditActions().slice(0, mum.auditActions().length - audited)).toEqual([
      'message.conflict',
    ]);
  });

  it('says in words, everywhere, that the words are gone, and nowhere that they were damaged', async () => {
    const { mum, dad } = hubs;
    await done(id);
    const answered = crypto.randomUUID();
    await ask(answered);
    await mum.decide(mum.card, 'answer', undefined, { answer: 'I said it myself.' });
    await hubs.clock.settle();
    for (const row of mum.store.read.outboxOf(dad.key))
      await mum.store.write((tables) => tables.putOutbox({ ...row, settledAt: 1 }));
    const task = mum.store.read.taskByMessage('incoming', dad.key, id);
    await runs(YEAR_MS + DAY_MS);
    const decided = mum.work.approvals.decided({ limit: 9 }).items;
    expect(decided.map(({ text, state }) => [text, state])).toEqual([
      [REMOVED, 'answered'],
      [REMOVED, 'approved'],
    ]);
    expect(decided.map(({ own_answer }) => own_answer)).toEqual([
      { text: 'The words of this answer are no longer kept.', choice: null },
      null,
    ]);
    expect(decided[0]).toMatchObject({
      peer_name: 'dad',
      domain: 'family.chat',
      risk_class: 'R2',
      fields: [],
    });
    expect(await mum.work.tasks.get(task?.id ?? '', PERSON, 0, never)).toMatchObject({
      text: REMOVED,
      state: 'completed',
      untrusted: null,
    });
    await expect(mum.work.conversations.get(task?.conversationId ?? '', null)).rejects.toThrow(
      /no longer kept/,
    );
    await expect(mum.work.conversations.get('never', null)).rejects.toThrow(/no such conversation/);
    expect(mum.work.conversations.list({ limit: 9 }).items).toEqual([]);
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
      for (const state of [
        'received',
        'awaiting_approval',
        'held',
        'approved',
        'queued',
        'claimed',
        'running',
        'cancelling',
      ] as const) {
        tables.insertTask(
          taskRow({
            id: `open-${state}`,
            direction: state === 'cancelling' ? 'outgoing' : 'incoming',
            state,
          }),
        );
        tables.insertMessage(
          messageRow({ messageId: `of-${state}`, taskId: `open-${state}`, conversationId: 'c' }),
        );
      }
      tables.insertTask(taskRow({ id: 'untold', ...ended }));
      tables.answerTask('untold', { messageId: 'report', kind: 'result', fromAgent: null, at: 1 });
      tables.putOutbox(outboxRow({ messageId: 'report' }));
      tables.insertTask(taskRow({ id: 'unheard', ...ended }));
      tables.insertDelivery(
        deliveryRow({ deliveryId: 'queued', kind: 'result', taskId: 'unheard' }),
      );
      tables.insertDelivery(deliveryRow({ deliveryId: 'dead', kind: 'notify', state: 'dead' }));
      tables.insertTask(taskRow({ id: 'over', ...ended }));
      tables.insertFeed(feedRow({ at: hubs.clock.wallMs() }));
    });
    const all = (): readonly unknown[] => [
      store.read.tasks({ limit: 99 }).filter(({ id }) => id !== 'over'),
      store.read.messages({ limit: 99 }, {}).filter(({ taskId }) => taskId !== 'over'),
      store.read.outboxOf(keyOf('Mum PC')),
      store.read.delivery('queued'),
      store.read.delivery('dead'),
      store.read
        .conversations({ limit: 99 })
        .filter(({ conversationId }) => conversationId !== 'conversation of over'),
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
        tables.insertMessage(
          messageRow({ messageId: `m${index}`, conversationId: 'talk', at: now + days * DAY_MS }),
        );
      }
    });
    await runs(400 * DAY_MS);
    const rows = store.read.messages({ limit: 9 }, { conversationId: 'talk' });
    expect(rows.map(({ messageId }) => messageId)).toEqual(['m3', 'm2']);
    expect(store.read.conversations({ limit: 9 })).toEqual([
      expect.objectContaining({
        messages: 2,
        firstAt: now + 390 * DAY_MS,
        lastAt: now + 391 * DAY_MS,
        lastSeq: rows[0]?.seq,
      }),
    ]);
    expect((await hubs.mum.work.conversations.get('talk', null)).entries).toHaveLength(2);
  });
});

describe('a clock that jumps more than sixty days ahead', () => {
  const old = crypto.randomUUID();
  const words = (): string | undefined =>
    hubs.mum.store.read.taskByMessage('incoming', hubs.dad.key, old)?.payload;
  const confirmations = (): readonly unknown[] =>
    hubs.mum.store.read
      .audit({ limit: 1_000 })
      .filter(({ action }) => action === 'settings.date_confirmed')
      .map(({ actor, surface }) => ({ actor, surface }));
  async function restarts(): Promise<void> {
    await retention.stop();
    retention = new Retention({
      store: hubs.mum.store,
      clock: hubs.clock,
      log: SILENT_LOG,
      ...KEPT,
    });
  }
  beforeEach(async () => {
    await done(old);
    await hubs.mum.work.stop();
  });

  it('F-12: stops the removal while the hub runs and after each restart, until it is right again', async () => {
    await removes();
    hubs.clock.jumpWall(10 * YEAR_MS);
    for (let day = 0; day < 100; day++) await dayPasses();
    expect(retention.dateInQuestion).toBe(hubs.clock.wallMs());
    for (let start = 0; start < 5; start++) {
      await restarts();
      await removes();
      expect(retention.dateInQuestion).toBe(hubs.clock.wallMs());
    }
    expect(words()).toContain('dinner');
    hubs.clock.jumpWall(-10 * YEAR_MS - 90 * DAY_MS);
    expect(retention.dateInQuestion).toBeNull();
    await restarts();
    await removes();
    expect(words()).toContain('dinner');
    expect([removals(), confirmations()]).toEqual([[], []]);
  });

  it('F-12: is noticed at the first start of all, by the newest row of the audit log as that start finds it', async () => {
    hubs.clock.jumpWall(2 * YEAR_MS);
    await restarts();
    await hubs.mum.store.write((tables) =>
      tables.appendAudit(auditRow({ at: hubs.clock.wallMs() })),
    );
    await removes();
    expect(retention.dateInQuestion).toBe(hubs.clock.wallMs());
    expect(words()).toContain('dinner');
  });

  it('F-12: removes once the owner has confirmed the date that was shown, with one row of the audit log', async () => {
    await removes();
    hubs.clock.jumpWall(2 * YEAR_MS);
    const shown = retention.dateInQuestion ?? 0;
    hubs.clock.jumpWall(2 * DAY_MS);
    await expect(retention.confirmDate(shown, OWNER)).rejects.toMatchObject({ code: 'conflict' });
    await Promise.all([1, 2].map(() => retention.confirmDate(hubs.clock.wallMs(), OWNER)));
    expect(retention.dateInQuestion).toBeNull();
    expect(words()).toContain('dinner');
    await hubs.clock.advance(CHANGE_PAUSE_MS);
    await hubs.clock.advance(CHUNK_PAUSE_MS * 200);
    expect(words()).toBe('');
    expect(confirmations()).toEqual([OWNER]);
    await restarts();
    expect(retention.dateInQuestion).toBeNull();
  });

  it('is not what a hub sees that runs for minutes a day, or was off for some weeks', async () => {
    for (let week = 0; week < 52; week++) {
      await restarts();
      retention.start();
      await hubs.clock.advance(60_000);
      hubs.clock.jumpWall(7 * DAY_MS);
    }
    await restarts();
    hubs.clock.jumpWall(50 * DAY_MS);
    await removes();
    expect(words()).toBe('');
  });

  it('F-12: is not what a hub sees whose clock was behind and is set right, and what is behind removes nothing', async () => {
    await removes();
    hubs.clock.jumpWall(-20 * YEAR_MS);
    await dayPasses();
    await restarts();
    await removes();
    hubs.clock.jumpWall(20 * YEAR_MS);
    expect(retention.dateInQuestion).toBeNull();
    expect(words()).toContain('dinner');
  });
});

describe('the chunks', () => {
  const ROWS = 10 * CHUNK_ROWS;
  const left = (): number =>
    hubs.mum.store.read.tasks({ limit: 1_000 }).filter(({ payload }) => payload !== '').length;

  beforeEach(async () => {
    const finishedAt = hubs.clock.wallMs();
    await hubs.mum.store.write((tables) => {
      for (let index = 0; index < ROWS; index++)
        tables.insertTask(
          taskRow({ id: `t${index}`, state: 'completed', result: '{}', finishedAt }),
        );
    });
    await hubs.mum.work.stop();
    retention.start();
    await hubs.clock.settle();
    hubs.clock.standStill(YEAR_MS + DAY_MS);
    await retention.confirmDate(hubs.clock.wallMs(), OWNER);
    await hubs.clock.advance(CHANGE_PAUSE_MS);
  });

  it('are commits of their own with a pause between, and one row tells of all', async () => {
    expect(left()).toBe(ROWS - CHUNK_ROWS);
    await hubs.clock.advance(CHUNK_PAUSE_MS);
    expect(left()).toBe(ROWS - 2 * CHUNK_ROWS);
    expect(removals()).toEqual([]);
    await hubs.clock.advance(CHUNK_PAUSE_MS * 20);
    expect(left()).toBe(0);
    expect(removals()).toEqual([expect.objectContaining({ tasks: ROWS })]);
    for (let day = 0; day < 2; day++) await dayPasses();
    expect(removals()).toHaveLength(1);
  });

  it('end with a hub that stops, and nothing of it goes on', async () => {
    const timers = hubs.clock.timers;
    await retention.stop();
    expect(left()).toBe(ROWS - CHUNK_ROWS);
    for (let day = 0; day < 2; day++) await dayPasses();
    expect(left()).toBe(ROWS - CHUNK_ROWS);
    expect(hubs.clock.timers).toBeLessThan(timers);
  });

  it('that were done before a crash are told of after it, with the others', async () => {
    await hubs.clock.advance(CHUNK_PAUSE_MS);
    await hubs.mum.restart();
    expect(readState(hubs.mum.store.read.getMeta(RETENTION_META))?.removed.tasks).toBe(
      2 * CHUNK_ROWS,
    );
    await retention.stop();
    retention = new Retention({
      store: hubs.mum.store,
      clock: hubs.clock,
      log: SILENT_LOG,
      ...KEPT,
    });
    await removes();
    expect(left()).toBe(0);
    expect(removals()).toEqual([expect.objectContaining({ tasks: ROWS })]);
    expect(readState(hubs.mum.store.read.getMeta(RETENTION_META))?.removed.tasks).toBe(0);
  });
});
