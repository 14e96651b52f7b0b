// Now or later: every combination of what a person may have said, against the sentence that stands in the requirements.
import { expect, test } from 'vitest';
import { holdOf, type Calm } from '../../../main/core/holding.ts';

const NONE: Calm = { paused: null, mutedUntil: null, quietUntil: null, mayInterrupt: false };
const ask = { decision: 'ask', urgent: false } as const;
const urgent = { decision: 'ask', urgent: true } as const;

test('while nobody minds, everything is asked at once', () => {
  expect([holdOf(ask, NONE), holdOf({ ...ask, decision: 'deliver' }, NONE)]).toEqual([null, null]);
});

test('a quiet hour puts off what asks a person, and nothing that asks nobody', () => {
  const quiet = { ...NONE, quietUntil: 7 };
  expect(holdOf(ask, quiet)).toEqual({ why: 'quiet_hours', until: 7 });
  expect([holdOf({ ...ask, decision: 'deliver' }, quiet), holdOf({ ...ask, decision: 'decline' }, quiet)]).toEqual([null, null]);
});

test('a pause puts off what a rule would let in, too; what a rule turns away is turned away', () => {
  const paused = { ...NONE, paused: { until: null } };
  expect([holdOf(ask, paused), holdOf({ ...ask, decision: 'deliver' }, paused)]).toEqual([
    { why: 'paused', until: null },
    { why: 'paused', until: null },
  ]);
  expect(holdOf({ ...ask, decision: 'decline' }, paused)).toBeNull();
});

test('urgent passes a quiet hour and a pause only for a hub that its owner named, and is then asked, never let in', () => {
  for (const calm of [
    { ...NONE, quietUntil: 7 },
    { ...NONE, paused: { until: 7 } },
  ]) {
    expect(holdOf(urgent, calm)).not.toBeNull();
    expect(holdOf(urgent, { ...calm, mayInterrupt: true })).toBeNull();
    expect(holdOf(ask, { ...calm, mayInterrupt: true })).not.toBeNull();
  }
  expect(holdOf({ decision: 'deliver', urgent: true }, { ...NONE, paused: { until: 7 }, mayInterrupt: true })).not.toBeNull();
});

test('nothing passes a mute by calling itself urgent', () => {
  expect(holdOf(urgent, { ...NONE, mutedUntil: 7, mayInterrupt: true })).toEqual({ why: 'muted', until: 7 });
});

test('of several reasons the one that ends last counts', () => {
  expect(holdOf(ask, { paused: { until: 5 }, mutedUntil: 9, quietUntil: 7, mayInterrupt: false })).toEqual({ why: 'muted', until: 9 });
  expect(holdOf(ask, { paused: { until: null }, mutedUntil: 9, quietUntil: 7, mayInterrupt: false })).toEqual({
    why: 'paused',
    until: null,
  });
});
