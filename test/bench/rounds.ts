// Subject and baseline, turn about in one run: a machine that grows slow for a while does so for
// both, and only their ratio counts.
import type { BenchPair } from './bench-process.ts';
import { sized } from './effort.ts';
import type { Load, Measured } from './load.ts';
import { median, quantile } from './results.ts';

export interface Round<Seen = Measured> {
  readonly subject: Seen;
  readonly baseline: Seen;
}

export interface Comparison {
  readonly subject: BenchPair;
  readonly baseline: BenchPair;
  readonly load: Load;
  readonly rounds: number;
}

/** At least this many rounds stand behind a value. */
export const ROUNDS_MIN = sized({ full: 5, quick: 1 });

/** Loads both in turn, after one round that only warms them up. */
export function alternate({
  subject,
  baseline,
  load,
  rounds,
}: Comparison): Promise<readonly Round[]> {
  return takeTurns(rounds, {
    subject: () => subject.load(load),
    baseline: () => baseline.load(load),
  });
}

/**
 * The same for whatever is done in a round, and for any others beside the two. The one that begins
 * changes with each round.
 */
export async function takeTurns<Name extends string, Seen>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<Seen>>>,
): Promise<readonly Readonly<Record<Name, Seen>>[]> {
  // `Object.keys` forgets what the keys are, and a record is filled member by member.
  const names = Object.keys(works) as Name[];
  const measured: Record<Name, Seen>[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const seen: Partial<Record<Name, Seen>> = {};
    for (const name of round % 2 === 0 ? names : names.toReversed())
      seen[name] = await works[name]();
    if (round >= 0) measured.push(seen as Record<Name, Seen>);
  }
  return measured;
}

export function p50({ latenciesMs }: Measured): number {
  return median(latenciesMs);
}

export function p99({ latenciesMs }: Measured): number {
  return quantile(
    [...latenciesMs].sort((a, b) => a - b),
    0.99,
  );
}

export function longest({ latenciesMs }: Measured): number {
  return latenciesMs.reduce((a, b) => Math.max(a, b), 0);
}

export function perSecond({ latenciesMs, totalMs }: Measured): number {
  return (latenciesMs.length / totalMs) * 1_000;
}

/** One number a round. */
export function ratios<Seen>(
  rounds: readonly Round<Seen>[],
  figure: (seen: Seen) => number,
): readonly number[] {
  return rounds.map(({ subject, baseline }) => figure(subject) / figure(baseline));
}

/** "0.21 against 0.10 ms": the medians of both, for the reader of a ratio. */
export function behind<Seen>(
  rounds: readonly Round<Seen>[],
  figure: (seen: Seen) => number,
  unit: string,
  digits: number,
): string {
  const subject = median(rounds.map((round) => figure(round.subject)));
  const baseline = median(rounds.map((round) => figure(round.baseline)));
  return `${subject.toFixed(digits)} against ${baseline.toFixed(digits)} ${unit}`;
}
