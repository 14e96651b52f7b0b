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

it('takes her hub’s own name for no person’s, whatever it is called here', async () => {
  const { mum, leo } = house;
  await house.guard();
  mum.person = null;
  const call = (petname: string, advertisedName: string | null) =>
    leo.store.write((tables) => {
      const row = tables.peer(mum.key);
      if (row !== undefined) tables.putPeer({ ...row, petname, advertisedName });
    });
  for (const [petname, advertisedName] of [
    ['Mum’s PC', null],
    ['Kitchen', 'mum'],
    ['The one upstairs', 'Before it was renamed'],
  ] as const) {
    await call(petname, advertisedName);
    await house.ask(`Mow the lawn of ${petname}`);
    await house.decide(mum, 'allow');
    expect(decidedAt(leo)).toBe(petname);
    await house.ask(`Sweep the yard of ${petname}`);
    await house.decide(mum, 'decline');
    expect(decidedAt(leo)).toBe(petname);
  }
});

it('knows the name that an older hub signs with by what that hub calls itself', async () => {
  const { mum, leo } = house;
  await house.guard();
  mum.person = null;
  await leo.store.write((tables) => {
    const row = tables.peer(mum.key);
    if (row !== undefined) tables.putPeer({ ...row, petname: 'Mum’s PC', advertisedName: 'Hub 3f2a' });
  });
  // An older hub signs with its own name in both places.
  mum.person = 'Hub 3f2a';
  await house.ask();
  await house.decide(mum, 'allow');
  expect(decidedAt(leo)).toBe('Mum’s PC');
});
