// Two people who change who decides at the same time: what one of them has kept is not undone by
// what the other had read before.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { BROWSER, type WorkHub } from '../../../fakes/work-hub.ts';

let house: RemoteApprovalHouse;
let leo: WorkHub;

beforeEach(async () => {
  house = await new RemoteApprovalHouse().open();
  leo = house.leo;
});
afterEach(() => house.close());

const read = () => {
  const { from, hubs } = leo.work.remoteApproval.current();
  return { from, hubs: hubs.filter(({ decides }) => decides).map(({ id }) => id) };
};
const standing = () =>
  leo.work.remoteApproval
    .current()
    .hubs.filter(({ decides }) => decides)
    .map(({ name }) => name);

it('what was chosen over an older setting is refused, and nothing is changed', async () => {
  await house.letDecide([house.mum], 'R2');
  const older = read();
  await leo.work.remoteApproval.set(['mum', 'dad'], 'R1', BROWSER, older);
  const changes = () =>
    leo.store.read
      .auditAfter(0, Number.MAX_SAFE_INTEGER, 500)
      .filter(({ action }) => action.startsWith('remote_approval.')).length;
  const before = changes();
  await expect(leo.work.remoteApproval.set([], null, BROWSER, older)).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(leo.work.remoteApproval.current().from).toBe('R1');
  expect(standing().toSorted()).toEqual(['dad', 'mum']);
  expect(changes()).toBe(before);
  await leo.work.remoteApproval.set([], null, BROWSER, read());
  expect(leo.work.remoteApproval.current().from).toBeNull();
});

it('of two that go in together the first counts', async () => {
  const older = read();
  const both = await Promise.allSettled([
    leo.work.remoteApproval.set(['mum'], 'R2', BROWSER, older),
    leo.work.remoteApproval.set(['dad'], 'R3', BROWSER, older),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(standing()).toEqual(['mum']);
});

it('what names no older one takes the place of whatever stands, as at a terminal', async () => {
  await house.letDecide([house.mum], 'R2');
  await leo.work.remoteApproval.set(['dad'], 'R3', BROWSER);
  expect(standing()).toEqual(['dad']);
});
