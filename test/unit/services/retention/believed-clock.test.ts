// What time the hub believes it is, and what it takes from its own store for it.
import { describe, expect, it, test } from 'vitest';
import { believedAfter, firstBelief, firstReached, reachedAfter } from '../../../../main/services/retention/believed-clock.ts';
import { NOTHING_REMOVED, reachedTimes, readState, writeState } from '../../../../main/services/retention/retention-state.ts';

const DAY_MS = 86_400_000;
const NOW = 1_800_000_000_000;

describe('the believed time', () => {
  it('is that of the wall clock while that goes as time does', () => {
    expect(believedAfter(NOW, DAY_MS, NOW + DAY_MS)).toBe(NOW + DAY_MS);
    expect(believedAfter(NOW, 0, NOW)).toBe(NOW);
  });

  it('catches up with a hub that was off for two weeks within half a day', () => {
    expect(believedAfter(NOW, DAY_MS / 2, NOW + 14.5 * DAY_MS)).toBe(NOW + 14.5 * DAY_MS);
  });

  it('follows a jump, either way, thirty days a day and no faster', () => {
    expect(believedAfter(NOW, DAY_MS, NOW + 3_650 * DAY_MS)).toBe(NOW + 30 * DAY_MS);
    expect(believedAfter(NOW, DAY_MS, NOW - 3_650 * DAY_MS)).toBe(NOW - 30 * DAY_MS);
    expect(believedAfter(NOW, 0, NOW + 3_650 * DAY_MS)).toBe(NOW);
    expect(believedAfter(NOW, -5, Number.MAX_SAFE_INTEGER)).toBe(NOW);
  });

  it('begins with the oldest record, and never before there were any or after the wall clock', () => {
    expect(firstBelief(NOW - 9 * DAY_MS, NOW)).toBe(NOW - 9 * DAY_MS);
    expect(firstBelief(undefined, NOW)).toBe(NOW);
    expect(firstBelief(3, NOW)).toBe(Date.UTC(2026, 0, 1));
    expect(firstBelief(NOW + DAY_MS, NOW)).toBe(NOW);
    expect(firstBelief(undefined, 7)).toBe(7);
  });
});

describe('how far a removal has looked', () => {
  it('begins with the oldest record, and never before there were any', () => {
    expect(firstReached(NOW - 9 * DAY_MS, NOW)).toBe(NOW - 9 * DAY_MS);
    expect(firstReached(NOW + DAY_MS, NOW)).toBe(NOW);
    expect(firstReached(3, NOW)).toBe(Date.UTC(2026, 0, 1));
    expect(firstReached(undefined, 7)).toBe(Date.UTC(2026, 0, 1));
  });

  it('goes on with each, never back by a clock that is behind, and never beyond what is believed', () => {
    expect(reachedAfter(NOW, NOW + DAY_MS, NOW + 9 * DAY_MS)).toBe(NOW + DAY_MS);
    expect(reachedAfter(NOW, NOW - 3_650 * DAY_MS, NOW + DAY_MS)).toBe(NOW);
    expect(reachedAfter(NOW + 3_650 * DAY_MS, NOW - 9 * DAY_MS, NOW)).toBe(NOW);
  });
});

describe('what is kept between two removals', () => {
  const reached = { tasks: 6, messages: 7, deliveries: 8, outbox: 9, feed: 10 };
  const whole = { believedMs: NOW, reached, removed: { tasks: 1, messages: 2, deliveries: 3, outbox: 4, feed: 5 } };

  it('comes back as it was', () => {
    expect(readState(writeState(whole))).toEqual(whole);
    const empty = { believedMs: 0, reached: reachedTimes(0), removed: NOTHING_REMOVED };
    expect(readState(writeState(empty))).toEqual(empty);
  });

  it('of a version that did not write how far it looked begins with what is known of it', () => {
    const text = JSON.stringify({ believed_ms: NOW, removed: whole.removed });
    expect(readState(text, () => 5)).toEqual({ ...whole, reached: reachedTimes(5) });
  });

  test.each([
    undefined,
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"believed_ms":"1"}',
    '{"believed_ms":1}',
    '{"believed_ms":-1,"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0,"feed":0}}',
    '{"believed_ms":1e999,"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0,"feed":0}}',
    '{"believed_ms":1.5,"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0,"feed":0}}',
    '{"believed_ms":1,"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0}}',
    '{"believed_ms":1,"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0,"feed":null}}',
    '{"believed_ms":1,"reached":{"tasks":-1},"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0,"feed":0}}',
    '{"believed_ms":1,"reached":null,"removed":{"tasks":0,"messages":0,"deliveries":0,"outbox":0,"feed":0}}',
  ])('is nothing where this program would not have written it: %s', (text) => {
    expect(readState(text)).toBeUndefined();
  });
});
