// What this process keeps in memory once all garbage is collected: what a leak would make grow,
// whoever leaks. Without what V8 only reserves for objects that live a moment, which is held at one
// size from the first look on.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { holdHeapGrowth } from '../../main/app/heap-growth.ts';

export interface KeptMemory {
  /** Objects, and bytes outside the heap that hang on objects. */
  readonly heapBytes: number;
  /** As the system counts, native memory included. */
  readonly residentBytes: number;
}

let collect: (() => void) | undefined;

function collector(): () => void {
  holdHeapGrowth();
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  if (typeof found !== 'function') throw new Error('V8 lets nobody collect garbage here');
  return () => void found();
}

/** Collects twice: what finalizers let go at the first is collected at the second. */
export function keptMemory(): KeptMemory {
  collect ??= collector();
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss };
}
