// The signals that stop a hub: from a terminal, from the program that started it, and from a
// terminal that closes. The same for a hub with a window and one without.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `stop` at each such signal for as long as the process lives. It is heard to the end: a
 * terminal and a program between send the same signal twice, and the second must not cut an orderly
 * stop short.
 */
export function onStopSignal(stop: () => void): void {
  for (const signal of SIGNALS) process.on(signal, stop);
}
