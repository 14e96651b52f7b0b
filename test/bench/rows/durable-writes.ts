// P5 and P10: what the hub makes durable before it answers. P5: messages over 32 connections,
// against the same hubs when each unit of work is committed by itself. P10: how late the event
// loops of both mains come meanwhile.
import { BenchHubs, RAISED, type BenchHousehold } from '../bench-hubs.ts';
import { BenchPair } from '../bench-process.ts';
import { sized } from '../effort.ts';
import type { Load, Measured } from '../load.ts';
import { Probe } from '../probe.ts';
import { refusal } from '../requirements.ts';
import { absentRow, part, quantile, row, type Row } from '../results.ts';
import { behind, perSecond, ratios, ROUNDS_MIN, takeTurns } from '../rounds.ts';

const P5_TITLE = 'POST /v1/messages, durable, 32 connections';
const P10_TITLE = 'event loop of main under sustained durable writes';
/** As many as may wait for their agent, which works them off after each load. */
const LOAD: Load = { count: sized({ full: 800, quick: 64 }), inFlight: 32, gapMs: 0 };
const P999 = 0.999;
/** A round of P10, so that p99.9 has some moments above it. */
const LOADS_A_ROUND = sized({ full: 4, quick: 1 });

interface Probed {
  readonly pair: BenchPair;
  readonly probes: readonly [asking: Probe, working: Probe];
}

async function openProbed(hubs: BenchHubs, commitsEach: boolean): Promise<Probed> {
  const probes = [new Probe({ commitsEach }), new Probe({ commitsEach })] as const;
  for (const probe of probes) await hubs.keep(Promise.resolve(probe));
  const household: BenchHousehold = await hubs.household(
    probes.map(({ environment }) => environment),
  );
  const pair = await hubs.keep(BenchPair.open('hub-message-ack', { told: household.toldBoth }));
  return { pair, probes };
}

interface Counted extends Measured {
  readonly commits: number;
}

async function counted({ pair, probes }: Probed): Promise<Counted> {
  await Promise.all(probes.map((probe) => probe.read('commits')));
  const seen = await pair.load(LOAD);
  const [asking] = await Promise.all(probes.map((probe) => probe.read('commits')));
  return { ...seen, commits: asking?.commits ?? NaN };
}

export async function measureP5(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P5', P5_TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const together = await openProbed(hubs, false);
    const each = await openProbed(hubs, true);
    const rounds = await takeTurns(ROUNDS_MIN, {
      subject: () => counted(together),
      baseline: () => counted(each),
    });
    const goal = {
      name: 'requests/s',
      unit: 'x with a commit for each unit of work',
      bound: 'at least',
      target: 3.5,
    } as const;
    const commits = behind(
      rounds,
      (seen) => seen.commits / LOAD.count,
      'commits of the asking hub a message, its result included',
      1,
    );
    const detail = `${behind(rounds, perSecond, 'requests/s', 0)}; ${commits}; ${RAISED.join(' ')}`;
    return row('P5', P5_TITLE, [part(goal, ratios(rounds, perSecond), detail)]);
  });
}

export async function measureP10(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P10', P10_TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const { pair, probes } = await openProbed(hubs, false);
    const rounds: (readonly number[])[] = [];
    const longest: number[] = [];
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS_MIN; round += 1) {
      await Promise.all(probes.map((probe) => probe.read('loop')));
      for (let load = 0; load < LOADS_A_ROUND; load += 1) await pair.load(LOAD);
      const seen = await Promise.all(probes.map((probe) => probe.read('loop')));
      if (round === 0) continue;
      const late = seen.map(({ lateMs }) => lateMs.toSorted((one, other) => one - other));
      rounds.push(late.map((values) => quantile(values, P999)));
      longest.push(...late.map((values) => values.at(-1) ?? NaN));
    }
    const goal = {
      name: 'lateness at p99.9, the later of both mains',
      unit: 'ms',
      bound: 'at most',
      target: 20,
    } as const;
    const detail = `the longest of all ${Math.max(...longest).toFixed(1)} ms; ${LOADS_A_ROUND * LOAD.count} delegations a round with their results; ${RAISED.join(' ')}`;
    return row('P10', P10_TITLE, [
      part(
        goal,
        rounds.map((values) => Math.max(...values)),
        detail,
      ),
    ]);
  });
}
