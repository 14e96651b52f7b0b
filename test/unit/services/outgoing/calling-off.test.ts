// Calling a delegation off when it is not known whether the other hub has it, and with more words
// than a report can carry.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headlineOf } from '../../../../preload/contract/strings/story.ts';
import { AppError } from '../../../../main/lib/app-error.ts';
import { err } from '../../../../main/lib/result.ts';
import type { Envelope } from '../../../../main/protocol/envelope.ts';
import { moveTask } from '../../../../main/services/tasks/task-moves.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { readEnvelope } from '../../../fakes/memory-messenger.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

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
const cancel = (id: string, reason: string | null = null) =>
  dad.work.tasks.cancel(id, { agent: 'openclaw' }, reason);
const never = new AbortController().signal;
const cancels = () => dad.messenger.sent.filter((envelope) => envelope.kind === 'cancel');

it('takes a cancel whatever the length of its reason, and cuts the reason with a mark', async () => {
  const { id } = await send();
  const reason = '\u202e'.repeat(9_000);
  const reply = await mum.hears(dad.key, {
    id: crypto.randomUUID(),
    kind: 'cancel',
    ref: id,
    payload: { reason },
  });
  expect(reply.payload).toMatchObject({ accepted: true });
  const [task] = mum.store.read.tasks({ limit: 1 });
  expect(task?.state).toBe('cancelled');
  expect(task?.reason).toMatch(/…"$/u);
  await clock.settle();
  expect(dad.store.read.task(id)?.state).toBe('cancelled');
});

it('goes on with a cancel on which a hub of the version before wrote no time', async () => {
  const { id } = await send();
  await dad.store.write((tables) => {
    const task = tables.task(id);
    if (task) moveTask(tables, task, 'cancelling', { cancelCause: 'cancelled' });
  });
  await dad.restart();
  dad.connect(mum);
  await clock.advance(1_000);
  expect(dad.store.read.task(id)?.state).toBe('cancelled');
  expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
});

it('is on record once where its answer was lost, with the words that are sent again', async () => {
  const { id } = await send();
  await mum.decide(mum.card, 'allow');
  await mum.claim('claude');
  mum.messenger.swallowed.add('ack');
  const message = { kind: 'cancel', id: 'stop-1', ref: id, payload: { reason: 'Plans changed' } };
  const origin = { dialect: 'acp-draft', message };
  await dad.work.tasks.cancel(id, { agent: 'openclaw' }, 'Plans changed', origin);
  mum.messenger.swallowed.clear();
  await clock.advance(60_000);
  const rows = dad.store.read.messages({ limit: 9 }, {}).filter(({ kind }) => kind === 'cancel');
  expect(rows).toHaveLength(1);
  const last = cancels().at(-1);
  expect(rows[0]).toMatchObject({ messageId: last?.id, payload: JSON.stringify(last?.payload) });
  expect(last?.payload).toMatchObject({ reason: 'Plans changed', origin });
});

it('is asked again by a hub that stopped meanwhile, in the very words that were given', async () => {
  const { id } = await send();
  await mum.decide(mum.card, 'allow');
  await mum.claim('claude');
  const origin = { dialect: 'acp-draft', message: { kind: 'cancel', id: 'stop-1', ref: id } };
  const { request } = dad.messenger;
  dad.messenger.request = () => new Promise(() => undefined);
  void dad.work.tasks.cancel(id, { agent: 'openclaw' }, 'Plans changed', origin);
  await clock.settle();
  dad.messenger.request = request;
  await dad.restart();
  dad.connect(mum);
  await clock.advance(1_000);
  expect(dad.store.read.task(id)?.reason).toBe('You cancelled it: "Plans changed"');
  expect(await mum.claim('claude')).toMatchObject({
    kind: 'cancel',
    untrusted: { text: 'Plans changed' },
  });
  const rows = dad.store.read.messages({ limit: 9 }, {}).filter(({ kind }) => kind === 'cancel');
  expect(rows).toHaveLength(1);
  expect(JSON.parse(rows[0]?.payload ?? '{}')).toMatchObject({ reason: 'Plans changed', origin });
});

describe('a cancel that the other hub answers while the disk here is full', () => {
  const FULL = new AppError('storage_failed', 'The disk is full.');

  /** All that is written is lost, as often as given, after the note that it is asked. */
  async function cancelWithFullDisk(id: string, times: number, first = 1): Promise<unknown> {
    const write = dad.store.write.bind(dad.store);
    let seen = 0;
    dad.store.write = (...work) => {
      const isLost = seen >= first && seen < first + times;
      seen += 1;
      return isLost ? Promise.reject(FULL) : write(...work);
    };
    const failed = await cancel(id).catch((error: unknown) => error);
    dad.store.write = write;
    return failed;
  }

  it('was asked all the same: what its agent reports then is that it stopped', async () => {
    const { id } = await send();
    await mum.decide(mum.card, 'allow');
    const { delivery_id: delivery } = await mum.claim('claude');
    await mum.work.inbox.ack('claude', delivery, null);
    expect(await cancelWithFullDisk(id, 1)).toBe(FULL);
    await mum.work.inbox.reply('claude', delivery, { status: 'cancelled', truncated: false });
    await clock.advance(1_000);
    const { story } = await dad.work.tasks.get(id, { agent: 'openclaw' }, 0, never);
    expect(headlineOf(story)).toBe('Stopped.');
  });

  it('leaves all the same where even the note that it is asked is lost', async () => {
    const { id } = await send();
    expect(await cancelWithFullDisk(id, 1, 0)).toMatchObject({ state: 'cancelled' });
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
  });

  it('ends when it is asked again, though nothing is open there any more', async () => {
    const { id } = await send();
    expect(await cancelWithFullDisk(id, 2)).toBe(FULL);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
    expect((await cancel(id)).state).toBe('cancelling');
    await clock.advance(60_000);
    expect(dad.store.read.task(id)?.state).toBe('cancelled');
  });

  it('tells of its refusal, and not of the disk', async () => {
    const { id } = await send();
    await mum.store.write((tables) => {
      const task = tables.taskByMessage('incoming', dad.key, id);
      if (task) moveTask(tables, task, 'failed', {});
    });
    expect(await cancelWithFullDisk(id, 2)).toMatchObject({ code: 'rejected' });
  });
});

it('is asked once where two ask for it at once, and keeps what it says in a language', async () => {
  const { id } = await send();
  await mum.decide(mum.card, 'allow');
  await mum.claim('claude');
  mum.messenger.swallowed.add('ack');
  const origin = { dialect: 'acp-draft', message: { kind: 'cancel', id: 'stop-1', ref: id } };
  const asked = Promise.all([
    dad.work.tasks.cancel(id, { agent: 'openclaw' }, 'Plans changed', origin),
    dad.work.tasks.cancel(id, { agent: 'openclaw' }, null),
  ]);
  await clock.advance(20_000);
  expect((await asked).map(({ state }) => state)).toEqual(['cancelling', 'cancelling']);
  mum.messenger.swallowed.clear();
  await clock.advance(60_000);
  expect(new Set(cancels().map(({ payload }) => JSON.stringify(payload))).size).toBe(1);
  expect(cancels().at(-1)?.payload).toMatchObject({ origin });
});

it('keeps what it says in a language where nobody knows whether the task arrived', async () => {
  mum.messenger.swallowed.add('ack');
  const { id, state } = await send();
  expect(state).toBe('sending');
  const origin = { dialect: 'acp-draft', message: { kind: 'cancel', id: 'stop-1', ref: id } };
  await dad.work.tasks.cancel(id, { agent: 'openclaw' }, null, origin);
  mum.messenger.swallowed.clear();
  await clock.advance(60_000);
  expect(cancels().at(-1)?.payload).toMatchObject({ origin });
});

it('tells the end of what the other hub had accepted, over a restart and after the deadline too', async () => {
  const { id } = await dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat', deadline_ms: 60_000 }),
    'openclaw',
    null,
  );
  mum.messenger.lost.add('result');
  mum.messenger.swallowed.add('ack');
  await mum.decide(mum.card, 'decline');
  expect((await cancel(id)).state).toBe('cancelling');
  dad.cut(mum);
  await dad.restart();
  await clock.advance(120_000);
  expect(dad.store.read.task(id)?.state).toBe('cancelling');
  mum.messenger.lost.clear();
  mum.messenger.swallowed.clear();
  dad.connect(mum);
  await clock.advance(20_000);
  expect(dad.store.read.task(id)?.state).toBe('declined');
});

describe('a delegation whose ack was lost', () => {
  it('is called off while the other hub is away, and taken back there when it returns', async () => {
    mum.messenger.swallowed.add('ack');
    const { id, state } = await send();
    expect([state, mum.work.approvals.pending().length]).toEqual(['sending', 1]);
    dad.cut(mum);
    mum.messenger.swallowed.clear();
    expect((await cancel(id, 'Plans changed')).state).toBe('cancelling');
    expect((await cancel(id)).state).toBe('cancelling');
    await dad.restart();
    await clock.advance(60_000);
    dad.connect(mum);
    await clock.advance(1_000);
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
    expect(dad.store.read.task(id)).toMatchObject({
      state: 'cancelled',
      reason: 'You cancelled it: "Plans changed"',
    });
    const { untrusted } = await dad.work.tasks.get(id, { agent: 'openclaw' }, 0, never);
    expect(untrusted, 'nobody else said a word').toMatchObject({ outcome: null, error: null });
    expect(dad.store.read.outboxOf(mum.key)).toEqual([]);
    expect(dad.messenger.sent.filter((envelope) => envelope.kind === 'delegate')).toEqual([]);
    const sent = cancels().length;
    await clock.advance(600_000);
    expect(cancels()).toHaveLength(sent);
  });

  it('is taken back until the other hub says so, with the very same message', async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await send();
    await cancel(id);
    await clock.advance(30_000);
    expect(cancels().length).toBeGreaterThan(1);
    expect(new Set(cancels().map((envelope) => envelope.id)).size).toBe(1);
    mum.messenger.swallowed.clear();
    await clock.advance(600_000);
    expect(dad.store.read.outboxOf(mum.key)).toEqual([]);
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  /** The other hub is slow to write, so that the cancel is answered before the delegation. */
  async function overtake(): Promise<string> {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const write = mum.store.write.bind(mum.store);
    mum.store.write = async (work) => {
      await held;
      return write(work);
    };
    const sending = send();
    await clock.settle();
    const [task] = dad.store.read.tasks({ limit: 1 });
    const called = cancel(task?.id ?? '');
    mum.store.write = write;
    await clock.settle();
    expect((await called).state).toBe('cancelling');
    release();
    expect(['cancelling', 'cancelled']).toContain((await sending).state);
    await clock.advance(60_000);
    return task?.id ?? '';
  }

  it('is not taken any more when its cancel was there first', async () => {
    const id = await overtake();
    expect(dad.store.read.task(id)?.state).toBe('cancelled');
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })).toEqual([]);
  });

  it('is taken back once more from a hub that took it after its cancel', async () => {
    const take = mum.messenger.takeRequest.bind(mum.messenger);
    const forgotten: string[] = [];
    // A hub of another make keeps no mark of a cancel that names nothing it has.
    mum.messenger.takeRequest = async (from, raw, signal) => {
      const asked = readEnvelope(raw);
      if (asked.kind !== 'cancel' || forgotten.length > 0) return take(from, raw, signal);
      forgotten.push(asked.id);
      const payload = {
        accepted: false,
        code: 'rejected',
        reason: 'Nothing of that id is open here.',
        retryable: false,
      };
      return readEnvelope(
        mum.messenger.encode(from, {
          id: crypto.randomUUID(),
          ref: asked.id,
          kind: 'ack',
          payload,
        }),
      );
    };
    const id = await overtake();
    expect(forgotten).toHaveLength(1);
    expect(dad.store.read.task(id)?.state).toBe('cancelled');
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
  });

  it('that has run there meanwhile shows that, and not that it was called off', async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await send();
    dad.cut(mum);
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'completed',
      outcome: 'Told',
      truncated: false,
    });
    mum.messenger.swallowed.clear();
    expect((await cancel(id)).state).toBe('cancelling');
    // The cancel is answered first: its answer says only that nothing is open there.
    mum.messenger.lost.add('result');
    dad.connect(mum);
    await clock.settle();
    expect(dad.store.read.task(id)?.state).toBe('cancelling');
    mum.messenger.lost.clear();
    await clock.advance(20_000);
    expect(dad.store.read.task(id)?.state).toBe('completed');
    expect((await dad.claim('openclaw')).untrusted.text).toBe('Told');
  });

  it('that never arrived is called off as soon as no result can be on its way', async () => {
    mum.messenger.takeRequest = () => Promise.reject(new Error('lost'));
    const answer = dad.messenger.request.bind(dad.messenger);
    dad.messenger.request = () =>
      Promise.resolve(err(new AppError('timeout', 'No answer.', { failedBy: 'timeout' })));
    const { id } = await send();
    dad.messenger.request = answer;
    Reflect.deleteProperty(mum.messenger, 'takeRequest');
    expect((await cancel(id)).state).toBe('cancelling');
    await clock.advance(29_000);
    expect(dad.store.read.task(id)?.state).toBe('cancelling');
    await clock.advance(2_000);
    expect(dad.store.read.task(id)?.state).toBe('cancelled');
    expect(mum.store.read.tasks({ limit: 1 })).toEqual([]);
  });

  it('is called off at once when the other hub refuses it after all', async () => {
    let refuse: (reply: Envelope) => void = () => undefined;
    const refused = new Promise<Envelope>((resolve) => (refuse = resolve));
    const answer = mum.messenger.takeRequest.bind(mum.messenger);
    mum.messenger.takeRequest = (from, raw, signal) =>
      raw.includes('"kind":"delegate"') ? refused : answer(from, raw, signal);
    const sending = send();
    await clock.settle();
    const { id } = newest(dad);
    expect((await cancel(id)).state).toBe('cancelling');
    const payload = { accepted: false, code: 'overloaded', reason: 'Later', retryable: true };
    refuse({
      v: 1,
      id: crypto.randomUUID(),
      from: mum.agentId,
      to: dad.agentId,
      ts: 1,
      kind: 'ack',
      ref: id,
      payload,
    });
    await sending;
    expect(dad.store.read.task(id)?.state).toBe('cancelled');
  });

  it('is not taken for called off by the refusal of a second try: the first waits there, and is taken back', async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await send();
    let refuse: (reply: Envelope) => void = () => undefined;
    const refused = new Promise<Envelope>((resolve) => (refuse = resolve));
    const [tries, asked]: [string[], string[]] = [[], []];
    mum.messenger.takeRequest = (_from, raw) => {
      const isTry = raw.includes('"kind":"delegate"');
      (isTry ? tries : asked).push(raw);
      return isTry ? refused : new Promise<Envelope>(() => undefined);
    };
    await clock.advance(60_000);
    expect(tries).toHaveLength(1);
    // The cancel is under way and not there yet when the second try is refused.
    expect((await cancel(id)).state).toBe('cancelling');
    await clock.settle();
    expect(asked).toHaveLength(1);
    mum.messenger.swallowed.clear();
    const payload = { accepted: false, code: 'overloaded', reason: 'Later', retryable: true };
    refuse({
      v: 1,
      id: crypto.randomUUID(),
      from: mum.agentId,
      to: dad.agentId,
      ts: 1,
      kind: 'ack',
      ref: id,
      payload,
    });
    await clock.settle();
    expect(dad.store.read.task(id)?.state).toBe('cancelling');
    expect(mum.work.approvals.pending()).toHaveLength(1);
    Reflect.deleteProperty(mum.messenger, 'takeRequest');
    dad.cut(mum);
    dad.connect(mum);
    await clock.advance(60_000);
    expect(dad.store.read.task(id)?.state).toBe('cancelled');
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
  });

  describe('whose agent had begun when it was called off', () => {
    const HOUR_MS = 3_600_000;

    /** Called off while its agent had it, and the other hub has said so. */
    const begun = async (more: { readonly report_back?: boolean } = {}) => {
      mum.messenger.swallowed.add('ack');
      const params = { domain: 'family.chat', deadline_ms: 600_000, ...more };
      const { id } = await dad.work.sender.delegate(
        delegation('mum', 'Dinner is at 7', params),
        'openclaw',
        null,
      );
      await mum.decide(mum.card, 'allow');
      const item = await mum.claim('claude');
      await mum.work.inbox.ack('claude', item.delivery_id, null);
      mum.messenger.swallowed.clear();
      await cancel(id);
      await clock.settle();
      expect(dad.store.read.task(id)).toMatchObject({
        state: 'cancelling',
        cancelAnswer: 'asked_to_stop',
      });
      return { id, item };
    };

    it('is still reported after its deadline, as all that the other hub took is', async () => {
      const { id } = await begun();
      dad.cut(mum);
      await clock.advance(2 * HOUR_MS);
      expect(dad.store.read.task(id)?.state).toBe('cancelling');
      dad.connect(mum);
      await clock.settle();
      expect(dad.store.read.task(id)).toMatchObject({
        state: 'failed',
        code: 'timeout',
        result: expect.stringContaining('did not finish'),
      });
    });

    it('is not asked to stop a second time by a hub that was restarted, and keeps its time over that', async () => {
      const { id } = await begun();
      const sent = cancels().length;
      await dad.restart();
      dad.connect(mum);
      await clock.advance(HOUR_MS);
      expect(cancels().length + sent).toBe(sent);
      expect(dad.store.read.task(id)?.code).toBe('timeout');
    });

    it('ends a day after its deadline, and says what the other hub had said', async () => {
      const { id } = await begun();
      dad.cut(mum);
      clock.standStill(22 * HOUR_MS);
      await clock.advance(HOUR_MS);
      await dad.restart();
      expect(dad.store.read.task(id)?.state).toBe('cancelling');
      await clock.advance(2 * HOUR_MS);
      expect(dad.store.read.task(id)).toMatchObject({
        state: 'failed',
        code: 'timeout',
        reason: expect.stringContaining('had begun'),
      });
      expect(dad.store.read.task(id)?.reason).not.toContain('never said');
    });

    it('has begun whatever becomes of a second cancel', async () => {
      const { id } = await begun();
      dad.cut(mum);
      await dad.store.write((tables) => {
        const messageId = crypto.randomUUID();
        const raw = dad.messenger.encode(mum.key, {
          id: messageId,
          kind: 'cancel',
          ref: id,
          payload: {},
        });
        const row = { messageId, party: mum.key, kind: 'cancel', raw, settledAt: null };
        tables.putOutbox({ ...row, createdAt: clock.wallMs(), expiresAtUptimeMs: 60_000 });
      });
      await clock.advance(HOUR_MS);
      expect(dad.store.read.outboxOf(mum.key)).toEqual([]);
      expect(dad.store.read.task(id)).toMatchObject({
        state: 'cancelling',
        cancelAnswer: 'asked_to_stop',
      });
    });

    it('ends at its deadline when no report was wanted', async () => {
      const { id } = await begun({ report_back: false });
      dad.cut(mum);
      await clock.advance(601_000);
      expect(dad.store.read.task(id)).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining('No report was wanted'),
      });
    });
  });

  it('and whose hub takes no cancels stays open until its deadline, and then says that it does not know', async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat', deadline_ms: 600_000 }),
      'openclaw',
      null,
    );
    dad.messenger.features = () => [];
    expect((await cancel(id)).state).toBe('cancelling');
    await clock.advance(500_000);
    expect(dad.store.read.task(id)?.state).toBe('cancelling');
    await mum.restart();
    await clock.advance(200_000);
    expect(dad.store.read.task(id)).toMatchObject({
      state: 'failed',
      code: 'timeout',
      reason: expect.stringContaining('takes no cancels'),
    });
  });
});
