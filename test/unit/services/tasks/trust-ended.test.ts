// What is open with a hub ends when it is suspended or removed, also when this hub dies between the
// two.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EventBus } from '../../../../main/services/base/event-bus.ts';
import { PeerDirectory } from '../../../../main/services/links/peer-directory.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { closeTwoHubs, newest, openTwoHubs, putTrust } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const send = (task: string) =>
  dad.work.sender.delegate(delegation('mum', task, { domain: 'family.chat' }), 'openclaw', null);

for (const trust of ['suspended', 'revoked'] as const) {
  it(`hands out nothing of a hub that is ${trust}, whatever was allowed before`, async () => {
    await send('Dinner is at 7');
    await mum.decide(mum.card, 'allow');
    await putTrust(mum, dad, trust);
    expect(await mum.work.inbox.claim('claude', 8)).toEqual([]);
    const [task] = mum.store.read.tasks({ limit: 5 });
    expect(task).toMatchObject({ state: 'cancelled', code: 'cancelled' });
    expect(mum.store.read.countDeliveries('claude', ['queued', 'claimed', 'running'])).toBe(0);
  });

  it(`ends at its next start what was open with a hub that is ${trust}: what is asked of it, what waits for a person, what runs`, async () => {
    const running = await send('Sing');
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await send('Cook');
    await putTrust(mum, dad, trust);
    await putTrust(dad, mum, trust);
    await mum.restart();
    await dad.restart();
    await clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 5 }).map((task) => task.state)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(mum.store.read.countDeliveries('claude', ['running'])).toBe(0);
    expect((await mum.claim('claude')).kind).toBe('cancel');
    const reason = expect.stringContaining(
      trust === 'suspended' ? 'A person suspended the link' : 'do not trust each other any more',
    ) as string;
    expect(dad.store.read.task(running.id)).toMatchObject({
      state: 'failed',
      code: 'pairing_required',
      reason,
    });
    expect(mum.store.read.tasks({ limit: 5 }).map((task) => task.reason)).toEqual([reason, reason]);
  });
}

it('ends what is open in the very commit that removes the hub: a crash between the two cannot be', async () => {
  await send('Dinner is at 7');
  const { card } = mum;
  const directory = new PeerDirectory({
    store: mum.store,
    clock,
    log: SILENT_LOG,
    events: new EventBus(),
    identity: { keyHex: mum.key, ready: true },
    transport: { setAdmission: () => undefined },
    ownName: () => 'Mum',
  });
  directory.load();
  directory.stored.onTrustEnding((tables, after, key) => mum.work.peerEnded(tables, after, key));
  const write = mum.store.write.bind(mum.store);
  // Whatever another commit would do never happens: the computer goes off right after the first.
  let commits = 0;
  mum.store.write = (work) => (commits++ === 0 ? write(work) : new Promise(() => undefined));
  void directory.remove(dad.key, { actor: 'ui:1', surface: 'browser' });
  await clock.settle();
  mum.store.write = write;
  expect(commits).toBe(1);
  expect(mum.store.read.peer(dad.key)?.trust).toBe('revoked');
  expect(mum.store.read.approval(card.id)?.state).toBe('cancelled');
  expect(newest(mum)).toMatchObject({ state: 'cancelled', code: 'cancelled' });
});

it('takes nothing that passed the gate just before the hub was suspended', async () => {
  const hears = (kind: string, payload: object) =>
    mum.hears(dad.key, {
      id: crypto.randomUUID(),
      kind,
      payload: { domain: 'family.chat', ...payload },
    });
  const [, task, question] = await Promise.all([
    mum.endTrust(dad, 'suspended'),
    hears('delegate', { task: 'Dinner is at 7' }),
    hears('query', { question: 'Milk?' }),
  ]);
  expect([task.payload, question.payload]).toMatchObject([
    { accepted: false, code: 'pairing_required' },
    { code: 'pairing_required' },
  ]);
  expect(mum.work.approvals.pending()).toEqual([]);
});
