// What a child process of these tests says: one JSON line at a time, written at once, so that
// nothing said is lost when it is killed.
import { writeSync } from 'node:fs';
import type { Log, LogFields } from '../../../main/ports/log.ts';

export function say(fact: Readonly<Record<string, unknown>>): void {
  writeSync(1, `${JSON.stringify(fact)}\n`);
}

function line(level: string): (message: string, fields?: LogFields) => void {
  return (message, fields) => writeSync(2, `${level} ${message} ${JSON.stringify(fields ?? {})}\n`);
}

export const CHILD_LOG: Log = {
  debug: () => undefined,
  info: line('info'),
  warn: line('warn'),
  error: line('error'),
  with: () => CHILD_LOG,
};
