// The line of a program that a hub keeps running to that hub: how it stands, and that the hub is
// there. At a terminal there is none, and nobody is told.
import type { RunnerSaid } from '../../preload/contract/runners.ts';

export interface RunnerLine {
  /** Whether there is one. */
  readonly isKept: boolean;
  tell(said: RunnerSaid): void;
}

/** @param end called once the hub that started this is gone */
export function runnerLine(end: () => void): RunnerLine {
  if (process.send === undefined) return { isKept: false, tell: () => undefined };
  process.once('disconnect', end);
  // It keeps nobody from ending.
  process.channel?.unref();
  let said = '';
  return {
    isKept: true,
    tell: (now) => {
      const text = JSON.stringify(now);
      if (text === said || !process.connected) return;
      said = text;
      process.send?.(now, undefined, undefined, () => undefined);
    },
  };
}
