// Which places a round of dialling tries, and how long it stays at each.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Resolver } from '../../../../main/ports/resolver.ts';
import { PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

describe('a hub that was there before', () => {
  it('is looked for where it was last, whatever the network announces of it', async () => {
    const { dad, mum } = await house.couple();
    const { port } = mum;
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed', 60_000);
    const addresses = [1, 2, 3, 4].map((last) => `203.0.113.${last}`);
    dad.directory.foundNearby({
      agentId: mum.agentId,
      keyHex: mum.key,
      port: 1,
      addresses,
      label: 'Mum',
    });
    const dial = vi.spyOn(dad.transport, 'dial');
    await house.clock.until(
      () => dial.mock.calls.some(([target]) => target.port === port),
      'it is dialled there',
      120_000,
    );
    expect(dial.mock.calls.slice(0, 4).map(([target]) => target.port)).toContain(port);
  });
});

describe('a hub whose owner named a computer that there is not', () => {
  it('is said to have a wrong address', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    const address = { host: 'mum.example', port: 7100 };
    await dad.directory.update(mum.key, { address }, PERSON);
    await house.clock.until(() => dad.peer(mum).trouble !== null, 'it was dialled', 10_000);
    expect(dad.peer(mum).trouble).toBe(
      'No computer is known as "mum.example". Check the address of Mum.',
    );
  });
});

describe('a hub with many addresses', () => {
  it('is given at least two and a half seconds at each of them', async () => {
    const resolver: Resolver = {
      resolve: () => Promise.resolve([1, 2, 3, 4].map((last) => `203.0.113.${last}`)),
    };
    const [dad, mum] = [await house.hub('Dad', { resolver }), await house.hub('Mum')];
    await dad.directory.addStatic({ keyHex: mum.key, host: 'mum.example', port: 1, name: null });
    const dial = dad.transport.dial.bind(dad.transport);
    const startedAtMs: number[] = [];
    dad.transport.dial = (target, signal) => {
      startedAtMs.push(house.clock.monotonicMs());
      return dial(target, signal);
    };
    dad.pairing.begin(mum.agentId, null);
    await house.clock.until(() => dad.currentPairing?.state === 'failed', 'nobody answers', 30_000);
    const each = [...startedAtMs.slice(1), house.clock.monotonicMs()].map(
      (atMs, index) => atMs - (startedAtMs[index] ?? 0),
    );
    expect(each).toHaveLength(4);
    expect(Math.min(...each)).toBeGreaterThanOrEqual(2_500);
  });
});
