// When what is due on a connection is done, by a clock that is as late as the test says.
import { describe, expect, it } from 'vitest';
import { DueTimer } from '../../../../main/adapters/quic/due-timer.ts';
import { READ_FIRST_MS, STANDSTILL_MIN_MS } from '../../../../main/adapters/quic/limits.ts';
import type { Clock, TimerHandle } from '../../../../main/ports/clock.ts';

/** Has one timer, and calls it so late. */
class LateClock implements Clock {
  #nowMs = 0;
  #timer: { readonly atMs: number; readonly call: () => void } | null = null;

  wallMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, call: () => void): TimerHandle {
    this.#timer = { atMs: this.#nowMs + delayMs, call };
    return { cancel: () => void (this.#timer = null) };
  }

  /** Goes on to the timer and past it. */
  fireLate(byMs: number): void {
    const timer = this.#timer;
    this.#timer = null;
    this.#nowMs = (timer?.atMs ?? this.#nowMs) + byMs;
    timer?.call();
  }
}

function create(): {
  readonly clock: LateClock;
  readonly timer: DueTimer;
  readonly firedAtMs: readonly number[];
} {
  const clock = new LateClock();
  const firedAtMs: number[] = [];
  const timer = new DueTimer(clock, () => firedAtMs.push(clock.monotonicMs()));
  return { clock, timer, firedAtMs };
}

describe('what is due on a connection', () => {
  it('is done when it is due, and a little late where the computer is busy', () => {
    const { clock, timer, firedAtMs } = create();
    timer.arm(0, 5_000);
    clock.fireLate(STANDSTILL_MIN_MS - 1);
    expect(firedAtMs).toEqual([5_000 + STANDSTILL_MIN_MS - 1]);
  });

  it('is put off by a moment after the process stood still, so that what came meanwhile is read first', () => {
    const { clock, timer, firedAtMs } = create();
    timer.arm(0, 5_000);
    clock.fireLate(60_000);
    expect(firedAtMs).toEqual([]);
    clock.fireLate(0);
    expect(firedAtMs).toEqual([65_000 + READ_FIRST_MS]);
  });

  it('is put off once only: it is done, time after time, on a computer that is always late', () => {
    const { clock, timer, firedAtMs } = create();
    for (let round = 1; round <= 5; round += 1) {
      timer.arm(clock.monotonicMs(), clock.monotonicMs() + 500);
      clock.fireLate(STANDSTILL_MIN_MS);
      expect(firedAtMs).toHaveLength(round - 1);
      // Something else asks for a turn meanwhile.
      timer.arm(clock.monotonicMs(), clock.monotonicMs());
      clock.fireLate(STANDSTILL_MIN_MS * 3);
      expect(firedAtMs).toHaveLength(round);
    }
  });

  it('is put off anew when it was called off in between', () => {
    const { clock, timer, firedAtMs } = create();
    timer.arm(0, 500);
    clock.fireLate(STANDSTILL_MIN_MS);
    timer.cancel();
    timer.arm(clock.monotonicMs(), clock.monotonicMs() + 500);
    clock.fireLate(STANDSTILL_MIN_MS);
    expect(firedAtMs).toEqual([]);
    clock.fireLate(0);
    expect(firedAtMs).toHaveLength(1);
  });
});
