// Only an adult's hub decides in a child's place: it alone is offered, whoever stops being one
// decides nothing from that commit on, and becoming one again gives nothing back without the owner
// passphrase.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventBus } from '../../../../main/services/base/event-bus.ts';
import { PeerDirectory } from '../../../../main/services/links/peer-directory.ts';
import { ROLES, type Role } from '../../../../preload/contract/role.ts';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { BROWSER, type WorkHub } from '../../../fakes/work-hub.ts';

const PERSON = { actor: 'ui:1', surface: 'browser' } as const;

let house: RemoteApprovalHouse;
let leo: WorkHub;
let mum: WorkHub;
let directory: PeerDirectory;

beforeEach(async () => {
  house = await new RemoteApprovalHouse().open();
  ({ leo, mum } = house);
  directory = new PeerDirectory({
    store: leo.store,
    clock: house.clock,
    log: SILENT_LOG,
    events: new EventBus(),
    identity: { keyHex: leo.key, ready: true },
    transport: { setAdmission: () => undefined },
    ownName: () => 'Leo',
  });
  directory.load();
  directory.stored.onTrustEnding((tables, after, key) => leo.work.peerEnded(tables, after, key));
  directory.stored.onAdultEnding((tables, after, key) =>
    leo.work.remoteApproval.adultNoMore(tables, after, key),
  );
});
afterEach(() => house.close());

const becomes = async (hub: WorkHub, role: Role | null) => {
  await directory.update(hub.key, { role }, PERSON);
  await house.clock.settle();
};
const offered = () =>
  leo.work.remoteApproval.current().hubs.map(({ name, decides }) => [name, decides] as const);

describe('who decides in a child’s place', () => {
  it('is chosen among adults’ hubs alone', async () => {
    expect(Object.fromEntries(offered())).toEqual({ mum: false, dad: false });
    const refused = { code: 'bad_request', message: 'friend is not said to be an adult’s hub.' };
    for (const role of [null, ...ROLES.filter((other) => other !== 'adult')]) {
      await becomes(house.friend, role);
      await expect(
        leo.work.remoteApproval.set(['mum', 'friend'], 'R2', BROWSER),
      ).rejects.toMatchObject(refused);
    }
    expect(leo.work.remoteApproval.current().from, 'nothing was changed').toBeNull();
    await becomes(house.friend, 'adult');
    await leo.work.remoteApproval.set(['friend'], 'R2', BROWSER);
    expect(offered()).toContainEqual(['friend', true]);
  });

  it('is nobody who lost the role while it was being chosen', async () => {
    const losing = becomes(mum, 'guest');
    const choosing = leo.work.remoteApproval.set(['mum'], 'R2', BROWSER);
    await expect(choosing).rejects.toMatchObject({ code: 'bad_request' });
    await losing;
    expect(offered()).toEqual([['dad', false]]);
    expect(leo.work.remoteApproval.current().from).toBeNull();
  });

  it('is nobody who loses the role just after', async () => {
    const choosing = leo.work.remoteApproval.set(['mum'], 'R2', BROWSER);
    const losing = becomes(mum, 'guest');
    await Promise.all([choosing, losing]);
    expect(offered()).toEqual([['dad', false]]);
    await house.ask();
    expect(mum.work.approvals.pending()).toEqual([]);
  });
});

describe('a hub that stops being an adult’s', () => {
  it('has its question taken back, and what it answers in that moment counts nothing', async () => {
    await house.letDecide();
    await house.ask();
    const { card } = mum;
    leo.messenger.swallowed.add('cancel');
    leo.cut(mum);
    await becomes(mum, 'child');
    await mum.decide(card, 'allow');
    leo.connect(mum);
    await house.clock.advance(20_000);
    expect(leo.card.state).toBe('pending');
    expect(leo.card.decided_by_hubs).toEqual([]);
    expect(house.audit(leo, 'remote_approval.answered')).toEqual([]);
    expect(leo.store.read.tasksInStates(['queued', 'claimed', 'running'])).toEqual([]);
  });

  it('decides nothing when it becomes one again, until it is named anew', async () => {
    await house.letDecide([mum, house.dad]);
    await house.ask();
    await becomes(mum, 'child');
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(house.dad.card.text, 'the other goes on').toBe('Mow the lawn');
    await becomes(mum, 'adult');
    expect(offered()).toContainEqual(['mum', false]);
    expect(mum.work.approvals.pending()).toEqual([]);
    await house.letDecide([mum]);
    expect(mum.card.text).toBe('Mow the lawn');
  });

  it('decides no more in the very commit that says so: a crash between the two cannot be', async () => {
    await house.letDecide();
    const write = leo.store.write.bind(leo.store);
    let commits = 0;
    leo.store.write = (work) => (commits++ === 0 ? write(work) : new Promise(() => undefined));
    void directory.update(mum.key, { role: 'guest' }, PERSON);
    await house.clock.settle();
    leo.store.write = write;
    expect(commits).toBe(1);
    await leo.store.write((tables) => {
      const row = tables.peer(mum.key);
      if (row !== undefined) tables.putPeer({ ...row, role: 'adult' });
    });
    expect(offered(), 'it is named no more').toContainEqual(['mum', false]);
    expect(leo.work.remoteApproval.current().from, 'and what adults decide stays so').toBe('R2');
    expect(house.audit(leo, 'peer.changed')[0]).toMatchObject({
      ...PERSON,
      object: mum.key,
      detail: '{"changed":["role"],"role":"guest"}',
    });
    expect(house.audit(leo, 'peer.decides_no_more')).toMatchObject([
      { actor: 'hub', object: mum.key },
    ]);
  });

  it('counts nothing whoever took the role from its row', async () => {
    await house.letDecide();
    await house.ask();
    await leo.store.write((tables) => {
      const row = tables.peer(mum.key);
      if (row !== undefined) tables.putPeer({ ...row, role: null });
    });
    await house.decide(mum, 'allow');
    expect(leo.card.state).toBe('pending');
    expect(house.audit(leo, 'remote_approval.refused')).toMatchObject([{ actor: mum.key }]);
  });

  it('that never decided here changes nothing of who does', async () => {
    await house.letDecide();
    await becomes(house.dad, 'guest');
    expect(offered()).toEqual([['mum', true]]);
    expect(house.audit(leo, 'peer.decides_no_more')).toEqual([]);
  });
});

it('keeps its role over a change of its name, and a restart', async () => {
  await becomes(house.friend, 'shared');
  expect((await directory.update(house.friend.key, { name: 'Kitchen' }, PERSON)).role).toBe(
    'shared',
  );
  directory.load();
  expect(directory.dto(house.friend.key)).toMatchObject({ name: 'Kitchen', role: 'shared' });
  expect((await directory.update(house.friend.key, { role: null }, PERSON)).role).toBeNull();
});
