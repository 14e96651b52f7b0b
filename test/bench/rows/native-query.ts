// P1, P1b and P2: a query from hub to hub over the wire alone, with nothing stored and nobody
// asked.
import { BenchPair, type Place } from '../bench-process.ts';
import { sized } from '../effort.ts';
import { refusal } from '../requirements.ts';
import { part, row, type Goal, type Part, type Row } from '../results.ts';
import {
  alternate,
  behind,
  p50,
  perSecond,
  ratios,
  type Comparison,
  type Round,
} from '../rounds.ts';
import type { SubjectName } from '../subjects/subjects.ts';
import {
  FREE_50_MS_APART,
  FREE_BACK_TO_BACK,
  SAME_BACK_TO_BACK,
  SAME_CORE,
  type Cadence,
} from './cadences.ts';

const IN_FLIGHT = { count: sized({ full: 4_000, quick: 64 }), inFlight: 32, gapMs: 0 };
const IN_FLIGHT_ROUNDS = sized({ full: 9, quick: 1 });

async function compare(
  subjectName: SubjectName,
  baselineName: SubjectName,
  place: Place,
  plan: Pick<Comparison, 'load' | 'rounds'>,
): Promise<readonly Round[]> {
  const subject = await BenchPair.open(subjectName, { places: [place, place] });
  try {
    const baseline = await BenchPair.open(baselineName, { places: [place, place] });
    try {
      return await alternate({ subject, baseline, ...plan });
    } finally {
      await baseline.close();
    }
  } finally {
    await subject.close();
  }
}

async function latencyPart(
  subject: SubjectName,
  baseline: SubjectName,
  cadence: Cadence,
  target: number,
  unit: string,
): Promise<Part> {
  const rounds = await compare(subject, baseline, cadence.place, cadence);
  const goal: Goal = { name: `${cadence.name}, p50`, unit, bound: 'at most', target };
  return part(goal, ratios(rounds, p50), behind(rounds, p50, 'ms', 3));
}

export async function measureP1(): Promise<Row> {
  return await rowOfCadences(
    'P1',
    'native query, QUIC process to QUIC process, one at a time',
    [
      [SAME_BACK_TO_BACK, 5],
      [FREE_BACK_TO_BACK, 2],
      [FREE_50_MS_APART, 2.5],
    ],
    (cadence, target) => latencyPart('endpoint', 'udp', cadence, target, 'x UDP echo'),
  );
}

export async function measureP1b(): Promise<Row> {
  return await rowOfCadences(
    'P1b',
    'native query, main to main through both QUIC processes',
    [
      [SAME_BACK_TO_BACK, 1.6],
      [FREE_BACK_TO_BACK, 1.6],
      [FREE_50_MS_APART, 1.6],
    ],
    (cadence, target) => latencyPart('main-to-main', 'endpoint', cadence, target, 'x P1'),
  );
}

/**
 * One part for each cadence; where a core cannot be named the others are measured, and the row is
 * incomplete.
 */
async function rowOfCadences(
  id: string,
  title: string,
  plan: readonly (readonly [cadence: Cadence, target: number])[],
  measure: (cadence: Cadence, target: number) => Promise<Part>,
): Promise<Row> {
  const missing = refusal('taskset');
  const parts: Part[] = [];
  for (const [cadence, target] of plan)
    if (missing === null || cadence.place !== SAME_CORE) parts.push(await measure(cadence, target));
  const measured = row(id, title, parts);
  return missing === null ? measured : { ...measured, holds: false, reason: missing };
}

export async function measureP2(): Promise<Row> {
  const rounds = await compare('endpoint', 'http2', [], {
    load: IN_FLIGHT,
    rounds: IN_FLIGHT_ROUNDS,
  });
  const goal: Goal = {
    name: '32 in flight, requests/s',
    unit: 'x HTTP/2 with mTLS',
    bound: 'at least',
    target: 1.3,
  };
  return row('P2', 'native query, 32 in flight', [
    part(goal, ratios(rounds, perSecond), behind(rounds, perSecond, 'requests/s', 0)),
  ]);
}
