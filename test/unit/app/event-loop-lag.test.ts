// How late the main process came to what was due: in the last minute, for every reader alike, and
// not at all where nobody reads.
import { describe, expect, test } from 'vitest';
import { EventLoopLag, LAG_WINDOW_MS } from '../../../main/app/event-loop-lag.ts';
import type { Clock, TimerHandle } from '../../../main/ports/clock.ts';

/** A clock whose timers come when the test says, as late as it says. */
class LateClock implements Clock {
  nowMs = 1_000;
  timers: readonly { readonly dueAtMs: number; readonly run: () => void }[] = [];

  wallMs(): number {
    return this.nowMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  setTimer(delayMs: number, run: () => void): TimerHandle {
    const timer = { dueAtMs: this.nowMs + delayMs, run };
    this.timers = [...this.timers, timer];
    return { cancel: () => void (this.timers = this.timers.filter((other) => other !== timer)) };
  }

  /** Lets what is due come, this much too late. */
  pass(lateMs: number): void {
    const [timer, ...rest] = this.timers;
    if (timer === undefined) throw new Error('nothing is due');
    this.timers = rest;
    this.nowMs = timer.dueAtMs + lateMs;
    timer.run();
  }
}

describe('the lag of the event loop', () => {
  test('is measured from the first reading on, and only then', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    expect(clock.timers).toHaveLength(0);
    expect(lag.read()).toBeNull();
    expect(lag.read()).toBeNull();
    expect(clock.timers).toHaveLength(1);
  });

  test('is what 99 of 100 moments of the last minute had, for every reader alike', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    for (let count = 0; count < 197; count += 1) clock.pass(2);
    for (let count = 0; count < 3; count += 1) clock.pass(40);
    expect([lag.read(), lag.read(), lag.read()], 'a reading takes nothing from the next').toEqual([
      40, 40, 40,
    ]);
    clock.pass(2);
    expect(lag.read()).toBe(40);
    for (let count = 0; count < 100; count += 1) clock.pass(2);
    expect(lag.read(), 'one of a hundred').toBe(2);
  });

  test('is not told by the one moment of exactly a hundred that was late', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    for (let count = 0; count < 99; count += 1) clock.pass(2);
    clock.pass(40);
    expect(lag.read()).toBe(2);
  });

  test('leaves no timer when it stops, twice as once, and is begun by no reading after that', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    clock.pass(2);
    expect(clock.timers).toHaveLength(1);
    lag.stop();
    lag.stop();
    expect(clock.timers).toHaveLength(0);
    expect(lag.read(), 'what was measured stays').toBe(2);
    expect(clock.timers).toHaveLength(0);
  });

  test('forgets what is a minute old', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    for (let count = 0; count < 100; count += 1) clock.pass(40);
    const endedAt = clock.nowMs;
    expect(lag.read()).toBe(40);
    while (clock.nowMs < endedAt + 58_000) clock.pass(1);
    expect(lag.read(), 'within the minute').toBe(40);
    while (clock.nowMs < endedAt + 61_000) clock.pass(1);
    expect(lag.read()).toBe(1);
  });

  test('holds no more than the minute of a longer standstill', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    clock.pass(3_600_000);
    expect(lag.read()).toBeLessThanOrEqual(LAG_WINDOW_MS);
    expect(lag.read()).toBeGreaterThan(0.9 * LAG_WINDOW_MS);
  });

  test('counts a standstill for every moment in it, not once', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    for (let count = 0; count < 100; count += 1) clock.pass(0);
    clock.pass(1_000);
    // One late timer of 101 would be past the hundredth; twenty moments of it are not.
    expect(lag.read()).toBeGreaterThanOrEqual(900);
  });

  test('is no longer measured two minutes after the last reading, and again from the next one on', () => {
    const clock = new LateClock();
    const lag = new EventLoopLag(clock);
    lag.read();
    let passed = 0;
    while (clock.timers.length > 0 && passed < 10_000) {
      clock.pass(0);
      passed += 1;
    }
    expect(passed).toBe(2_400);
    expect(lag.read()).toBe(0);
    expect(clock.timers).toHaveLength(1);
  });
});
