// How a change of somebody's file is undone byte for byte, whatever else was changed in it since:
// what was put in, and what stood in its place. Kept in the data folder; holds nothing of
// the rest of the file. Pure but for keeping it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject } from '../lib/json-object.ts';

export interface Undo {
  readonly inserted: string;
  readonly replaced: string;
  /** There was no such file. */
  readonly isNew: boolean;
}

/** What is kept of an entry that stands there. */
export interface Installed extends Undo {
  /** Whose token it names; null: an earlier version wrote it, and did not say. */
  readonly agent: string | null;
  /** There was no file of its hooks. */
  readonly hooksAreNew: boolean;
}

export function undoOf(before: string, after: string, isNew: boolean): Undo {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return {
    inserted: after.slice(start, after.length - end),
    replaced: before.slice(start, before.length - end),
    isNew,
  };
}

/** undefined: what was put in does not stand there, or more than once. */
export function undone(text: string, { inserted, replaced }: Undo): string | undefined {
  const [before, after, ...more] = text.split(inserted);
  if (inserted === '' || before === undefined || after === undefined || more.length > 0)
    return undefined;
  return before + replaced + after;
}

export function keepUndo(file: string, undo: Installed): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(undo), { mode: 0o600 });
}

export function forgetUndo(file: string): void {
  rmSync(file, { force: true });
}

/** undefined: none is kept. */
export function keptUndo(file: string): Installed | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isJsonObject(value)) return undefined;
    const { inserted, replaced, isNew, agent, hooksAreNew } = value;
    return typeof inserted === 'string' && typeof replaced === 'string'
      ? {
          inserted,
          replaced,
          isNew: isNew === true,
          agent: typeof agent === 'string' ? agent : null,
          hooksAreNew: hooksAreNew === true,
        }
      : undefined;
  } catch {
    return undefined;
  }
}
