// Who is said to have answered where nobody is named: other hubs read the hub's name, the people here that it was they.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConsentHouse } from '../../../fakes/consent-house.ts';

let house: ConsentHouse;
beforeEach(async () => {
  house = await new ConsentHouse().open();
});
afterEach(() => house.close());

const decidedAt = (hub: ConsentHouse['leo']) => hub.work.approvals.decided({ limit: 1 }).items[0]?.decided_by;

it('names her hub where an adult has no name, and both where she has one', async () => {
  const { mum, leo } = house;
  await house.guard();
  for (const [person, there, here] of [
    [null, 'mum', 'owner'],
    ['mum', 'mum', 'mum'],
    ['Nadia', 'Nadia, mum', 'Nadia'],
    // What an older hub sends.
    ['owner', 'mum', 'owner'],
  ] as const) {
    mum.person = person;
    await house.ask(`Mow the lawn for ${person ?? 'nobody'}`);
    await house.decide(mum, 'allow');
    expect([decidedAt(leo), decidedAt(mum)]).toEqual([there, here]);
  }
});
