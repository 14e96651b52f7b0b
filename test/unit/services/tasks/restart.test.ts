// A hub that ends at any point and opens the same file again: nothing accepted is lost, nothing is
// done twice.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const DONE = { status: 'completed', outcome: 'Done', truncated: false } as const;
const never = new AbortController().signal;

describe('a hub that is ended and started again', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;

  beforeEach(async () => {
    ({ clock, dad, mum } = await openTwoHubs(['travel']));
  });

  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  const send = (more = {}) =>
    dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat', ...more }),
      'openclaw',
      null,
    );
  const taskOf = (id: string) => dad.work.tasks.get(id, { agent: 'openclaw' }, 0, never);

  /** Restarts `hub` and opens its line again. */
  const restart = async (hub: WorkHub): Promise<void> => {
    await hub.restart();
    dad.connect(mum);
    await clock.settle();
  };

  for (const [where, hubs] of [
    ['the asking hub', () => [dad]],
    ['the asked hub', () => [mum]],
    ['both hubs', () => [dad, mum]],
  ] as const) {
    it(`finishes one delegation once when ${where} ${where === 'both hubs' ? 'are' : 'is'} ended after every step`, async () => {
      const again = async (): Promise<void> => {
        for (const hub of hubs()) await restart(hub);
      };
      const report = await send();
      await again();
      await mum.decide(mum.card, 'allow');
      await again();
      const item = await mum.claim('claude');
      await again();
      await mum.work.inbox.ack('claude', item.delivery_id, null);
      await again();
      expect(await mum.work.inbox.claim('claude', 9)).toEqual([]);
      await mum.work.inbox.reply('claude', item.delivery_id, DONE);
      await again();
      await clock.settle();
      expect(await taskOf(report.id)).toMatchObject({
        state: 'completed',
        untrusted: { outcome: 'Done' },
      });
      const result = await dad.claim('openclaw');
      expect(result.kind).toBe('result');
      await again();
      await dad.work.inbox.ack('openclaw', result.delivery_id, null);
      await again();
      await clock.advance(120_000);
      expect(await dad.work.inbox.claim('openclaw', 9)).toEqual([]);
      expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
      expect(mum.store.read.tasks({ limit: 10 })).toHaveLength(1);
    });
  }

  it('sends a delegation again that was stored and not acknowledged before the end, under the same id', async () => {
    mum.messenger.swallowed.add('ack');
    const report = await send();
    expect(report.state).toBe('sending');
    await dad.restart();
    mum.messenger.swallowed.clear();
    expect((await taskOf(report.id)).state).toBe('sending');
    dad.connect(mum);
    await clock.settle();
    expect((await taskOf(report.id)).state).toBe('awaiting_approval');
    expect(mum.work.approvals.pending()).toHaveLength(1);
  });

  it('gives up a stored delegation whose deadline passed while the hub was down, and tells its agent', async () => {
    mum.messenger.swallowed.add('ack');
    const report = await send({ deadline_ms: 60_000 });
    dad.cut(mum);
    clock.jumpWall(3_600_000);
    await dad.restart();
    await clock.advance(10);
    expect(await taskOf(report.id)).toMatchObject({ state: 'failed', code: 'timeout' });
    expect((await dad.claim('openclaw')).kind).toBe('result');
  });

  it('counts the time before and during a stop: what expired while the hub was down is shown as expired', async () => {
    const report = await send({ deadline_ms: 600_000 });
    const { card } = mum;
    await clock.advance(300_000);
    clock.jumpWall(200_000);
    await restart(mum);
    expect(mum.work.approvals.get(card.id).state).toBe('pending');
    await clock.advance(101_000);
    expect(mum.work.approvals.get(card.id)).toMatchObject({ state: 'expired', surface: 'clock' });
    await clock.settle();
    expect(await taskOf(report.id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
  });

  it('gives no time back when the wall clock was set back while the hub was down', async () => {
    await send({ deadline_ms: 600_000 });
    const { card } = mum;
    await clock.advance(590_000);
    clock.jumpWall(-3_600_000);
    await restart(mum);
    expect(mum.work.approvals.get(card.id).state).toBe('pending');
    await clock.advance(45_000);
    expect(mum.work.approvals.get(card.id).state).toBe('expired');
  });

  it('hands an item out again after a restart once its lease is over, under the same id', async () => {
    await send();
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await restart(mum);
    expect(await mum.work.inbox.claim('claude', 1)).toEqual([]);
    await clock.advance(61_000);
    expect(await mum.claim('claude')).toMatchObject({ delivery_id: item.delivery_id, attempt: 2 });
  });

  it('ends a question that waited for a person when the hub restarts, since nobody waits any more', async () => {
    const asked = dad.work.sender.query(
      { to: 'mum', question: 'Milk?', domain: 'family.chat' },
      'openclaw',
      never,
    );
    const outcome = asked.then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
    await clock.settle();
    const { card } = mum;
    await restart(mum);
    expect(await outcome).toBe('peer_unreachable');
    expect(mum.work.approvals.get(card.id).state).toBe('cancelled');
    expect(mum.work.approvals.pending()).toEqual([]);
  });
});

describe('the outbox', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;
  const done = async (extensions?: readonly string[]): Promise<string> => {
    ({ clock, dad, mum } = await openTwoHubs([], extensions ? { extensions } : {}));
    const report = await dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await mum.decide(mum.card, 'allow');
    return report.id;
  };
  const reply = async (): Promise<void> => {
    const item = await mum.claim('claude');
    await mum.work.inbox.reply('claude', item.delivery_id, DONE);
    await clock.settle();
  };
  const results = () => mum.messenger.sent.filter((envelope) => envelope.kind === 'result');

  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  it('sends a result when its peer returns, once', async () => {
    const id = await done();
    dad.cut(mum);
    await reply();
    expect(results()).toEqual([]);
    await clock.advance(3_600_000);
    dad.connect(mum);
    await clock.settle();
    expect(dad.store.read.task(id)?.state).toBe('completed');
    expect(results()).toHaveLength(1);
    expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
  });

  it('sends the very same message again until its receipt, and the receiver counts it once', async () => {
    const id = await done();
    dad.messenger.lost.add('notify');
    await reply();
    await clock.advance(30_000);
    expect(results().length).toBeGreaterThan(1);
    expect(new Set(results().map((envelope) => envelope.id)).size).toBe(1);
    dad.messenger.lost.clear();
    await clock.advance(600_000);
    expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
    expect(await dad.work.inbox.claim('openclaw', 9)).toHaveLength(1);
    expect(dad.store.read.task(id)?.state).toBe('completed');
  });

  it('trusts the transport for a peer without receipts', async () => {
    await done(['route/1']);
    dad.messenger.lost.add('notify');
    await reply();
    await clock.advance(60_000);
    expect(results()).toHaveLength(1);
    expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
  });

  it('gives a result up after 24 hours and says so in the feed', async () => {
    await done();
    dad.cut(mum);
    await reply();
    // Only mum's time counts here.
    await dad.work.stop();
    await clock.advance(86_400_000 + 600_000);
    expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
    expect(mum.work.feed.list({ limit: 5 }).items[0]).toMatchObject({
      peer_id: null,
      importance: 'high',
      topic: 'axon.outbox',
    });
  }, 90_000);

  it('settles nothing for a receipt of another hub', async () => {
    await done();
    dad.cut(mum);
    await reply();
    const [row] = mum.store.read.outboxOf(dad.key);
    await mum.store.write((tables) => {
      const peer = tables.peer(dad.key);
      if (peer) tables.putPeer({ ...peer, key: 'e'.repeat(64), petname: 'eve' });
    });
    await mum.isTold('e'.repeat(64), {
      id: crypto.randomUUID(),
      kind: 'notify',
      ref: row?.messageId ?? null,
      payload: { topic: 'axon.receipt', data: {} },
    });
    expect(mum.store.read.outboxOf(dad.key)).toHaveLength(1);
  });
});
