// What the bench found, as numbers with their targets, and whether they hold. It measures nothing.
export type Bound = 'at most' | 'at least';

export interface Part {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound: Bound;
  readonly target: number;
  readonly holds: boolean;
  /**
   * How many rounds the value is the median (or the p95) of; 1 for a value that is counted over
   * everything.
   */
  readonly rounds: number;
  /** The smallest and the largest value of a round. */
  readonly spread: readonly [number, number];
  /** What stands behind the value, for people. */
  readonly detail: string;
}

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly holds: boolean;
  readonly parts: readonly Part[];
  /** It cannot be measured, here or yet. */
  readonly absent?: true;
  /** Why it, or a part of it, is not measured. */
  readonly reason?: string;
}

export interface Goal {
  readonly name: string;
  readonly unit: string;
  readonly bound: Bound;
  readonly target: number;
}

/**
 * The median of the values of the rounds, or the quantile that is asked for, held against its
 * target.
 */
export function part(goal: Goal, values: readonly number[], detail: string, q = 0.5): Part {
  const sorted = [...values].sort((a, b) => a - b);
  const value = round(quantile(sorted, q));
  const holds = goal.bound === 'at most' ? value <= goal.target : value >= goal.target;
  return {
    ...goal,
    value,
    holds,
    rounds: values.length,
    spread: [round(sorted[0] ?? NaN), round(sorted.at(-1) ?? NaN)],
    detail,
  };
}

export function row(id: string, title: string, parts: readonly Part[]): Row {
  return { id, title, holds: parts.length > 0 && parts.every((part) => part.holds), parts };
}

export function absentRow(id: string, title: string, reason: string): Row {
  return { id, title, holds: false, parts: [], absent: true, reason };
}

/** The value below which the share `q` of `sorted` lies (nearest rank). */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Three digits after the point are more than this kind of measuring can tell. */
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
