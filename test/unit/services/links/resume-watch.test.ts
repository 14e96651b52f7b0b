// When a hub believes that the computer slept.
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../../main/ports/clock.ts';
import { ResumeWatch } from '../../../../main/services/links/resume-watch.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';

const watches: ResumeWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});

function watchOn(clock: Clock): number[] {
  const away: number[] = [];
  const watch = new ResumeWatch(clock, SILENT_LOG, (awayMs) => away.push(awayMs));
  watches.push(watch);
  watch.start();
  watch.start();
  return away;
}

describe('a sleep', () => {
  it('is told once, when the wall clock ran on and the other stood still', async () => {
    const clock = new ManualClock();
    const away = watchOn(clock);
    await clock.advance(60_000);
    clock.jumpWall(600_000);
    await clock.advance(60_000);
    expect(away).toEqual([600_000]);
  });

  it('is told once, when a timer comes late because everything stood still', () => {
    let [nowMs, due] = [1_000, (): void => undefined];
    const away = watchOn({
      wallMs: () => nowMs,
      monotonicMs: () => nowMs,
      setTimer: (_delayMs, run) => {
        due = run;
        return { cancel: () => undefined };
      },
    });
    const after = (ms: number): void => {
      nowMs += ms;
      due();
    };
    for (const ms of [5_000, 5_100, 605_000, 5_000, 12_000]) after(ms);
    expect(away).toEqual([600_000]);
  });

  it('is not a clock that was set back, a busy moment, or anything after the end of the watch', async () => {
    const clock = new ManualClock();
    const away = watchOn(clock);
    clock.jumpWall(-3_600_000);
    await clock.advance(20_000);
    clock.jumpWall(8_000);
    await clock.advance(20_000);
    for (const watch of watches) watch.stop();
    clock.jumpWall(600_000);
    await clock.advance(20_000);
    expect(away).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});
