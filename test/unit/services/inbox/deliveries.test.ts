// Two workers of one agent, or one that comes back late: of all attempts at an item exactly one is
// taken.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inboxHandlers } from '../../../../main/api/operations/work.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import {
  closeOneHub,
  closeTwoHubs,
  openOneHub,
  openTwoHubs,
} from '../../../fakes/two-work-hubs.ts';
import { delegation, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const DONE = { status: 'completed', outcome: 'Done', truncated: false } as const;
const never = new AbortController().signal;

describe('an item that was handed out twice', () => {
  let clock: ManualClock;
  let hub: WorkHub;

  beforeEach(async () => {
    ({ clock, hub } = await openOneHub());
  });
  afterEach(() => closeOneHub({ clock, hub }));

  /** Claimed, its lease over, claimed again: what each worker holds. */
  const twice = async () => {
    await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
    await hub.decide(hub.card, 'allow');
    return claimTwice();
  };
  const askTwice = async () => {
    await hub.work.agents.setClass('lists', { riskClass: 'R0' }, OWNER);
    const question = {
      to: 'local/lists',
      question: 'Salt?',
      domain: 'logistics.grocery',
      deadline_ms: 600_000,
    };
    const answer = hub.work.sender.query(question, 'claude', never);
    await clock.settle();
    return { ...(await claimTwice()), answer };
  };
  const claimTwice = async () => {
    const late = await hub.claim('lists');
    await clock.advance(61_000);
    const now = await hub.claim('lists');
    expect([late.delivery_id, late.attempt, now.attempt]).toEqual([now.delivery_id, 1, 2]);
    return { id: now.delivery_id, late: late.attempt, now: now.attempt };
  };
  const inbox = () => hub.work.inbox;
  const conflict = { code: 'conflict' };

  it('is taken by the worker that holds it now, and by nobody else', async () => {
    const { id, late, now } = await twice();
    await expect(inbox().ack('lists', id, null, late)).rejects.toMatchObject(conflict);
    await expect(inbox().extend('lists', id, 60_000, null, late)).rejects.toMatchObject(conflict);
    await expect(inbox().nack('lists', id, late)).rejects.toMatchObject(conflict);
    await expect(inbox().reply('lists', id, DONE, late)).rejects.toMatchObject(conflict);
    await inbox().ack('lists', id, null, now);
    expect(await inbox().ack('lists', id, null, now)).toMatchObject({ delivery_id: id });
    await expect(inbox().ack('lists', id, null, late)).rejects.toMatchObject(conflict);
    expect(await inbox().reply('lists', id, DONE, now)).toMatchObject({ state: 'completed' });
  });

  it('is taken once by workers that do not say which attempt they speak of', async () => {
    const { id } = await twice();
    await inbox().ack('lists', id, null);
    await expect(inbox().ack('lists', id, null)).rejects.toMatchObject(conflict);
  });

  it('may be taken again by its only worker, whose answer was lost', async () => {
    await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
    await hub.decide(hub.card, 'allow');
    const { delivery_id: id } = await hub.claim('lists');
    await inbox().ack('lists', id, null);
    expect(await inbox().ack('lists', id, null)).toMatchObject({ delivery_id: id });
  });

  it('is, as a question, answered by the worker that holds it now', async () => {
    const { id, late, now, answer } = await askTwice();
    await expect(inbox().ack('lists', id, null, late)).rejects.toMatchObject(conflict);
    await inbox().ack('lists', id, null);
    await expect(inbox().ack('lists', id, null)).rejects.toMatchObject(conflict);
    await expect(inbox().extend('lists', id, 60_000, null, late)).rejects.toMatchObject(conflict);
    await expect(inbox().reply('lists', id, DONE, late)).rejects.toMatchObject(conflict);
    await inbox().reply('lists', id, DONE, now);
    expect((await answer).state).toBe('answered');
  });

  it('counts as done when its answer comes after the lease, as long as nobody was handed it again', async () => {
    const { id, late, now } = await twice();
    await clock.advance(61_000);
    await expect(inbox().reply('lists', id, DONE, late)).rejects.toMatchObject(conflict);
    expect(await inbox().reply('lists', id, DONE, now)).toMatchObject({ state: 'completed' });
    expect((await inbox().claim('lists', 8)).filter(({ kind }) => kind === 'delegate')).toEqual([]);
  });

  it('is, as a question, not taken after its lease is over', async () => {
    const { id, answer } = await askTwice();
    await clock.advance(61_000);
    await expect(inbox().ack('lists', id, null)).rejects.toMatchObject(conflict);
    const third = await hub.claim('lists');
    await inbox().reply('lists', id, DONE, third.attempt);
    expect((await answer).state).toBe('answered');
  });

  it('that was answered already says so to a second answer, and how it ended', async () => {
    const already = (state: string) => ({
      code: 'gone',
      message: `You answered it already, and it ended as ${state}.`,
    });
    const { id, now } = await twice();
    await inbox().reply('lists', id, { ...DONE, status: 'partial' }, now);
    await expect(inbox().reply('lists', id, DONE, now)).rejects.toMatchObject(already('partial'));
    await expect(inbox().ack('lists', id, null)).rejects.toMatchObject(already('partial'));
    const asked = await askTwice();
    await inbox().reply('lists', asked.id, DONE, asked.now);
    await asked.answer;
    await expect(inbox().reply('lists', asked.id, DONE, null)).rejects.toMatchObject(
      already('completed'),
    );
    await expect(inbox().reply('claude', asked.id, DONE, null)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('that ended in another way says how, and not that it was answered', async () => {
    const { id, now } = await twice();
    await clock.advance(86_400_000);
    await expect(inbox().reply('lists', id, DONE, now)).rejects.toMatchObject({
      code: 'gone',
      message: expect.stringMatching(/^This task has ended: /),
    });
  }, 90_000);

  it('is named by the cancel of it, with the item to answer', async () => {
    const report = await hub.work.sender.delegate(
      delegation('local/lists', 'Add salt'),
      'claude',
      null,
    );
    await hub.decide(hub.card, 'allow');
    const work = await hub.claim('lists');
    await inbox().ack('lists', work.delivery_id, null);
    await hub.work.tasks.cancel(report.id, { agent: 'claude' }, null);
    const stop = await hub.claim('lists');
    expect(stop).toMatchObject({ kind: 'cancel', stops: work.delivery_id });
    expect(stop.instruction_from_hub).toContain(`Task ${report.id} is cancelled. Stop it now`);
    expect(stop.instruction_from_hub).toContain(`reply ${work.delivery_id} --status cancelled`);
  });

  it('is told apart at the API', async () => {
    const { id, late, now } = await twice();
    const handlers = inboxHandlers({
      inbox: hub.work.inbox,
      wakeUps: { forHook: () => Promise.resolve(false) },
    });
    const lists = { kind: 'agent', tokenId: 't', agent: 'lists', scopes: [] } as const;
    const context = { signal: never, idempotencyKey: null };
    const acked = async (attempt: number) =>
      handlers['inbox.ack']({ delivery: id, attempt, estimated_ms: undefined }, lists, context);
    await expect(acked(late)).rejects.toMatchObject(conflict);
    expect(await acked(now)).toMatchObject({ attempt: 2 });
  });
});

describe('what belongs to one task', () => {
  let clock: ManualClock;
  let dad: WorkHub;
  let mum: WorkHub;

  beforeEach(async () => {
    ({ clock, dad, mum } = await openTwoHubs());
  });
  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  it.each(['normal', 'urgent'] as const)(
    'is handed what belongs to one task in the order in which it happened: %s',
    async (priority) => {
      const { id } = await dad.work.sender.delegate(
        delegation('mum', 'Dinner is at 7', { domain: 'family.chat', priority }),
        'openclaw',
        null,
      );
      await mum.decide(mum.card, 'allow');
      const { delivery_id } = await mum.claim('claude');
      await dad.knows(mum);
      await mum.work.sender.notify(
        { to: 'dad/openclaw', topic: 'task.accepted', data: 'Gladly', importance: 'low', ref: id },
        'claude',
      );
      await clock.advance(100);
      await mum.work.inbox.reply('claude', delivery_id, { status: 'completed', truncated: false });
      await clock.advance(100);
      const kinds = (await dad.work.inbox.claim('openclaw', 9)).map(({ kind }) => kind);
      expect(kinds).toEqual(['notify', 'result']);
    },
  );
});
