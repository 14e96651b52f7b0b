// P3: queries over a link that loses one packet in a hundred each way and takes 10 ms there and
// back, 32 under way at once. Every query is answered, or there is no value.
import { BenchPair } from '../bench-process.ts';
import { sized } from '../effort.ts';
import { LossyLink } from '../lossy-link.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, row, type Row } from '../results.ts';
import { alternate, behind, longest, p50, p99, ratios, ROUNDS_MIN, type Round } from '../rounds.ts';

const ROUND_TRIP_MS = 10;
const LOSS_PER_TEN_THOUSAND = 100;
/** In each round, so that p99 has a hundred queries above it. */
const LOAD = { count: sized({ full: 10_000, quick: 100 }), inFlight: 32, gapMs: 0 };
const TITLE = `${LOAD.count} native queries, 1 % loss each way, 10 ms round trip, 32 in flight`;

export async function measureP3(): Promise<Row> {
  const missing = refusal('namespaces', 'tun', 'compiler');
  if (missing !== null) return absentRow('P3', TITLE, missing);
  const link = await LossyLink.open({
    delayMs: ROUND_TRIP_MS / 2,
    lossPerTenThousand: LOSS_PER_TEN_THOUSAND,
    seed: 7,
  });
  let rounds: readonly Round[];
  let traffic = '';
  try {
    rounds = await measureOver(link);
  } finally {
    traffic = await link.close();
  }
  const roundTrips = (figure: typeof p99): readonly number[] =>
    rounds.map(({ subject }) => figure(subject) / ROUND_TRIP_MS);
  const p50Ms = median(rounds.map(({ subject }) => p50(subject))).toFixed(1);
  const unit = 'x round trip';
  return row('P3', TITLE, [
    part(
      { name: 'p99', unit, bound: 'at most', target: 5 },
      roundTrips(p99),
      `p50 ${p50Ms} ms; link: ${traffic}`,
    ),
    part(
      { name: 'max', unit, bound: 'at most', target: 8 },
      roundTrips(longest),
      behind(rounds, longest, 'ms', 0),
    ),
    part(
      { name: 'p99', unit: 'x HTTP/2 with mTLS', bound: 'at most', target: 0.25 },
      ratios(rounds, p99),
      behind(rounds, p99, 'ms', 0),
    ),
    part(
      { name: 'unanswered', unit: 'queries', bound: 'at most', target: 0 },
      rounds.map(({ subject }) => LOAD.count - subject.latenciesMs.length),
      `of ${LOAD.count} a round`,
    ),
  ]);
}

async function measureOver(link: LossyLink): Promise<readonly Round[]> {
  const where = { places: link.places, host: link.serverAddress };
  const subject = await BenchPair.open('endpoint', where);
  try {
    const baseline = await BenchPair.open('http2', where);
    try {
      return await alternate({ subject, baseline, load: LOAD, rounds: ROUNDS_MIN });
    } finally {
      await baseline.close();
    }
  } finally {
    await subject.close();
  }
}
