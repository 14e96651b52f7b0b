// What processes cost, as the kernel counts it: Linux only.
import { readFileSync } from 'node:fs';

/** Of /proc/PID/stat; the same on every Linux that Node runs on. */
export const TICK_MS = 10;

/** What these took so far, in the program and in the kernel. */
export function processorMs(processIds: readonly number[]): number {
  const ticks = processIds.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}
