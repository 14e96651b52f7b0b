// Calling a delegation off when it is not known whether the other hub has it, and with more words than a report can carry.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { delegation, WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  clock = new ManualClock();
  const network = new MemoryNetwork();
  dad = await new WorkHub({ name: 'dad', network, clock }).start();
  mum = await new WorkHub({ name: 'mum', network, clock }).start();
  await dad.pair(mum);
  await dad.agent('openclaw');
  await mum.agent('claude', ['family.chat']);
  await mum.knows(dad);
});

afterEach(async () => {
  await clock.settle();
  await dad.close();
  await mum.close();
});

const send = () => dad.work.sender.delegate(delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }), 'openclaw', null);
const cancel = (id: string, reason: string | null = null) => dad.work.tasks.cancel(id, { agent: 'openclaw' }, reason);
const cancels = () => dad.messenger.sent.filter((envelope) => envelope.kind === 'cancel');

it('takes a cancel whatever the length of its reason, and cuts the reason with a mark', async () => {
  const { id } = await send();
  const reason = '\u202e'.repeat(9_000);
  const reply = await mum.hears(dad.key, { id: crypto.randomUUID(), kind: 'cancel', ref: id, payload: { reason } });
  expect(reply.payload).toMatchObject({ accepted: true });
  const [task] = mum.store.read.tasks({ limit: 1 });
  expect(task?.state).toBe('cancelled');
  expect(task?.reason).toMatch(/\[cut\]"$/u);
  await clock.settle();
  expect(dad.store.read.task(id)?.state).toBe('cancelled');
});

describe('a delegation whose ack was lost', () => {
  it('is called off while the other hub is away, and taken back there when it returns', async () => {
    mum.messenger.swallowed.add('ack');
    const { id, state } = await send();
    expect([state, mum.work.approvals.pending().length]).toEqual(['sending', 1]);
    dad.cut(mum);
    mum.messenger.swallowed.clear();
    expect((await cancel(id, 'Plans changed')).state).toBe('cancelled');
    await dad.restart();
    await clock.advance(60_000);
    dad.connect(mum);
    await clock.advance(1_000);
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
    expect(dad.store.read.outboxOf(mum.key)).toEqual([]);
    expect(dad.messenger.sent.filter((envelope) => envelope.kind === 'delegate')).toEqual([]);
    const sent = cancels().length;
    await clock.advance(600_000);
    expect(cancels()).toHaveLength(sent);
  });

  it('is taken back until the other hub says so, with the very same message', async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await send();
    await cancel(id);
    await clock.advance(30_000);
    expect(cancels().length).toBeGreaterThan(1);
    expect(new Set(cancels().map((envelope) => envelope.id)).size).toBe(1);
    mum.messenger.swallowed.clear();
    await clock.advance(600_000);
    expect(dad.store.read.outboxOf(mum.key)).toEqual([]);
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('is taken back once more when its ack comes after the cancel', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const write = mum.store.write.bind(mum.store);
    mum.store.write = async (work) => {
      await held;
      return write(work);
    };
    const sending = send();
    await clock.settle();
    const [task] = dad.store.read.tasks({ limit: 1 });
    const called = cancel(task?.id ?? '');
    mum.store.write = write;
    await clock.settle();
    expect((await called).state).toBe('cancelled');
    release();
    expect((await sending).state).toBe('cancelled');
    await clock.advance(60_000);
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })[0]?.state).toBe('cancelled');
  });
});
