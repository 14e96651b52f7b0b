// Now or later: every combination of what a person may have said, against the sentence that stands
// in the requirements.
import { expect, test } from 'vitest';
import { holdOf, isSilenced, type DoNotDisturbState } from '../../../main/core/holding.ts';

const NONE: DoNotDisturbState = {
  paused: null,
  mutedUntil: null,
  quietUntil: null,
  mayInterrupt: false,
};
const ask = { decision: 'ask', urgent: false, riskClass: 'R2' } as const;
const urgent = { ...ask, urgent: true } as const;
const dangerous = { ...ask, riskClass: 'R3' } as const;

test('while nobody minds, everything is asked at once', () => {
  expect([holdOf(ask, NONE), holdOf({ ...ask, decision: 'deliver' }, NONE)]).toEqual([null, null]);
});

test('a quiet hour holds what asks a person, and nothing that asks nobody', () => {
  const quiet = { ...NONE, quietUntil: 7 };
  expect(holdOf(ask, quiet)).toEqual({ why: 'quiet_hours', until: 7 });
  expect([
    holdOf({ ...ask, decision: 'deliver' }, quiet),
    holdOf({ ...ask, decision: 'decline' }, quiet),
  ]).toEqual([null, null]);
});

test('a pause holds what a rule would allow, too; what a rule refuses is refused', () => {
  const paused = { ...NONE, paused: { until: null } };
  expect([holdOf(ask, paused), holdOf({ ...ask, decision: 'deliver' }, paused)]).toEqual([
    { why: 'paused', until: null },
    { why: 'paused', until: null },
  ]);
  expect(holdOf({ ...ask, decision: 'decline' }, paused)).toBeNull();
});

test('urgent passes a quiet hour and a pause only for a hub that its owner named, and is then asked, never allowed', () => {
  for (const state of [
    { ...NONE, quietUntil: 7 },
    { ...NONE, paused: { until: 7 } },
  ]) {
    expect(holdOf(urgent, state)).not.toBeNull();
    expect(holdOf(urgent, { ...state, mayInterrupt: true })).toBeNull();
    expect(holdOf(ask, { ...state, mayInterrupt: true })).not.toBeNull();
  }
  expect(
    holdOf(
      { ...urgent, decision: 'deliver' },
      { ...NONE, paused: { until: 7 }, mayInterrupt: true },
    ),
  ).not.toBeNull();
});

test('nothing passes a mute by calling itself urgent', () => {
  expect(holdOf(urgent, { ...NONE, mutedUntil: 7, mayInterrupt: true })).toEqual({
    why: 'muted',
    until: 7,
  });
});

test('of several reasons the one that ends last counts', () => {
  expect(
    holdOf(ask, { paused: { until: 5 }, mutedUntil: 9, quietUntil: 7, mayInterrupt: false }),
  ).toEqual({ why: 'muted', until: 9 });
  expect(
    holdOf(ask, { paused: { until: null }, mutedUntil: 9, quietUntil: 7, mayInterrupt: false }),
  ).toEqual({
    why: 'paused',
    until: null,
  });
});

test('neither a quiet hour nor a pause holds what is dangerous; a mute does, since it is about who asks', () => {
  for (const state of [
    { ...NONE, quietUntil: 7 },
    { ...NONE, paused: { until: null } },
  ]) {
    expect(
      (['R0', 'R1', 'R2', 'R3'] as const).map(
        (riskClass) => holdOf({ ...ask, riskClass }, state) !== null,
      ),
    ).toEqual([true, true, true, false]);
    expect(holdOf(dangerous, { ...state, mutedUntil: 9 })).toEqual({ why: 'muted', until: 9 });
  }
});

test('what is asked then is silenced, but for what is urgent from a party that may interrupt', () => {
  expect([isSilenced(dangerous, NONE), isSilenced(urgent, NONE)]).toEqual([false, false]);
  for (const state of [
    { ...NONE, quietUntil: 7 },
    { ...NONE, paused: { until: null } },
  ]) {
    expect([isSilenced(dangerous, state), isSilenced(urgent, state)]).toEqual([true, true]);
    expect([
      isSilenced(dangerous, { ...state, mayInterrupt: true }),
      isSilenced(urgent, { ...state, mayInterrupt: true }),
    ]).toEqual([true, false]);
  }
});
