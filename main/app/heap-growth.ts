// How much memory V8 may take beyond what is in use. Left alone it doubles the space for young
// objects whenever many messages arrive in a row, up to some 130 MB, lets the rest grow to several
// times what lives in it, and gives little of either back: a hub that keeps nothing would look as
// if it leaked.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../ports/clock.ts';

/** How far the old generation may grow beyond what lived in it, before it is collected. */
const OLD_GROWTH_PERCENT = 50;

/**
 * Holds the young generation at the size the process began with, 1 MiB a half, and collects the old
 * one sooner. Costs no time that can be measured (the QUIC process runs with the same young
 * generation, by its command line). For the whole process; call it before the work begins.
 */
export function holdHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
}

/** How often a hub that works looks whether it is at rest again. */
const LOOK_MS = 30_000;
/** A hub that commits no more often between two looks is at rest: an agent that waits does, too. */
const RESTING_COMMITS_MAX = 30;

/**
 * Collects once when the hub comes to rest after work. V8 collects as memory is asked for: what a
 * flood left would stay until somebody asks again.
 * @returns what is to be called after each commit
 */
export function collectorAtRest(clock: Clock): () => void {
  let commits = 0;
  let isLooking = false;
  let hasWorked = false;
  const lookLater = (): void => {
    isLooking = true;
    clock.setTimer(LOOK_MS, () => {
      isLooking = false;
      const worked = commits > RESTING_COMMITS_MAX;
      commits = 0;
      if (worked) lookLater();
      else if (hasWorked) collect();
      hasWorked = worked;
    });
  };
  return () => {
    commits += 1;
    if (!isLooking) lookLater();
  };
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof gc === 'function') gc();
}
