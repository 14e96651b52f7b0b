// How long a key is kept out, and what for.
import { describe, expect, it } from 'vitest';
import { CoolOff, OFFENCES } from '../../../../main/services/links/cool-off.ts';
import { COOL_OFF_FIRST_MS } from '../../../../main/services/links/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const KEY = 'a'.repeat(64);

describe('a key that is kept out', () => {
  it('is kept out for what it did, until the time is over', async () => {
    const clock = new ManualClock();
    const coolOff = new CoolOff(clock);
    expect(coolOff.reason(KEY)).toBeUndefined();
    expect(coolOff.begin(KEY, OFFENCES.tooCostly)).toBe(true);
    expect(coolOff.reason(KEY)).toBe(OFFENCES.tooCostly);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.reason(KEY)).toBeUndefined();
  });

  it('is kept out once, although both of its lines are complained of', async () => {
    const clock = new ManualClock();
    const coolOff = new CoolOff(clock);
    coolOff.begin(KEY, OFFENCES.tooCostly);
    expect(coolOff.begin(KEY, OFFENCES.malformed)).toBe(false);
    expect(coolOff.reason(KEY)).toBe(OFFENCES.tooCostly);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.reason(KEY)).toBeUndefined();
  });

  it('is kept out twice as long when it does so again', async () => {
    const clock = new ManualClock();
    const coolOff = new CoolOff(clock);
    coolOff.begin(KEY, OFFENCES.malformed);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.begin(KEY, OFFENCES.malformed)).toBe(true);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.reason(KEY)).toBe(OFFENCES.malformed);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.reason(KEY)).toBeUndefined();
  });
});
