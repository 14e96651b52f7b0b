// Two workers of one agent, or one that comes back late: of all attempts at an item exactly one is
// taken.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inboxHandlers } from '../../../../main/api/operations/work.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeOneHub, openOneHub } from '../../../fakes/two-work-hubs.ts';
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

  it('is told apart at the API', async () => {
    const { id, late, now } = await twice();
    const handlers = inboxHandlers({ inbox: hub.work.inbox });
    const lists = { kind: 'agent', tokenId: 't', agent: 'lists', scopes: [] } as const;
    const context = { signal: never, idempotencyKey: null };
    const acked = async (attempt: number) =>
      handlers['inbox.ack']({ delivery: id, attempt, estimated_ms: undefined }, lists, context);
    await expect(acked(late)).rejects.toMatchObject(conflict);
    expect(await acked(now)).toMatchObject({ attempt: 2 });
  });
});
