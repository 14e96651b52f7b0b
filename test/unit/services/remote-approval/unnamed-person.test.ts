// Who is said to have answered where nobody is named: other hubs read the hub's name, the people
// here that it was they.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';

let house: RemoteApprovalHouse;
beforeEach(async () => {
  house = await new RemoteApprovalHouse().open();
});
afterEach(() => house.close());

const decidedAt = (hub: RemoteApprovalHouse['leo']) =>
  hub.work.approvals.decided({ limit: 1 }).items[0]?.decided_by;

it('names her hub where an adult has no name, and both where she has one', async () => {
  const { mum, leo } = house;
  await house.letDecide();
  for (const [person, there, here] of [
    [null, 'mum', 'owner'],
    ['mum', 'mum', 'mum'],
    ['Nadia', 'Nadia, mum', 'Nadia'],
  ] as const) {
    mum.person = person;
    await house.ask(`Mow the lawn for ${person ?? 'nobody'}`);
    await house.decide(mum, 'allow');
    expect([decidedAt(leo), decidedAt(mum)]).toEqual([there, here]);
  }
});
