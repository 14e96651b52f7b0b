// The machine's clock: how long the computer has slept, told from how far two clocks have come
// apart.
import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { SystemClock } from '../../../../main/adapters/clock/system-clock.ts';

/** A clock that goes on while the computer sleeps, read as coarsely as the machine's own. */
class BootClock {
  sleptMs = 0;
  readonly read = (): number =>
    5_000_000 + Math.round((performance.now() + this.sleptMs) / 10) * 10;
}

test('the time slept is told, and what two readings are apart is none', () => {
  const boot = new BootClock();
  const clock = new SystemClock(boot.read);
  expect(clock.asleepMs()).toBe(0);
  boot.sleptMs = 3_600_000;
  expect(Math.abs(clock.asleepMs() - 3_600_000)).toBeLessThan(500);
});

test('the time slept never goes back, and grows with the next sleep', () => {
  const boot = new BootClock();
  const clock = new SystemClock(boot.read);
  boot.sleptMs = 60_000;
  const first = clock.asleepMs();
  boot.sleptMs = 59_990;
  expect(clock.asleepMs()).toBeGreaterThanOrEqual(first);
  boot.sleptMs = 120_000;
  expect(clock.asleepMs()).toBeGreaterThan(119_000);
});

test('a computer that is awake has not slept', async () => {
  const clock = new SystemClock();
  await new Promise<void>((resolve) => void clock.setTimer(1_200, resolve));
  expect(clock.asleepMs()).toBe(0);
});

test('where the monotonic clock itself counts the sleep there is none to add', () => {
  expect(new SystemClock(null).asleepMs()).toBe(0);
});
