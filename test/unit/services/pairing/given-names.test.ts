// Which hub tells which its name before they are paired: one whose page for adding hubs is open,
// while it is, and nobody else.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;
let dad: HubStack;
let mum: HubStack;

beforeEach(async () => {
  house = new StackHouse();
  [dad, mum] = [await house.hub("Dad's laptop"), await house.hub("Mum's PC")];
  dad.hears(mum);
  mum.hears(dad);
});
afterEach(() => house.close());

const named = (at: HubStack, other: HubStack): string | null =>
  at.peer(other).untrusted.advertised_name;
const settled = () => house.clock.advance(2_000);

describe('before they are paired', () => {
  it('two hubs whose pages are open show each other’s names within two seconds, whichever was opened first', async () => {
    dad.pairing.setWindow(true, 5);
    await settled();
    expect([named(dad, mum), named(mum, dad)], 'one page').toEqual([null, "Dad's laptop"]);
    mum.pairing.setWindow(true, 5);
    await settled();
    expect([named(dad, mum), named(mum, dad)], 'both pages').toEqual(["Mum's PC", "Dad's laptop"]);
  });

  it('and so do two that come in sight while their pages are open', async () => {
    const [leo, nana] = [await house.hub('Leo'), await house.hub('Nana')];
    leo.pairing.setWindow(true, 5);
    nana.pairing.setWindow(true, 5);
    leo.hears(nana);
    nana.hears(leo);
    await settled();
    expect([named(leo, nana), named(nana, leo)]).toEqual(['Nana', 'Leo']);
  });

  it('a hub whose page is closed, or closed again, tells no stranger its name', async () => {
    const told = await dad.links.unpaired.open(mum.key, new AbortController().signal);
    expect([told.ok, named(dad, mum), named(mum, dad)]).toEqual([true, null, null]);
    mum.pairing.setWindow(true, 5);
    await settled();
    expect([named(dad, mum), named(mum, dad)]).toEqual(["Mum's PC", null]);
    mum.pairing.setWindow(false, 5);
    const eve = await house.hub('Eve');
    eve.hears(mum);
    expect((await eve.links.unpaired.open(mum.key, new AbortController().signal)).ok).toBe(true);
    expect(named(eve, mum)).toBeNull();
    await house.clock.advance(400_000);
    const kid = await house.hub('Kid');
    mum.hears(kid);
    await settled();
    expect(named(kid, mum)).toBeNull();
  });

  it('a page that opens leaves the connection of a pairing alone', async () => {
    mum.pairing.setWindow(true, 5);
    dad.pairing.begin(mum.agentId, 'Mum');
    await house.clock.until(() => mum.currentPairing?.state === 'offered', 'it waits', 60_000);
    mum.pairing.setWindow(false, 5);
    mum.pairing.setWindow(true, 5);
    await settled();
    mum.pairing.open(mum.currentPairing?.id ?? '');
    await house.clock.until(() => mum.currentPairing?.state === 'show_six', 'it goes on', 60_000);
    expect(dad.currentPairing?.state).toBe('type_six');
  });
});
