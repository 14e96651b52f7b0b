// What is open with a hub ends when it is suspended or removed, also when this hub dies between the two.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PeerRow } from '../../../../main/ports/store.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const send = (task: string) => dad.work.sender.delegate(delegation('mum', task, { domain: 'family.chat' }), 'openclaw', null);
const setTrust = (hub: WorkHub, other: WorkHub, trust: PeerRow['trust']) =>
  hub.store.write((tables) => {
    const row = tables.peer(other.key);
    if (row) tables.putPeer({ ...row, trust, revokedAt: trust === 'revoked' ? 1 : null });
  });

for (const trust of ['suspended', 'revoked'] as const) {
  it(`hands out nothing of a hub that is ${trust}, whatever was allowed before`, async () => {
    await send('Dinner is at 7');
    await mum.decide(mum.card, 'allow');
    await setTrust(mum, dad, trust);
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
    await setTrust(mum, dad, trust);
    await setTrust(dad, mum, trust);
    await mum.restart();
    await dad.restart();
    await clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 5 }).map((task) => task.state)).toEqual(['cancelled', 'cancelled']);
    expect(mum.store.read.countDeliveries('claude', ['running'])).toBe(0);
    expect((await mum.claim('claude')).kind).toBe('cancel');
    expect(dad.store.read.task(running.id)).toMatchObject({ state: 'failed', code: 'pairing_required' });
  });
}
