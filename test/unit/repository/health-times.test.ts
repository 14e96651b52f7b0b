// What the tests of a crowd take for the hub's own time: never what the computer made the hub, or
// the test itself, wait for a processor.
import { expect, it } from 'vitest';
import { NO_TIME, slowest, timesOf, tooSlow, waitsOf } from '../../support/crowd/health-times.ts';

it('a test that had no processor for seconds holds that against no hub', () => {
  expect(tooSlow(timesOf(4_000, [0, 3_500]))).toEqual([]);
  expect(tooSlow(timesOf(4_000, [2_000, 1_500]))).toEqual([]);
});

it('a hub that takes a second itself is too slow, whoever waited besides', () => {
  expect(tooSlow(timesOf(4_000, [1_500, 1_500]))).toEqual([
    '/health took 1000 ms of the hub itself',
  ]);
  expect(tooSlow(timesOf(12_000, [0, 11_500]))).toEqual(['/health took 12000 ms by the clock']);
});

it('where nobody counts who waits for a processor, the clock alone is judged', () => {
  const uncounted = timesOf(4_000, [null, 10]);
  expect([uncounted.ownMs, tooSlow(uncounted)]).toEqual([null, []]);
  expect(tooSlow(timesOf(10_000, [null, null]))).toEqual(['/health took 10000 ms by the clock']);
});

it('of several the longest counts, each by itself', () => {
  expect(
    [timesOf(5_000, [4_900, 0]), timesOf(900, [0, 0]), timesOf(1, [null])].reduce(slowest, NO_TIME),
  ).toEqual({
    byClock: 5_000,
    ownMs: 900,
  });
});

it.runIf(process.platform === 'linux')(
  'a process that is there is counted, and one that is gone is not',
  () => {
    const waits = waitsOf([process.pid, 0]);
    const [own, gone] = waits();
    expect(own === null || (own ?? -1) >= 0).toBe(true);
    expect(gone).toBeNull();
  },
);
