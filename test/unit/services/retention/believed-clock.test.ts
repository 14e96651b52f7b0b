// What time the hub believes it is, and what it takes from its own store for it.
import { describe, expect, it, test } from 'vitest';
import { believedAfter, firstBelief } from '../../../../main/services/retention/believed-clock.ts';
import { NOTHING_REMOVED, readState, writeState } from '../../../../main/services/retention/retention-state.ts';

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

describe('what is kept between two removals', () => {
  const whole = { believedMs: NOW, removed: { tasks: 1, messages: 2, deliveries: 3, outbox: 4, feed: 5 } };

  it('comes back as it was', () => {
    expect(readState(writeState(whole))).toEqual(whole);
    expect(readState(writeState({ believedMs: 0, removed: NOTHING_REMOVED }))).toEqual({ believedMs: 0, removed: NOTHING_REMOVED });
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
  ])('is nothing where this program would not have written it: %s', (text) => {
    expect(readState(text)).toBeUndefined();
  });
});
