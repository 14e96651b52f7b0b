// Subject and baseline, turn about in one run: a machine that grows slow for a while does so for
// both, and only their ratio counts.
import type { BenchPair } from './bench-process.ts';
import type { Load, Measured } from './load.ts';
import { median, quantile } from './results.ts';

export interface Round {
  readonly subject: Measured;
  readonly baseline: Measured;
}

export interface Comparison {
  readonly subject: BenchPair;
  readonly baseline: BenchPair;
  readonly load: Load;
  readonly rounds: number;
}

/** At least this many rounds stand behind a value. */
export const ROUNDS_MIN = 5;

/**
 * Loads both in turn, after one round that only warms them up. The one that begins changes with
 * each round.
 */
export async function alternate({
  subject,
  baseline,
  load,
  rounds,
}: Comparison): Promise<readonly Round[]> {
  await subject.load(load);
  await baseline.load(load);
  const measured: Round[] = [];
  for (let index = 0; index < rounds; index += 1) {
    if (index % 2 === 0) {
      const first = await subject.load(load);
      measured.push({ subject: first, baseline: await baseline.load(load) });
    } else {
      const first = await baseline.load(load);
      measured.push({ baseline: first, subject: await subject.load(load) });
    }
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
export function ratios(
  rounds: readonly Round[],
  figure: (measured: Measured) => number,
): readonly number[] {
  return rounds.map(({ subject, baseline }) => figure(subject) / figure(baseline));
}

/** "0.21 against 0.10 ms": the medians of both, for the reader of a ratio. */
export function behind(
  rounds: readonly Round[],
  figure: (measured: Measured) => number,
  unit: string,
  digits: number,
): string {
  const subject = median(rounds.map((round) => figure(round.subject)));
  const baseline = median(rounds.map((round) => figure(round.baseline)));
  return `${subject.toFixed(digits)} against ${baseline.toFixed(digits)} ${unit}`;
}
