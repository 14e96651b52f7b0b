// Questions: passed on where the agent only looks, asked of a person otherwise, and never waited
// for longer than was said.
import { CAPABILITIES_TOPIC } from '../../../../main/protocol/kinds.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SendReportDto } from '../../../../preload/contract/dto.ts';
import type { AppError } from '../../../../main/lib/app-error.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

interface Asked {
  answer: SendReportDto | undefined;
  code: string | undefined;
  error: AppError | undefined;
}

describe('a query', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;
  let gone: AbortController;

  beforeEach(async () => {
    gone = new AbortController();
    ({ clock, dad, mum } = await openTwoHubs());
    await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
  });

  afterEach(async () => {
    gone.abort();
    await closeTwoHubs({ clock, dad, mum });
  });

  const ask = async (domain: string | undefined, deadline_ms?: number): Promise<Asked> => {
    const asked: Asked = { answer: undefined, code: undefined, error: undefined };
    const params = {
      to: 'mum',
      question: 'What is on this week?',
      ...(domain ? { domain } : {}),
      ...(deadline_ms ? { deadline_ms } : {}),
    };
    dad.work.sender.query(params, 'openclaw', gone.signal).then(
      (answer) => (asked.answer = answer),
      (error: AppError) => Object.assign(asked, { code: error.code, error }),
    );
    await clock.settle();
    return asked;
  };

  it('is answered by an agent that gives data and no words', async () => {
    const asked = await ask('family.calendar');
    const item = await mum.claim('calendar');
    await mum.work.inbox.reply('calendar', item.delivery_id, {
      status: 'completed',
      summary: '',
      data: { n: 3 },
      truncated: false,
    });
    await clock.settle();
    expect(asked.answer).toMatchObject({
      state: 'answered',
      untrusted: { summary: 'Answered with data.', data: { n: 3 } },
    });
  });

  it('is delivered at once to an agent that can only look, and answered on its stream', async () => {
    const asked = await ask('family.calendar');
    expect(mum.work.approvals.pending()).toEqual([]);
    const item = await mum.claim('calendar');
    expect(item).toMatchObject({
      kind: 'query',
      approval: null,
      untrusted: { text: 'What is on this week?', origin: { from_agent: 'openclaw' } },
    });
    await mum.work.inbox.reply('calendar', item.delivery_id, {
      status: 'completed',
      summary: 'Three practices',
      data: { n: 3 },
      tokens_used: 9,
      truncated: false,
    });
    await clock.settle();
    expect(asked.answer).toMatchObject({
      state: 'answered',
      untrusted: { summary: 'Three practices', data: { n: 3 }, tokens_used: 9 },
    });
    await clock.advance(100);
    for (const hub of [mum, dad]) {
      const [conversation] = hub.work.conversations.list({ limit: 5 }).items;
      expect(
        (await hub.work.conversations.get(conversation?.id ?? '', null)).entries.map(
          (entry) => entry.kind,
        ),
      ).toEqual(['query', 'response']);
    }
  });

  it('waits for a person otherwise, and the asker is told so', async () => {
    const asked = await ask('family.chat');
    const { card } = mum;
    expect(card).toMatchObject({ kind: 'query', risk_class: 'R2' });
    const [progress] = mum.messenger.sent.filter(
      ({ payload }) => payload.topic !== CAPABILITIES_TOPIC,
    );
    expect(progress).toMatchObject({
      kind: 'notify',
      payload: { topic: 'axon.progress', data: { state: 'pending_approval' } },
    });
    await mum.decide(card, 'allow');
    const item = await mum.claim('claude');
    expect(item.approval?.digest).toBe(card.digest);
    expect(item.deadline_at).toBe(card.expires_at);
    await mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'completed',
      summary: 'Yes',
      truncated: false,
    });
    await clock.settle();
    expect(asked.answer?.untrusted?.summary).toBe('Yes');
    expect(mum.work.approvals.get(card.id).task_state).toBe('completed');
  });

  it('without a domain is asked even of an agent that only looks', async () => {
    await mum.work.agents.setClass('calendar', { riskClass: 'R0', isDefault: true }, OWNER);
    await ask(undefined);
    expect(mum.card.risk_reason).toBe('no_domain');
  });

  it('gets approval_expired when nobody answers within its deadline, 30 s by default', async () => {
    const asked = await ask('family.chat');
    await clock.advance(29_000);
    expect(asked.code).toBeUndefined();
    await clock.advance(2_000);
    expect(asked.code).toBe('approval_expired');
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('gets rejected when a person declines', async () => {
    const asked = await ask('family.chat');
    await mum.decide(mum.card, 'decline');
    await clock.settle();
    expect(asked.code).toBe('rejected');
  });

  it('gets timeout when its agent does not answer', async () => {
    const asked = await ask('family.calendar', 5_000);
    const item = await mum.claim('calendar');
    await mum.work.inbox.ack('calendar', item.delivery_id, null);
    await clock.advance(6_000);
    expect(asked.code).toBe('timeout');
    const late = mum.work.inbox.reply('calendar', item.delivery_id, {
      status: 'completed',
      summary: 'Late',
      truncated: false,
    });
    await expect(late).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gets unknown_domain, or unhandled where there is no agent at all', async () => {
    await mum.work.agents.setClass('claude', { riskClass: 'R2', isDefault: false }, OWNER);
    expect((await ask('work.projects')).code).toBe('unknown_domain');
    await mum.work.agents.remove('claude', OWNER);
    await mum.work.agents.remove('calendar', OWNER);
    expect(new Set(mum.revoked)).toEqual(new Set(['claude', 'calendar']));
    expect((await ask('family.chat')).code).toBe('unhandled');
  });

  it('is taken back when its asker goes away: no card stays, nothing is handed out', async () => {
    await ask('family.chat');
    const { card } = mum;
    await ask('family.calendar');
    gone.abort();
    await clock.settle();
    expect(mum.work.approvals.get(card.id).state).toBe('cancelled');
    expect(await mum.work.inbox.claim('calendar', 9)).toEqual([]);
  });

  it('of one hub waits for a person five times at most', async () => {
    for (let round = 0; round < 5; round++) expect((await ask('family.chat')).code).toBeUndefined();
    expect((await ask('family.chat')).code).toBe('overloaded');
    expect(mum.work.approvals.pending()).toHaveLength(5);
  });

  it('given back or left under an ended lease goes to the agent again under the same id', async () => {
    await ask('family.calendar', 600_000);
    const first = await mum.claim('calendar');
    expect(await mum.work.inbox.nack('calendar', first.delivery_id)).toBe('queued');
    const second = await mum.claim('calendar');
    expect(second).toMatchObject({ delivery_id: first.delivery_id, attempt: 2 });
    await clock.advance(61_000);
    expect(await mum.claim('calendar')).toMatchObject({
      delivery_id: first.delivery_id,
      attempt: 3,
    });
  });

  it('is asked again of its agent when that gives back what it had begun', async () => {
    await ask('family.calendar', 600_000);
    const first = await mum.claim('calendar');
    await mum.work.inbox.ack('calendar', first.delivery_id, null, first.attempt);
    expect(await mum.work.inbox.nack('calendar', first.delivery_id, first.attempt)).toBe('queued');
    expect(await mum.claim('calendar')).toMatchObject({ attempt: 2 });
  });

  it('ends with what happened when its agent begins it and gives it back time after time', async () => {
    const asked = await ask('family.calendar', 600_000);
    for (let attempt = 1; attempt <= 8; attempt++) {
      const { delivery_id: id } = await mum.claim('calendar');
      await mum.work.inbox.ack('calendar', id, null, attempt);
      await mum.work.inbox.nack('calendar', id, attempt);
    }
    await clock.settle();
    const message = 'The agent was handed the question 8 times and never answered it.';
    expect(asked.error).toMatchObject({ code: 'unhandled', data: { untrusted: { message } } });
  });

  it('refuses its agent an answer that would not fit into one message, and takes a shorter one', async () => {
    const asked = await ask('family.calendar', 600_000);
    const { delivery_id: id } = await mum.claim('calendar');
    const reply = (outcome: string) =>
      mum.work.inbox.reply('calendar', id, { status: 'completed', outcome, truncated: false });
    await expect(reply('€'.repeat(11_000))).rejects.toMatchObject({ code: 'payload_too_large' });
    const failed = { status: 'failed', error: 'No', data: '€'.repeat(11_000) } as const;
    await expect(
      mum.work.inbox.reply('calendar', id, { ...failed, truncated: false }),
    ).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(await reply('€'.repeat(9_000))).toMatchObject({ state: 'completed' });
    await clock.settle();
    expect(asked.answer?.untrusted?.summary).toBe('€'.repeat(9_000));
  });
});
