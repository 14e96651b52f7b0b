// Messages of a real peer through the whole way in: connection, gate, rates, work. What is counted
// is counted once, and a repeat not at all.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import { ok } from '../../../../main/lib/result.ts';
import { PEER_RATES } from '../../../../main/services/links/limits.ts';
import { PeerRates } from '../../../../main/services/links/peer-rates.ts';
import { composeTaskServices, type TaskServices } from '../../../../main/app/task-services.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { OWNER } from '../../../fakes/work-hub.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;
let dad: HubStack;
let mum: HubStack;
let work: TaskServices;

beforeEach(async () => {
  house = new StackHouse();
  ({ dad, mum } = await house.couple());
  work = composeTaskServices({
    approvalWaitMs: () => 3_600_000,
    turnsMax: () => 12,
    rulesMayAct: () => true,
    personName: () => null,
    timeZone: () => 'UTC',
    store: mum.store,
    clock: house.clock,
    random: new SystemRandom(),
    log: SILENT_LOG,
    events: mum.events,
    messenger: mum.links,
    rates: new PeerRates(house.clock),
    resolvePeer: (to) => mum.directory.resolve(to),
    pinnedPeer: (id) => mum.directory.resolvePinned(id),
    refreshCapabilities: () => Promise.resolve(ok()),
    hubName: () => 'Mum',
    mintAgentToken: (agent) => Promise.resolve(agent),
    revokeAgentTokens: () => () => undefined,
  });
  await work.start();
});
afterEach(async () => {
  await work.stop();
  await house.close();
});

const ask = async (id: string = randomUUID()): Promise<string> => {
  const asked = dad.links.request(
    mum.key,
    { id, kind: 'query', ref: null, payload: { question: 'Milk?', domain: 'home' } },
    5_000,
  );
  const reply = await settled(asked);
  return reply.ok ? reply.value.kind : reply.error.code;
};
const settled = async <T>(promise: Promise<T>): Promise<T> => {
  await house.clock.settle();
  return promise;
};
const tell = (id: string, payload: Readonly<Record<string, unknown>>, ref: string | null = null) =>
  settled(dad.links.send(mum.key, { id, kind: 'notify', ref, payload }));
const mood = { topic: 'user.mood', data: 'fine' };

it('takes as many queries at once as the rate says, not half of them', async () => {
  const codes: string[] = [];
  for (let count = 0; count <= PEER_RATES.query.burst; count++) codes.push(await ask());
  expect(codes.slice(0, -1)).toEqual(
    Array.from({ length: PEER_RATES.query.burst }, () => 'unhandled'),
  );
  expect(codes.at(-1)).toBe('rate_limited');
});

it('takes as many notifications at once as the rate says, and counts neither receipts nor repeats', async () => {
  const { burst } = PEER_RATES.notify;
  for (let count = 0; count < burst; count++)
    await tell(randomUUID(), { topic: 'axon.receipt', data: {} }, randomUUID());
  const first = randomUUID();
  for (let count = 0; count < burst; count++) await tell(first, mood);
  await house.clock.advance(100);
  expect(work.feed.unreadCount()).toBe(1);
  for (let count = 1; count < burst; count++) await tell(randomUUID(), mood);
  await house.clock.advance(100);
  expect(work.feed.unreadCount()).toBe(burst);
  await tell(randomUUID(), mood);
  await house.clock.advance(100);
  expect(work.feed.unreadCount()).toBe(burst);
});

it('counts what an agent says under the topic of receipts', async () => {
  const told = { topic: 'axon.receipt', route: { from: 'chat' }, data: 'bought' };
  for (let count = 0; count < PEER_RATES.notify.burst; count++) await tell(randomUUID(), told);
  await tell(randomUUID(), mood);
  await house.clock.advance(100);
  expect(work.feed.list({ limit: 99 }).items.map(({ topic }) => topic)).not.toContain(mood.topic);
  await house.clock.advance(60_000);
});

it('shows a notification that comes twice once, and hands it out once', async () => {
  await work.agents.create('claude', { topics: ['user'] }, 'R2', OWNER);
  const id = randomUUID();
  await tell(id, mood);
  await house.clock.advance(60_000);
  await tell(id, mood);
  await house.clock.advance(100);
  expect(work.feed.unreadCount()).toBe(1);
  expect(await work.inbox.claim('claude', 8)).toHaveLength(1);
});

it('asks nobody twice what comes twice, while it is open and after it was answered', async () => {
  await work.agents.create('claude', { domains: ['home'] }, 'R0', OWNER);
  const id = randomUUID();
  const asked = ask(id);
  await house.clock.settle();
  const [item] = await work.inbox.claim('claude', 8);
  expect(await ask(id)).toBe('conflict');
  await work.inbox.reply('claude', item?.delivery_id ?? '', {
    status: 'completed',
    summary: 'Yes',
    truncated: false,
  });
  expect(await asked).toBe('response');
  expect(await ask(id)).toBe('conflict');
  expect(await work.inbox.claim('claude', 8)).toEqual([]);
});

it('takes a query again that was refused for a while, under the same id', async () => {
  const { burst } = PEER_RATES.query;
  for (let count = 0; count < burst; count++) await ask();
  const id = randomUUID();
  expect(await ask(id)).toBe('rate_limited');
  await house.clock.advance(60_000);
  expect(await ask(id)).toBe('unhandled');
});
