// A database that may have been put back from a copy: what waited in it before this start may be done already, so no agent is handed it, told of
// it again or has its word for it taken, and agents send nothing to other hubs, until the owner has said that the record is meant.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { delegation, WorkHub } from '../../../fakes/work-hub.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';

let clock: ManualClock;
let hub: WorkHub;
let other: WorkHub;
let isPutBack: boolean;
beforeEach(async () => {
  clock = new ManualClock();
  isPutBack = false;
  const network = new MemoryNetwork();
  hub = await new WorkHub({ name: 'here', network, clock, isPutBack: () => isPutBack }).start();
  other = await new WorkHub({ name: 'other', network, clock }).start();
  await hub.pair(other);
  await hub.agent('robot', ['home']);
  await other.agent('helper', ['home']);
});
afterEach(async () => {
  await hub.close();
  await other.close();
});

/** Asked by another hub and allowed by a person, it waits for the agent. */
async function give(task: string): Promise<void> {
  await other.work.sender.delegate(delegation('here', task, { domain: 'home' }), null, null);
  await hub.decide(hub.card, 'allow');
}

async function startAgain(): Promise<void> {
  await hub.restart();
  hub.connect(other);
}

const claimed = async () => (await hub.work.inbox.claim('robot', 5)).map(({ untrusted }) => untrusted.text);

describe('what waited in a database that was put back', () => {
  it('is handed to no agent until it is meant, while what is asked since is', async () => {
    await give('before');
    isPutBack = true;
    await startAgain();
    expect(await claimed()).toEqual([]);
    await give('since');
    expect(await claimed()).toEqual(['since']);
    isPutBack = false;
    expect(await claimed()).toEqual(['before']);
  });

  it('wakes an agent that waits once it is meant', async () => {
    await give('before');
    isPutBack = true;
    await startAgain();
    const request = { max: 1, wait_ms: 60_000, lease_ms: 60_000 };
    const waiting = hub.work.inbox.claimWaiting('robot', request, new AbortController().signal);
    await clock.settle();
    isPutBack = false;
    hub.work.inbox.released();
    expect((await waiting).map(({ untrusted }) => untrusted.text)).toEqual(['before']);
  });

  it('is not told again to the agent that held it, and not taken from it', async () => {
    await give('before');
    const { delivery_id: id, attempt } = await hub.claim('robot');
    isPutBack = true;
    await startAgain();
    expect(hub.work.inbox.leasedAfter('robot', 0, 5)).toEqual([]);
    await expect(hub.work.inbox.ack('robot', id, null, attempt)).rejects.toMatchObject({ code: 'conflict' });
    isPutBack = false;
    expect(hub.work.inbox.leasedAfter('robot', 0, 5).map((item) => item.delivery_id)).toEqual([id]);
    await expect(hub.work.inbox.ack('robot', id, null, attempt)).resolves.toMatchObject({ delivery_id: id });
  });
});

it('an agent of a database that was put back sends nothing to other hubs, and is told why; a person does', async () => {
  isPutBack = true;
  await other.knows(hub);
  const put = { code: 'conflict', message: expect.stringContaining('put back from a copy') };
  const { sender } = hub.work;
  await expect(sender.delegate(delegation('other', 'x', { domain: 'home' }), 'robot', null)).rejects.toMatchObject(put);
  await expect(sender.notify({ to: 'other', topic: 'x', data: null, importance: 'low' }, 'robot')).rejects.toMatchObject(put);
  await expect(sender.query({ to: 'other', question: 'x' }, 'robot', new AbortController().signal)).rejects.toMatchObject(put);
  await expect(sender.delegate(delegation('other', 'x', { domain: 'home' }), null, null)).resolves.toMatchObject({
    state: expect.any(String),
  });
  isPutBack = false;
  await expect(sender.delegate(delegation('other', 'x', { domain: 'home' }), 'robot', null)).resolves.toMatchObject({
    state: expect.any(String),
  });
});
