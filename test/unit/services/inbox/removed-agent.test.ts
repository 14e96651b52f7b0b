// An agent that was removed gets nothing any more, and whoever comes later under its name is
// somebody else.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import { TokenService } from '../../../../main/services/auth/token-service.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { delegation, OWNER, WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let hub: WorkHub;

beforeEach(async () => {
  clock = new ManualClock();
  hub = await new WorkHub({ name: 'mum', network: new MemoryNetwork(), clock }).start();
  await hub.agent('claude');
});

afterEach(async () => {
  await clock.settle();
  await hub.close();
});

const profile = { domains: [], capabilities: [] };

it('gets no token for a request that was confirmed before it was removed', async () => {
  const { registration, secret } = await hub.work.registrations.register('lists', profile);
  await hub.work.registrations.confirm(registration.id, registration.code, 'R2', OWNER);
  await hub.work.agents.remove('lists', OWNER);
  expect(await hub.work.registrations.poll(registration.id, secret)).toEqual({
    state: 'declined',
    token: null,
    agent: null,
  });
  expect(hub.minted).toEqual([]);
});

it('has what waits in its inbox put away with it, and claims nothing', async () => {
  await hub.agent('lists', [], { topics: ['user'] });
  await hub.work.sender.notify(
    { to: 'local', topic: 'user.location', data: 'home', importance: 'low' },
    null,
  );
  await hub.work.sender.notify(
    { to: 'local', topic: 'user.mood', data: 'fine', importance: 'low' },
    null,
  );
  const held = await hub.claim('lists');
  await hub.work.agents.remove('lists', OWNER);
  expect(hub.store.read.countDeliveries('lists', ['queued', 'claimed', 'running', 'dead'])).toBe(0);
  expect(hub.store.read.delivery(held.delivery_id)?.state).toBe('done');
});

it('is handed nothing that finds its way into its inbox afterwards', async () => {
  await hub.agent('lists');
  await hub.work.agents.remove('lists', OWNER);
  await hub.store.write((tables) =>
    tables.insertDelivery({
      deliveryId: crypto.randomUUID(),
      agent: 'lists',
      kind: 'notify',
      state: 'queued',
      taskId: null,
      conversationId: null,
      urgency: 0,
      body: JSON.stringify({
        untrusted: {},
        envelope: {},
        trust: {},
        approval: null,
        conversation_id: null,
      }),
      attempt: 0,
      leaseUntilWallMs: null,
      createdAt: 1,
      finishedAt: null,
    }),
  );
  expect(await hub.work.inbox.claim('lists', 8)).toEqual([]);
});

it('has nothing done any more that it asked of another agent', async () => {
  await hub.agent('lists');
  const { id } = await hub.work.sender.delegate(
    delegation('local/claude', 'Add salt'),
    'lists',
    null,
  );
  const { id: running } = await hub.work.sender.delegate(
    delegation('local/claude', 'Add sugar'),
    'lists',
    null,
  );
  const card = hub.work.approvals.pending().find(({ task_id: taskId }) => taskId === running);
  if (!card) throw new Error('no card');
  await hub.decide(card, 'allow');
  const item = await hub.claim('claude');
  await hub.work.inbox.ack('claude', item.delivery_id, null);
  await hub.work.agents.remove('lists', OWNER);
  await clock.settle();
  expect(hub.work.approvals.pending()).toEqual([]);
  for (const task of [id, running])
    expect(hub.store.read.task(task)).toMatchObject({ state: 'cancelled' });
  expect((await hub.claim('claude')).kind, 'its agent is told to stop').toBe('cancel');
});

it.each(['owner', 'hub', 'local'])(
  'is never called %s, as the records call people and the hub',
  async (name) => {
    await expect(hub.agent(name)).rejects.toMatchObject({ code: 'conflict' });
  },
);

it('leaves its handle to nobody, whether anything is kept under it or not', async () => {
  await hub.agent('quiet');
  await hub.agent('lists');
  await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
  await hub.agent('teller');
  await hub.work.sender.notify(
    { to: 'local', topic: 'user.mood', data: 'fine', importance: 'low' },
    'teller',
  );
  await clock.advance(100);
  for (const name of ['quiet', 'lists', 'teller']) {
    await hub.work.agents.remove(name, OWNER);
    expect(await hub.agent(name)).toMatchObject({ name: `${name}-2`, connected_as: name });
  }
});

it('has its tokens revoked, and gets none that is asked for before its removal is written and made after it', async () => {
  const tokens = new TokenService({ store: hub.store, clock, random: new SystemRandom() });
  await hub.agent('lists');
  const removed = hub.work.agents.remove('lists', OWNER);
  const late = tokens.issueForAgent('lists');
  await expect(late).rejects.toMatchObject({ code: 'not_found' });
  await removed;
  expect(hub.revoked).toEqual(['lists']);
  expect(hub.store.read.tokens()).toEqual([]);
});
