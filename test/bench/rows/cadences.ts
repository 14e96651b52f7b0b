// The rhythms at which requests are asked one at a time, and where the processes run then. A
// process that is woken from idle runs cold, so a subject is compared with its baseline at the same
// cadence only.
import { FREE, type Place } from '../bench-process.ts';
import { sized } from '../effort.ts';
import type { Load } from '../load.ts';

export interface Cadence {
  readonly name: string;
  readonly place: Place;
  readonly load: Load;
  readonly rounds: number;
}

/** Everything on one core: the path of the software alone. */
export const SAME_CORE: Place = ['taskset', '-c', '0'];
const BACK_TO_BACK: Load = { count: sized({ full: 500, quick: 5 }), inFlight: 1, gapMs: 0 };
/**
 * Longer than the scheduler takes to place two processes: a round of 500 is over in 11 ms for UDP,
 * and tells only where its processes happened to stand.
 */
const BACK_TO_BACK_SETTLED: Load = {
  ...BACK_TO_BACK,
  count: sized({ full: 5_000, quick: 5 }),
};

export const SAME_BACK_TO_BACK: Cadence = {
  name: 'same core, back to back',
  place: SAME_CORE,
  load: BACK_TO_BACK,
  rounds: sized({ full: 21, quick: 1 }),
};
export const FREE_BACK_TO_BACK: Cadence = {
  name: 'free, back to back',
  place: FREE,
  load: BACK_TO_BACK_SETTLED,
  rounds: sized({ full: 21, quick: 1 }),
};
export const FREE_50_MS_APART: Cadence = {
  name: 'free, 50 ms apart',
  place: FREE,
  load: { count: sized({ full: 24, quick: 2 }), inFlight: 1, gapMs: 50 },
  rounds: sized({ full: 9, quick: 1 }),
};
