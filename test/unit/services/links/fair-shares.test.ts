// The bytes of a hub that asks for others: however much one of them takes, and however many take all they can, whoever asked for little has some.
import { describe, expect, it } from 'vitest';
import { FairShares } from '../../../../main/services/links/fair-shares.ts';
import { ASKERS_COUNTED_PER_HUB_MAX } from '../../../../main/services/links/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const DAY_MS = 86_400_000;
const DAY_BYTES = 120_000;

function begin() {
  const clock = new ManualClock();
  const shares = new FairShares(clock, DAY_BYTES);
  /** How much that asker gets in pieces of 100 until it gets no more. */
  const takeAll = (asker: string): number => {
    let bytes = 0;
    while (shares.take('leo', asker, 100) === undefined) bytes += 100;
    return bytes;
  };
  return { clock, shares, takeAll };
}

describe('the bytes of one hub, shared among those it asks for', () => {
  it('leave as much as one took to the others, of whom the next leaves as much again', () => {
    const { takeAll } = begin();
    expect(takeAll('friend')).toBe(DAY_BYTES / 2);
    expect(takeAll('gran')).toBe(DAY_BYTES / 4);
    expect(takeAll('aunt')).toBe(DAY_BYTES / 8);
  });

  it('never add up to more than the hub may use, whatever it calls those it asks for', () => {
    const { shares } = begin();
    let bytes = 0;
    for (let nth = 0; nth < 3 * ASKERS_COUNTED_PER_HUB_MAX; nth += 1) {
      for (const size of [5_000, 400, 30]) if (shares.take('leo', `asker ${nth}`, size) === undefined) bytes += size;
    }
    expect(bytes).toBeGreaterThan(DAY_BYTES / 2);
    expect(bytes).toBeLessThanOrEqual(DAY_BYTES);
    expect(shares.take('kim', 'asker 1', 5_000), 'another hub has its own').toBeUndefined();
  });

  it('come back in a day, to each in proportion: many who take all they can for days leave a part to whoever comes', async () => {
    const { clock, shares, takeAll } = begin();
    const greedy = ['a', 'b', 'c', 'd'];
    let taken = 0;
    for (let hour = 0; hour < 96; hour += 1) {
      for (const asker of greedy) taken += takeAll(asker);
      await clock.advance(DAY_MS / 24);
    }
    expect(taken, 'what is free is used').toBeGreaterThan(3 * DAY_BYTES);
    expect(taken).toBeLessThanOrEqual(5 * DAY_BYTES);
    for (const asker of greedy) takeAll(asker);
    expect(takeAll('gran')).toBeGreaterThan(DAY_BYTES / 12);
    await clock.advance(DAY_MS);
    expect(shares.take('leo', 'a', DAY_BYTES / 2)).toBeUndefined();
  });

  it('say whose bytes are used up, and a wait after which they are there', async () => {
    const { clock, shares, takeAll } = begin();
    takeAll('friend');
    const none = shares.take('leo', 'friend', 1_000);
    expect(none?.of).toBe('asker');
    expect(shares.take('leo', 'gran', DAY_BYTES)?.of).toBe('hub');
    await clock.advance(none?.waitMs ?? 0);
    expect(shares.take('leo', 'friend', 1_000)).toBeUndefined();
  });
});
