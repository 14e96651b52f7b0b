// Requests of many hubs that wait for one person: how many each may have there, and that a few
// leave room for the others.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { delegation, NO_LIMITS, WorkHub } from '../../../fakes/work-hub.ts';
import {
  PENDING_PER_PARTY_MAX,
  PENDING_TOTAL_MAX,
} from '../../../../main/services/approvals/limits.ts';

const EACH = 20;
const never = new AbortController().signal;
let clock: ManualClock;
let network: MemoryNetwork;
let mum: WorkHub;
let asking: WorkHub[];

beforeEach(async () => {
  clock = new ManualClock();
  network = new MemoryNetwork();
  mum = await new WorkHub({ name: 'mum', network, clock, rates: NO_LIMITS }).start();
  await mum.agent('claude', ['family.chat']);
  asking = [];
});
afterEach(async () => {
  await clock.settle();
  for (const hub of [mum, ...asking]) await hub.close();
});

async function another(): Promise<WorkHub> {
  const hub = await new WorkHub({ name: `hub ${asking.length}`, network, clock }).start();
  asking.push(hub);
  await hub.pair(mum);
  await hub.agent('openclaw');
  await mum.knows(hub);
  return hub;
}

/** What became of it just now: a request that waits for a person has no answer yet. */
async function delegate(hub: WorkHub): Promise<string> {
  const sent = hub.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  return sent.then(
    ({ state }) => state,
    ({ code }: { code: string }) => code,
  );
}

async function query(hub: WorkHub): Promise<void> {
  const params = { to: 'mum', question: 'Milk?', domain: 'family.chat', deadline_ms: 600_000 };
  hub.work.sender.query(params, 'openclaw', never).catch(() => undefined);
  await clock.settle();
}

const waiting = (): number => mum.work.approvals.pending().length;

it(
  'DL-08: four hubs that ask as much as they can leave room for the others',
  { timeout: 120_000 },
  async () => {
    for (let number = 0; number < 4; number += 1) {
      const hub = await another();
      for (let count = 0; count < 3; count += 1) await delegate(hub);
      expect(waiting()).toBe(number * PENDING_PER_PARTY_MAX + 3);
      for (let count = 0; count < EACH; count += 1) await query(hub);
      expect(waiting()).toBe((number + 1) * PENDING_PER_PARTY_MAX);
      expect(await delegate(hub)).toBe('overloaded');
    }
    expect(waiting()).toBeLessThan(PENDING_TOTAL_MAX);
    expect(await delegate(await another())).toBe('awaiting_approval');
  },
);

it('has room for five questions of one hub, and for none of its delegations beside them', async () => {
  const hub = await another();
  for (let count = 0; count < EACH; count += 1) await query(hub);
  expect(waiting()).toBe(PENDING_PER_PARTY_MAX);
  expect(await delegate(hub)).toBe('overloaded');
});
