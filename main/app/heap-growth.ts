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

/** A hub that wrote nothing for so long is at rest. */
const REST_MS = 30_000;
/** Less than this is not worth the pause. */
const WORTH_COLLECTING_BYTES = 8 * 1024 ** 2;

/**
 * Collects once when the hub comes to rest. V8 collects as memory is asked for: what a flood left
 * would stay until somebody asks again.
 * @returns what is to be called after each commit
 */
export function collectorAtRest(clock: Clock): () => void {
  let keptBytes = 0;
  let isWaiting = false;
  let lastMs = 0;
  const look = (): void => {
    isWaiting = false;
    const restedMs = clock.monotonicMs() - lastMs;
    if (restedMs < REST_MS) return lookIn(REST_MS - restedMs);
    if (process.memoryUsage().heapUsed < keptBytes + WORTH_COLLECTING_BYTES) return;
    collect();
    keptBytes = process.memoryUsage().heapUsed;
  };
  const lookIn = (ms: number): void => {
    isWaiting = true;
    clock.setTimer(ms, look);
  };
  return () => {
    lastMs = clock.monotonicMs();
    if (!isWaiting) lookIn(REST_MS);
  };
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof gc === 'function') gc();
}
