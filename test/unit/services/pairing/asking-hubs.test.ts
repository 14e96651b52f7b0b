// A hub that asks while pairing is closed: one quiet line for whoever looks, made of nothing that
// the hub says, and never in anybody's way.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingWindowDto } from '../../../../preload/contract/pairing-dto.ts';
import { hubLabel } from '../../../../main/services/links/peer-names.ts';
import { ASKING_HUBS_MAX, ASKING_REMEMBERED_MS } from '../../../../main/services/pairing/limits.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { RawHub } from '../links/raw-hub.ts';
import { Attacker } from './attacker.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

const AGAIN_MS = 3_000;
let house: StackHouse;
let mum: HubStack;

beforeEach(async () => {
  house = new StackHouse();
  mum = await house.hub('Mum');
});
afterEach(() => house.close());

async function asking(): Promise<Attacker> {
  const transport = house.network.create();
  house.endsWith(() => transport.stop());
  return new Attacker(await new RawHub(transport).start(), mum, house.clock).connect();
}

/** Asks for so long as a hub does: every three seconds. */
async function asksFor(hub: Attacker, durationMs: number): Promise<void> {
  for (let pastMs = 0; pastMs < durationMs; pastMs += AGAIN_MS) {
    await hub.offers();
    await house.clock.advance(AGAIN_MS);
  }
}

function told(): readonly (PairingWindowDto['asked'] | undefined)[] {
  return mum.seen.flatMap((event) => (event.type === 'pairing_window' ? [event.window.asked] : []));
}

describe('a hub that asks while pairing is closed', () => {
  it('is told of by its label alone as long as it asks, and gets the same answer as ever', async () => {
    const dad = await asking();
    expect(await dad.offers()).toBe('not_authorized');
    const asked = { label: hubLabel(dad.raw.agentId) };
    expect(mum.pairing.window).toEqual({ open: false, closes_at: null, locked_until: null, asked });
    await asksFor(dad, 30_000);
    expect(told()).toEqual([asked]);
    expect(mum.pairing.list()).toEqual([]);
    expect(JSON.stringify(mum.seen)).not.toContain(dad.meta.hub);
    await house.clock.advance(ASKING_REMEMBERED_MS);
    expect(told()).toEqual([asked, null]);
  });

  it('HE-08: is one line with all the others that ask, and fifty of them make no second event', async () => {
    const dad = await asking();
    await dad.offers();
    for (let count = 0; count < 50; count++) {
      const eve = await asking();
      expect(await eve.offers()).toBe('not_authorized');
      await eve.stop();
    }
    expect(told()).toEqual([{ label: hubLabel(dad.raw.agentId) }, { label: null }]);
    expect(ASKING_HUBS_MAX).toBeLessThan(50);
  });

  it('stands in the list like any other once pairing is open, and is not told of beside that', async () => {
    const dad = await asking();
    await dad.offers();
    expect(mum.pairing.setWindow(true, 5).asked).toBeNull();
    expect(await dad.offers()).toBe('ack');
    expect(mum.pairing.list()).toMatchObject([{ state: 'offered', peer_id: dad.raw.agentId }]);
  });

  it('is not told of when it is paired', async () => {
    const dad = await asking();
    await mum.store.write((tables) => mum.directory.pinInside(tables, pinOf(dad.raw.key, 'Dad')));
    mum.directory.pinned(dad.raw.key);
    expect(await dad.offers()).toBe('not_authorized');
    expect(mum.pairing.window.asked).toBeNull();
  });
});
