// P4: a query from an agent to an agent, through both hubs as they are built, against one hop of
// the A2A SDK that stores nothing.
import { readFileSync } from 'node:fs';
import { pairByApi } from '../../e2e/pair-by-api.ts';
import { HubProcess } from '../../lan/hub-process.ts';
import { ThisComputer } from '../../lan/this-computer.ts';
import { BenchPair } from '../bench-process.ts';
import type { Load } from '../load.ts';
import { refusal } from '../requirements.ts';
import { absentRow, part, row, type Part, type Row } from '../results.ts';
import { alternate, behind, p50, perSecond, ratios } from '../rounds.ts';
import { DOMAIN } from '../subjects/hub-query.ts';

const TITLE = 'query from an agent to an agent, through both hubs';
const FLAGS = ['--discovery', 'off', '--peer-rate-factor', '1000', '--request-rate', '100000'];
const UNIT = 'x one hop of the A2A SDK';
const BACK_TO_BACK: Load = { count: 300, inFlight: 1, gapMs: 0 };
const APART: Load = { count: 24, inFlight: 1, gapMs: 50 };
const IN_FLIGHT: Load = { count: 2_000, inFlight: 32, gapMs: 0 };
const ROUNDS = 9;
/** Of /proc/PID/stat; the same on every Linux that Node runs on. */
const TICK_MS = 10;

export async function measureP4(): Promise<Row> {
  const missing = refusal('build', 'proc');
  if (missing !== null) return absentRow('P4', TITLE, missing);
  const computer = new ThisComputer('bench');
  const hubs: HubProcess[] = [];
  try {
    for (const name of ['asking', 'working'])
      hubs.push(await HubProcess.start(computer, { name, flags: FLAGS }));
    const baseline = await BenchPair.open('a2a');
    try {
      const subject = await BenchPair.open('hub-query', { told: await household(hubs) });
      try {
        return row('P4', TITLE, await partsOf(subject, baseline, hubs));
      } finally {
        await subject.close();
      }
    } finally {
      await baseline.close();
    }
  } finally {
    await Promise.all(hubs.map((hub) => hub.remove()));
    await computer.close();
  }
}

/**
 * Pairs the hubs and connects an agent to each: what the one that answers is told, and the one that
 * asks.
 */
async function household([asking, working]: readonly HubProcess[]): Promise<
  readonly [string, string]
> {
  if (asking === undefined || working === undefined) throw new Error('two hubs were started');
  const [one, other] = [await asking.owner(), await working.owner()];
  const asker = await one.call('agents.create', { name: 'asker' });
  const reader = await other.call('agents.create', {
    name: 'reader',
    domains: [DOMAIN],
    risk_class: 'R0',
  });
  await pairByApi(one, other, { asking: 'Asking', asked: 'Working' });
  return [
    JSON.stringify({ port: working.port, token: reader.token }),
    JSON.stringify({ port: asking.port, token: asker.token }),
  ];
}

async function partsOf(
  subject: BenchPair,
  baseline: BenchPair,
  hubs: readonly HubProcess[],
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const [name, load, target] of [
    ['back to back, p50', BACK_TO_BACK, 3.5],
    ['50 ms apart, p50', APART, 2.5],
  ] as const) {
    const rounds = await alternate({ subject, baseline, load, rounds: ROUNDS });
    parts.push(
      part(
        { name, unit: UNIT, bound: 'at most', target },
        ratios(rounds, p50),
        behind(rounds, p50, 'ms', 2),
      ),
    );
  }
  const rounds = await alternate({ subject, baseline, load: IN_FLIGHT, rounds: ROUNDS });
  const goal = {
    name: '32 in flight, requests/s',
    unit: UNIT,
    bound: 'at least',
    target: 0.8,
  } as const;
  parts.push(part(goal, ratios(rounds, perSecond), behind(rounds, perSecond, 'requests/s', 0)));
  const spent: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const beforeMs = processorMs(hubs);
    await subject.load(IN_FLIGHT);
    spent.push((processorMs(hubs) - beforeMs) / IN_FLIGHT.count);
  }
  const each = {
    name: '32 in flight, processor of both mains a query',
    unit: 'ms',
    bound: 'at most',
    target: 1.2,
  } as const;
  return [...parts, part(each, spent, `over ${IN_FLIGHT.count} queries a round`)];
}

/** What both mains took so far, in the program and in the kernel. */
function processorMs(hubs: readonly HubProcess[]): number {
  const ticks = hubs.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}
