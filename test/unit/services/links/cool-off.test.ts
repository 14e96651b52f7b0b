// How long a key is kept out.
import { describe, expect, it } from 'vitest';
import { CoolOff } from '../../../../main/services/links/cool-off.ts';
import { COOL_OFF_FIRST_MS } from '../../../../main/services/links/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const KEY = 'a'.repeat(64);

describe('a key that is kept out', () => {
  it('is kept out until the time is over', async () => {
    const clock = new ManualClock();
    const coolOff = new CoolOff(clock);
    expect(coolOff.isCooling(KEY)).toBe(false);
    expect(coolOff.begin(KEY)).toBe(true);
    expect(coolOff.isCooling(KEY)).toBe(true);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.isCooling(KEY)).toBe(false);
  });

  it('is kept out once, although both of its lines are complained of', async () => {
    const clock = new ManualClock();
    const coolOff = new CoolOff(clock);
    coolOff.begin(KEY);
    expect(coolOff.begin(KEY)).toBe(false);
    expect(coolOff.isCooling(KEY)).toBe(true);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.isCooling(KEY)).toBe(false);
  });

  it('is kept out twice as long when it does so again', async () => {
    const clock = new ManualClock();
    const coolOff = new CoolOff(clock);
    coolOff.begin(KEY);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.begin(KEY)).toBe(true);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.isCooling(KEY)).toBe(true);
    await clock.advance(COOL_OFF_FIRST_MS);
    expect(coolOff.isCooling(KEY)).toBe(false);
  });
});
