// A delegation from one hub to another, its whole life, with real stores on both sides.
import { REFRESH_INTERVAL_MS } from '../../../../main/services/admission/limits.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, OWNER, WINDOW, WorkHub } from '../../../fakes/work-hub.ts';

const DINNER = 'Tell the family chat that dinner is at 7';
const never = new AbortController().signal;

describe('a delegation between two hubs', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;

  beforeEach(async () => {
    ({ clock, dad, mum } = await openTwoHubs(['travel']));
    await dad.knows(mum);
  });

  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  const send = (more = {}) =>
    dad.work.sender.delegate(
      delegation('mum', DINNER, { domain: 'family.chat', ...more }),
      'openclaw',
      null,
    );
  const taskOf = (id: string) => dad.work.tasks.get(id, { agent: 'openclaw' }, 0, never);

  it('is acknowledged as waiting for a person, allowed, done, and reported to the agent that asked', async () => {
    const report = await send({ context: { dinner_time: '7:00 PM' } });
    expect(report).toMatchObject({
      state: 'awaiting_approval',
      task_url: `/v1/tasks/${report.id}`,
      chosen: { peer_name: 'mum' },
    });
    expect((await taskOf(report.id)).state).toBe('awaiting_approval');
    const card = mum.card;
    expect(card).toMatchObject({
      peer_name: 'dad',
      from_agent: 'openclaw',
      to_agent: 'claude',
      text: DINNER,
      domain: 'family.chat',
      risk_class: 'R2',
      first_time: 'hub',
    });
    expect(card.fields).toContainEqual(['context.dinner_time', '7:00 PM']);
    expect(await mum.work.inbox.claim('claude', 1)).toEqual([]);

    const decided = await mum.decide(card, 'allow');
    expect(decided).toMatchObject({
      state: 'approved',
      decided_by: "mum's person",
      surface: 'browser',
      task_state: 'queued',
    });
    const item = await mum.claim('claude');
    expect(item).toMatchObject({
      kind: 'delegate',
      attempt: 1,
      trust: { peer_name: 'dad' },
      approval: { digest: card.digest, surface: 'browser' },
    });
    expect(item.untrusted).toMatchObject({
      text: card.text,
      digest: card.digest,
      origin: { peer_name: 'dad', from_agent: 'openclaw', from_agent_name: 'OpenClaw' },
    });
    await clock.settle();
    expect((await taskOf(report.id)).state).toBe('queued');
    await mum.work.inbox.ack('claude', item.delivery_id, 5_000);
    await clock.settle();
    expect((await taskOf(report.id)).state).toBe('running');
    expect(mum.work.approvals.get(card.id).task_state).toBe('running');
    expect(
      await mum.work.inbox.reply('claude', item.delivery_id, {
        status: 'completed',
        outcome: 'Sent.',
        data: { thumbs: 3 },
        truncated: false,
      }),
    ).toMatchObject({ state: 'completed' });
    await clock.settle();

    expect(await taskOf(report.id)).toMatchObject({
      state: 'completed',
      untrusted: { outcome: 'Sent.', data: { thumbs: 3 } },
    });
    const result = await dad.claim('openclaw');
    expect(result).toMatchObject({
      kind: 'result',
      task_id: report.id,
      untrusted: { text: 'Sent.', origin: { peer_name: 'mum' } },
    });
    expect(mum.store.read.outboxOf(dad.key)).toEqual([]);
  });

  it('shows the same conversation on both sides, with the decision, its time, place and digest', async () => {
    const report = await send();
    const card = mum.card;
    await mum.decide(card, 'allow', WINDOW);
    const item = await mum.claim('claude');
    await mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'completed',
      outcome: 'Sent.',
      truncated: false,
    });
    await clock.advance(100);
    const there = await mum.work.conversations.get(card.conversation_id, null);
    expect(there.entries.map((entry) => entry.kind)).toEqual(['delegate', 'decision', 'result']);
    expect(there.entries[1]).toMatchObject({
      who: "mum's person",
      surface: 'window',
      digest: card.digest,
      state: 'approved',
    });
    const here = await dad.work.conversations.get(card.conversation_id, 'openclaw');
    expect(here.entries.map((entry) => [entry.kind, entry.direction])).toEqual([
      ['delegate', 'out'],
      ['decision', 'in'],
      ['result', 'in'],
    ]);
    expect(here.entries[1]).toMatchObject({
      who: 'mum',
      person: "mum's person",
      surface: 'peer',
      state: 'approved',
    });
    expect(here.tasks.map((task) => task.id)).toEqual([report.id]);
    expect(dad.work.conversations.list({ limit: 10 }).items[0]).toMatchObject({
      title: DINNER,
      peer_name: 'mum',
      state: 'completed',
    });
  });

  it('ends as declined at the asker when a person says no, with the reason', async () => {
    const report = await send();
    await mum.decide(mum.card, 'decline', BROWSER, { reason: 'Not tonight' });
    await clock.settle();
    expect(await taskOf(report.id)).toMatchObject({ state: 'declined', code: 'rejected' });
    const { reason, untrusted } = await taskOf(report.id);
    expect(untrusted?.error).toContain('Not tonight');
    expect(reason, 'of the other hub').toBeNull();
    expect(await mum.work.inbox.claim('claude', 1)).toEqual([]);
  });

  it('tells a decline by an error of its own when no report was wanted', async () => {
    const report = await send({ report_back: false });
    await mum.decide(mum.card, 'decline');
    await clock.settle();
    expect(mum.messenger.sent.map((envelope) => envelope.kind)).toContain('error');
    expect(await taskOf(report.id)).toMatchObject({ state: 'declined', code: 'rejected' });
  });

  it('lets nothing out that its agent says on the way when no report was wanted', async () => {
    await send({ report_back: false });
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await mum.work.inbox.extend('claude', item.delivery_id, 60_000, 'SECRET-CALENDAR-CONTENT');
    await clock.settle();
    expect(mum.messenger.sent.some(({ payload }) => payload['topic'] === 'axon.progress')).toBe(
      true,
    );
    expect(JSON.stringify(mum.messenger.sent)).not.toContain('SECRET-CALENDAR-CONTENT');
  });

  it('expires when nobody answers in time, and says so on both sides', async () => {
    const report = await send({ deadline_ms: 60_000 });
    const card = mum.card;
    await clock.advance(59_000);
    expect(mum.work.approvals.get(card.id).state).toBe('pending');
    await clock.advance(2_000);
    expect(mum.work.approvals.get(card.id)).toMatchObject({
      state: 'expired',
      surface: 'clock',
      task_state: 'expired',
    });
    expect(await taskOf(report.id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
    await expect(mum.decide(card, 'allow')).rejects.toMatchObject({ code: 'already_decided' });
  });

  it('keeps its deadline by the monotonic clock when the wall clock jumps', async () => {
    await send({ deadline_ms: 60_000 });
    const card = mum.card;
    clock.jumpWall(7_200_000);
    await clock.advance(1_000);
    expect(mum.work.approvals.get(card.id).state).toBe('pending');
    expect(mum.work.approvals.get(card.id).expires_at).toBe(clock.wallMs() + 59_000);
    await mum.decide(card, 'allow');
    expect((await mum.claim('claude')).untrusted.text).toBe(DINNER);
  });

  it('ends as failed with timeout when the agent takes too long, and tells the agent to stop', async () => {
    const report = await send({ deadline_ms: 60_000 });
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await clock.advance(61_000);
    expect(await taskOf(report.id)).toMatchObject({ state: 'failed', code: 'timeout' });
    expect((await mum.claim('claude')).kind).toBe('cancel');
    const late = mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'completed',
      outcome: 'Late',
      truncated: false,
    });
    await expect(late).rejects.toMatchObject({ code: 'gone' });
  });

  it('ends as not finished, and not as never taken, where its agent gave it back', async () => {
    const report = await send({ deadline_ms: 60_000 });
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.nack('claude', item.delivery_id);
    await clock.advance(61_000);
    expect(await taskOf(report.id)).toMatchObject({ state: 'failed', code: 'timeout' });
    expect(newest(mum).reason).toBe('The agent did not finish in time.');
  });

  it('tells the asker what its agent says on the way', async () => {
    const report = await send();
    const { conversation_id: id } = mum.card;
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.extend('claude', item.delivery_id, 60_000, 'Writing it now');
    await clock.advance(100);
    expect(
      (await dad.work.conversations.get(id, 'openclaw')).entries.map((entry) => entry.text),
    ).toEqual([DINNER, null, 'Writing it now']);
    expect((await taskOf(report.id)).state).toBe('running');
  });

  it('is called off by the asker before anybody decides', async () => {
    const report = await send();
    const card = mum.card;
    const task = await dad.work.tasks.cancel(report.id, { agent: 'openclaw' }, 'Plans changed');
    expect(task.state).toBe('cancelled');
    await clock.settle();
    expect(mum.work.approvals.get(card.id)).toMatchObject({
      state: 'cancelled',
      task_state: 'cancelled',
      surface: 'peer',
    });
    await expect(mum.decide(card, 'allow')).rejects.toMatchObject({
      code: 'already_decided',
      message:
        'This request waits for no decision any more. OpenClaw on dad cancelled it before anybody decided. No agent got it.',
    });
    await expect(
      dad.work.tasks.cancel(report.id, { agent: 'openclaw' }, null),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is cancelled at the other hub when the agent that asked for it is removed', async () => {
    const report = await send();
    await dad.work.agents.remove('openclaw', OWNER);
    await clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
    for (const state of [dad.store.read.task(report.id)?.state, newest(mum).state])
      expect(state).toBe('cancelled');
  });

  it('stays open when it is called off while it runs, until its agent says how it ended', async () => {
    const report = await send();
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    expect((await dad.work.tasks.cancel(report.id, { agent: 'openclaw' }, 'Stop')).state).not.toBe(
      'cancelled',
    );
    const stop = await mum.claim('claude');
    expect(stop).toMatchObject({ kind: 'cancel', untrusted: { text: 'Stop' } });
    await mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'failed',
      code: 'cancelled',
      error: 'Stopped.',
      truncated: false,
    });
    await clock.settle();
    expect(await taskOf(report.id)).toMatchObject({ state: 'cancelled', code: 'cancelled' });
  });

  it('is not begun by an agent that says "ack" after the asker called it off', async () => {
    const report = await send();
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await dad.work.tasks.cancel(report.id, { agent: 'openclaw' }, null);
    await expect(mum.work.inbox.ack('claude', item.delivery_id, null)).rejects.toMatchObject({
      code: 'cancelled',
    });
    await clock.settle();
    expect((await taskOf(report.id)).state).toBe('cancelled');
  });

  it('fails at once when the other hub is away, and the record says so', async () => {
    dad.cut(mum);
    await expect(send()).rejects.toMatchObject({ code: 'peer_unreachable' });
    const [task] = (await dad.work.tasks.list({ limit: 10 }, { agent: 'openclaw' })).items;
    expect(task).toMatchObject({ state: 'failed', direction: 'outgoing' });
  });

  it('is told that the other hub does not let this one in, where it was so the last time, and not to wait for it', async () => {
    dad.cut(mum);
    dad.messenger.shutOutBy.add(mum.key);
    await expect(send()).rejects.toMatchObject({
      code: 'peer_unreachable',
      message: 'mum refuses this hub; nothing was sent.',
      hint: expect.stringContaining('Ask its owner'),
    });
    const [task] = (await dad.work.tasks.list({ limit: 1 }, { agent: 'openclaw' })).items;
    expect(task).toMatchObject({
      state: 'failed',
      reason: 'mum refuses this hub; nothing was sent.',
    });
  });

  it('is told so of a notice, too, where that hub takes the connection and nothing more', async () => {
    dad.messenger.shutOutBy.add(mum.key);
    const notice = { to: 'mum', topic: 'meals', data: 'Ready', importance: 'low' } as const;
    await expect(dad.work.sender.notify(notice, 'openclaw')).rejects.toMatchObject({
      code: 'peer_unreachable',
      message: 'mum refuses this hub; nothing was sent.',
    });
  });

  it('names what there is when nobody handles the domain and no agent is the default', async () => {
    await mum.work.agents.setClass(
      'claude',
      { riskClass: 'R2', isDefault: false },
      { actor: 'ui:1', surface: 'window' },
    );
    const refused = send({ domain: 'work.calendar' });
    await expect(refused).rejects.toMatchObject({ code: 'unknown_domain', failedBy: 'peer' });
    await refused.catch((error: { data: { untrusted: { message: string } } }) =>
      expect(error.data.untrusted.message).toContain('family.chat'),
    );
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('refuses a route.from that its hub has not advertised', async () => {
    const answer = mum.hears(dad.key, {
      id: crypto.randomUUID(),
      kind: 'delegate',
      payload: { task: 'x', domain: 'family.chat', route: { from: 'nobody' } },
    });
    // His hub has just told what it offers, and is not asked again at once.
    await clock.advance(REFRESH_INTERVAL_MS);
    expect(await answer).toMatchObject({
      kind: 'ack',
      payload: { accepted: false, code: 'not_authorized', retryable: false },
    });
  });

  it('asks again under the same id when the ack was lost, and is still one task there', async () => {
    mum.messenger.swallowed.add('ack');
    const report = await send();
    expect(report.state).toBe('sending');
    mum.messenger.swallowed.clear();
    await clock.advance(5_000);
    expect((await taskOf(report.id)).state).toBe('awaiting_approval');
    expect(
      dad.messenger.sent
        .filter((envelope) => envelope.kind === 'delegate')
        .map((envelope) => envelope.id),
    ).toEqual([report.id, report.id]);
    expect(mum.work.approvals.pending()).toHaveLength(1);
  });

  it('answers the same Idempotency-Key with the same task, across a restart, and refuses it for another request', async () => {
    const params = delegation('mum', DINNER, { domain: 'family.chat' });
    const first = await dad.work.sender.delegate(params, 'openclaw', 'key-1');
    expect((await dad.work.sender.delegate(params, 'openclaw', 'key-1')).id).toBe(first.id);
    await dad.restart();
    dad.connect(mum);
    expect((await dad.work.sender.delegate(params, 'openclaw', 'key-1')).id).toBe(first.id);
    await expect(
      dad.work.sender.delegate({ ...params, task: 'Something else' }, 'openclaw', 'key-1'),
    ).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect(mum.work.approvals.pending()).toHaveLength(1);
    clock.jumpWall(90_000_000);
    expect((await dad.work.sender.delegate(params, 'openclaw', 'key-1')).id).not.toBe(first.id);
  });

  it('makes one task of the same request under one key twice at the same moment', async () => {
    const params = delegation('mum', DINNER, { domain: 'family.chat' });
    const twice = [1, 2].map(() => dad.work.sender.delegate(params, 'openclaw', 'key-1'));
    const [first, second] = await Promise.all(twice);
    expect(second?.id).toBe(first?.id);
    await clock.settle();
    expect(mum.work.approvals.pending()).toHaveLength(1);
  });

  it('is refused for a hub that takes no delegations, before anything is sent', async () => {
    const network = new MemoryNetwork();
    const alone = await new WorkHub({ name: 'alone', network, clock }).start();
    const plain = await new WorkHub({
      name: 'plain',
      network,
      clock,
      features: ['discover'],
    }).start();
    await alone.pair(plain);
    const refused = alone.work.sender.delegate(delegation('plain', 'x'), null, null);
    await expect(refused).rejects.toMatchObject({
      code: 'unsupported_feature',
      message: 'plain does not take delegations.',
    });
    await alone.close();
    await plain.close();
  });

  it('tells a person once a minute per hub that something waits', async () => {
    await send();
    await send();
    expect(mum.events.filter((event) => event.type === 'attention')).toHaveLength(1);
    await clock.advance(60_000);
    await send();
    expect(mum.events.filter((event) => event.type === 'attention')).toHaveLength(2);
  });
});
