// The text form of the rollback counter wherever it is kept: "1 <database id> <value>". Pure.
import type { CounterMark } from '../../ports/rollback-counter.ts';

const FORM = /^1 ([0-9a-f]{32}) (0|[1-9][0-9]{0,14})$/;

export function counterToText({ databaseId, value }: CounterMark): string {
  return `1 ${databaseId} ${value}`;
}

/** Undefined for anything this program does not write. */
export function textToCounter(text: string): CounterMark | undefined {
  const [, databaseId, value] = FORM.exec(text) ?? [];
  return databaseId === undefined ? undefined : { databaseId, value: Number(value) };
}
