// The numbers of rows that another program added to the audit, as ranges and in bounded space: what no range is left for is counted. Pure; what
// it was given once is never taken away.
import { ADDED_RANGES_MAX } from './limits.ts';

/** Rows from one number to another, both included. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export interface AddedRows {
  /** In the order in which they were come upon. */
  readonly ranges: readonly RowRange[];
  /** How many rows there are beside those. */
  readonly more: number;
}

export const NONE_ADDED: AddedRows = { ranges: [], more: 0 };

/** @param range of rows that are not among them yet */
export function withRange({ ranges, more }: AddedRows, range: RowRange): AddedRows {
  const last = ranges.at(-1);
  if (last !== undefined && range.from === last.to + 1 && more === 0) {
    return { ranges: [...ranges.slice(0, -1), { from: last.from, to: range.to }], more };
  }
  return ranges.length < ADDED_RANGES_MAX ? { ranges: [...ranges, range], more } : { ranges, more: more + sizeOf(range) };
}

/** How many rows that are. */
export function countOf({ ranges, more }: AddedRows): number {
  return ranges.reduce((rows, range) => rows + sizeOf(range), more);
}

/** The first row of these that is not among those; undefined: none, or none that a range is left for. */
export function firstBeside({ ranges }: AddedRows, known: AddedRows): number | undefined {
  for (const { from, to } of ranges) {
    const begun = known.ranges.find((range) => range.from <= from && from <= range.to);
    if (begun === undefined) return from;
    if (begun.to < to) return begun.to + 1;
  }
  return undefined;
}

function sizeOf({ from, to }: RowRange): number {
  return to - from + 1;
}
