// A database that may have been put back from a copy: what waited in it before this start may be done already, so no agent is handed it, told of
// it again or let begin it, and agents send nothing to other hubs, until the owner has said that the record is meant. That it is done is taken.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STREAM_LEASED_MAX } from '../../../../main/api/http/limits.ts';
import { ERRORS } from '../../../../preload/contract/errors.ts';
import { INBOX_QUEUED_MAX, LEASE_DEFAULT_MS, RESEND_BACKOFF } from '../../../../main/services/work/limits.ts';
import { FollowedStream } from '../../../fakes/followed-stream.ts';
import { delegation, WorkHub } from '../../../fakes/work-hub.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { deliveryRow } from '../../../fakes/sample-rows.ts';

let clock: ManualClock;
let hub: WorkHub;
let other: WorkHub;
let isPutBack: boolean;
let isUnchecked: boolean;
beforeEach(async () => {
  clock = new ManualClock();
  isPutBack = false;
  isUnchecked = false;
  const network = new MemoryNetwork();
  hub = await new WorkHub({ name: 'here', network, clock, isPutBack: () => isPutBack, isUnchecked: () => isUnchecked }).start();
  other = await new WorkHub({ name: 'other', network, clock }).start();
  await hub.pair(other);
  await hub.agent('robot', ['home']);
  await other.agent('helper', ['home']);
});
afterEach(async () => {
  await hub.close();
  await other.close();
});

const DONE = { status: 'completed', outcome: 'Done.', summary: 'Done.', truncated: false } as const;

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

  it('keeps nothing that is asked since from its agent, however much of it there is', async () => {
    const old = Array.from({ length: INBOX_QUEUED_MAX - 1 }, (_, number) => deliveryRow({ deliveryId: `old ${number}`, agent: 'robot' }));
    await hub.store.write((tables) => old.map((row) => tables.insertDelivery(row)));
    isPutBack = true;
    await startAgain();
    expect(await claimed()).toEqual([]);
    await give('since');
    expect(await claimed()).toEqual(['since']);
  });

  it('wakes an agent that waits once it is meant', async () => {
    await give('before');
    isPutBack = true;
    await startAgain();
    const request = { max: 1, wait_ms: 60_000, lease_ms: 60_000 };
    const waiting = hub.work.inbox.claimWaiting('robot', request, new AbortController().signal);
    await clock.settle();
    isPutBack = false;
    hub.work.released();
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

  it('that an agent was doing stays what it was told: who did not hear the answer hears it again', async () => {
    await give('before');
    const { delivery_id: id, attempt } = await hub.claim('robot');
    await hub.work.inbox.ack('robot', id, null, attempt);
    isPutBack = true;
    await startAgain();
    await expect(hub.work.inbox.ack('robot', id, null, attempt)).resolves.toMatchObject({ delivery_id: id });
    await expect(hub.work.inbox.ack('robot', id, null, attempt + 1)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('and was claimed since the copy was made: its agent reads that the data folder was put back, whatever it says of the item', async () => {
    await give('before');
    const [item] = hub.store.read.deliveriesOfAgent('robot', ['queued'], { limit: 1 });
    const id = item?.deliveryId ?? '';
    isPutBack = true;
    await startAgain();
    const put = { code: 'conflict', message: expect.stringContaining('was put back from a copy') };
    const { inbox } = hub.work;
    for (const attempt of [1, null]) {
      await expect(inbox.ack('robot', id, null, attempt)).rejects.toMatchObject(put);
      await expect(inbox.reply('robot', id, DONE, attempt)).rejects.toMatchObject(put);
      await expect(inbox.extend('robot', id, LEASE_DEFAULT_MS, null, attempt)).rejects.toMatchObject(put);
      await expect(inbox.nack('robot', id, attempt)).rejects.toMatchObject(put);
    }
    expect(hub.store.read.delivery(id)?.state).toBe('queued');
  });

  it('is done when the agent that holds it says so, and handed to nobody again; it may give it back, and not go on holding it', async () => {
    await give('before');
    await give('too');
    const [one, two] = await hub.work.inbox.claim('robot', 2);
    if (one === undefined || two === undefined) throw new Error('not handed out');
    isPutBack = true;
    await startAgain();
    const { inbox } = hub.work;
    const put = { code: 'conflict', message: expect.stringContaining('was put back from a copy') };
    await expect(inbox.extend('robot', two.delivery_id, LEASE_DEFAULT_MS, null, two.attempt)).rejects.toMatchObject(put);
    await expect(inbox.reply('robot', one.delivery_id, DONE, one.attempt + 1)).rejects.toMatchObject(put);
    await expect(inbox.reply('robot', one.delivery_id, DONE, one.attempt)).resolves.toBe('completed');
    await expect(inbox.nack('robot', two.delivery_id, two.attempt)).resolves.toBe('queued');
    expect(await claimed()).toEqual([]);
    isPutBack = false;
    expect(await claimed()).toEqual(['too']);
  });
});

describe('a request whose card waited in a database that was put back', () => {
  const ask = (task: string) => other.work.sender.delegate(delegation('here', task, { domain: 'home' }), null, null);
  const shown = (): readonly boolean[] =>
    hub.events.flatMap((event) => (event.type === 'approval' && event.approval.text === 'before' ? [event.approval.may_be_done] : []));

  it('is handed to nobody when it is allowed, until it is meant, while what is asked since is', async () => {
    await ask('before');
    isPutBack = true;
    await startAgain();
    await hub.decide(hub.card, 'allow');
    expect(await claimed()).toEqual([]);
    await give('since');
    expect(await claimed()).toEqual(['since']);
    isPutBack = false;
    hub.work.released();
    expect(await claimed()).toEqual(['before']);
  });

  it('says that it may have been done, allowed or not, from when that is known until it is meant, and what is asked since does not', async () => {
    await ask('before');
    isUnchecked = true;
    await startAgain();
    const { id } = hub.card;
    const says = () => hub.work.approvals.get(id).may_be_done;
    expect(says()).toBe(false);
    isUnchecked = false;
    isPutBack = true;
    hub.work.compared();
    hub.work.compared();
    expect([says(), shown().at(-1)]).toEqual([true, true]);
    await hub.decide(hub.card, 'allow');
    expect([says(), shown().at(-1)]).toEqual([true, true]);
    await ask('since');
    expect(hub.card).toMatchObject({ text: 'since', may_be_done: false });
    isPutBack = false;
    hub.work.compared();
    hub.work.released();
    expect([says(), shown().at(-1)]).toEqual([false, false]);
  });

  it('is handed to nobody either while nobody knows yet', async () => {
    await ask('before');
    isUnchecked = true;
    await startAgain();
    await hub.decide(hub.card, 'allow');
    expect(await claimed()).toEqual([]);
    isUnchecked = false;
    expect(await claimed()).toEqual(['before']);
  });

  it('and is declined ends as any: nothing of it is left for the agent', async () => {
    await ask('before');
    isPutBack = true;
    await startAgain();
    const { id } = hub.card;
    await hub.decide(hub.card, 'decline');
    expect(hub.work.approvals.get(id).may_be_done).toBe(false);
    isPutBack = false;
    expect(await claimed()).toEqual([]);
  });
});

describe('while nobody knows yet whether the database was put back', () => {
  it('an agent that did not hear that it has an item hears it again after a restart', async () => {
    await give('before');
    const { delivery_id: id, attempt } = await hub.claim('robot');
    await hub.work.inbox.ack('robot', id, null, attempt);
    isUnchecked = true;
    await startAgain();
    await expect(hub.work.inbox.ack('robot', id, null, attempt)).resolves.toMatchObject({ delivery_id: id });
    await hub.work.inbox.reply('robot', id, DONE, attempt);
    expect(hub.store.read.delivery(id)?.state).toBe('done');
  });

  it('an agent that holds an item is told to ask again, not that it was put back, and has it once that is known', async () => {
    await give('before');
    const { delivery_id: id, attempt } = await hub.claim('robot');
    isUnchecked = true;
    await startAgain();
    const refused = hub.work.inbox.ack('robot', id, null, attempt);
    await expect(refused).rejects.toMatchObject({ code: 'record_unchecked', message: expect.stringContaining('not compared yet') });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('was put back') });
    expect(ERRORS.record_unchecked).toMatchObject({ retryable: true, title: expect.not.stringContaining('keychain') });
    isUnchecked = false;
    await expect(hub.work.inbox.ack('robot', id, null, attempt)).resolves.toMatchObject({ delivery_id: id });
  });

  it('an agent that was handed an item more often than this record knows is told to ask again, not that another has it', async () => {
    await give('before');
    const [item] = hub.store.read.deliveriesOfAgent('robot', ['queued'], { limit: 1 });
    const id = item?.deliveryId ?? '';
    isUnchecked = true;
    await startAgain();
    const uncompared = { code: 'record_unchecked', message: expect.stringContaining('not compared yet') };
    await expect(hub.work.inbox.ack('robot', id, null, 1)).rejects.toMatchObject(uncompared);
    await expect(hub.work.inbox.reply('robot', id, DONE, 1)).rejects.toMatchObject(uncompared);
  });

  it('an agent that holds an item keeps it by saying that it goes on, and is believed that it is done', async () => {
    await give('before');
    const { delivery_id: id, attempt } = await hub.claim('robot');
    isUnchecked = true;
    await startAgain();
    await expect(hub.work.inbox.extend('robot', id, LEASE_DEFAULT_MS, null, attempt)).resolves.toEqual(expect.any(Number));
    await expect(hub.work.inbox.reply('robot', id, DONE, attempt)).resolves.toBe('completed');
  });

  it('an agent whose lease has ended meanwhile is told so, and is handed the item anew once that is known', async () => {
    await give('before');
    const { delivery_id: id, attempt } = await hub.claim('robot');
    isUnchecked = true;
    await startAgain();
    await clock.advance(LEASE_DEFAULT_MS + 1);
    await expect(hub.work.inbox.ack('robot', id, null, attempt)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('its lease is over'),
    });
    isUnchecked = false;
    await expect(hub.claim('robot')).resolves.toMatchObject({ delivery_id: id, attempt: attempt + 1 });
  });
});

describe('a stream that an agent resumes while nobody knows yet', () => {
  const idsOf = (stream: FollowedStream) => stream.items.map((item) => item.split(' ')[0]);
  let stream: FollowedStream;
  afterEach(() => stream.end());

  it('has again what was leased to the agent and never reached it once that is known, in its attempt, and once', async () => {
    await give('one');
    await give('two');
    const [one, two] = await hub.work.inbox.claim('robot', 2);
    if (one === undefined || two === undefined) throw new Error('not handed out');
    isUnchecked = true;
    await startAgain();
    stream = new FollowedStream(hub, 'robot', one.seq);
    await give('since');
    await clock.settle();
    expect(stream.items).toHaveLength(1);
    isUnchecked = false;
    hub.work.released();
    hub.work.released();
    await clock.settle();
    const [since, again, ...more] = stream.items;
    expect([since?.endsWith(' 1'), again, more]).toEqual([true, `${two.delivery_id} ${two.attempt}`, []]);
  });

  it('has nothing twice where nothing was held back as it was opened', async () => {
    await give('one');
    const { delivery_id: id } = await hub.claim('robot');
    await startAgain();
    stream = new FollowedStream(hub, 'robot', 0);
    hub.work.released();
    await clock.settle();
    expect(idsOf(stream)).toEqual([id]);
  });

  it('is handed what is asked since, however much is held back', async () => {
    const old = Array.from({ length: STREAM_LEASED_MAX }, (_, number) =>
      deliveryRow({
        deliveryId: `old ${number}`,
        agent: 'robot',
        state: 'claimed',
        attempt: 1,
        leaseUntilWallMs: clock.wallMs() + 600_000,
      }),
    );
    await hub.store.write((tables) => old.map((row) => tables.insertDelivery(row)));
    isUnchecked = true;
    await startAgain();
    stream = new FollowedStream(hub, 'robot');
    await give('since');
    await clock.settle();
    expect(stream.items).toHaveLength(1);
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

/** Sent to the other hub, which did not answer that it has it. @returns the task's id */
async function sendUnheard(asker: string | null): Promise<string> {
  other.messenger.swallowed.add('ack');
  const { id } = await hub.work.sender.delegate(delegation('other', 'x', { domain: 'home' }), asker, null);
  other.messenger.swallowed.clear();
  return id;
}
const sentOf = (id: string): number => hub.messenger.sent.filter((envelope) => envelope.id === id).length;
const stateOf = (id: string): string | undefined => hub.store.read.task(id)?.state;

it('a result that a database that was put back still owes leaves all the same, under the id it had, and is taken once', async () => {
  await give('before');
  const { delivery_id: id, attempt } = await hub.claim('robot');
  hub.cut(other);
  await hub.work.inbox.reply('robot', id, DONE, attempt);
  isPutBack = true;
  const owed = () => hub.store.read.outboxOf(other.key, { limit: 5, after: undefined }).map(({ messageId }) => messageId);
  const [owedId] = owed();
  await startAgain();
  await clock.settle();
  const results = hub.messenger.sent.filter(({ kind }) => kind === 'result').map((envelope) => envelope.id);
  expect([results, owed()]).toEqual([[owedId], []]);
  expect(other.store.read.tasks({ limit: 1 })[0]).toMatchObject({ state: 'completed' });
});

describe('what agents of a database that was put back had sent, and no hub has acknowledged', () => {
  it('is not sent again, however often that hub comes back, until it is meant, while what a person had sent is', async () => {
    await other.knows(hub);
    const [ofAgent, ofPerson] = [await sendUnheard('robot'), await sendUnheard(null)];
    isPutBack = true;
    await startAgain();
    await clock.advance(RESEND_BACKOFF.maxMs * 2);
    hub.cut(other);
    hub.connect(other);
    await clock.settle();
    expect([sentOf(ofAgent), stateOf(ofAgent)]).toEqual([0, 'sending']);
    expect([sentOf(ofPerson), stateOf(ofPerson)]).toEqual([1, 'awaiting_approval']);
    isPutBack = false;
    hub.work.released();
    await clock.settle();
    expect([sentOf(ofAgent), stateOf(ofAgent)]).toEqual([1, 'awaiting_approval']);
    expect(sentOf(ofPerson)).toBe(1);
  });

  it('is not sent again either where that is known only while it is being sent again', async () => {
    await other.knows(hub);
    const id = await sendUnheard('robot');
    const sent = sentOf(id);
    isPutBack = true;
    await clock.advance(RESEND_BACKOFF.maxMs * 2);
    expect([sentOf(id), stateOf(id)]).toEqual([sent, 'sending']);
    isPutBack = false;
    hub.work.released();
    await clock.settle();
    expect([sentOf(id), stateOf(id)]).toEqual([sent + 1, 'awaiting_approval']);
  });
});
