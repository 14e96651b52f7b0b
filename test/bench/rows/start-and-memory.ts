// P7 and P8: what a hub costs before it does anything, its memory when it idles and its start
// against that of Node alone; and what its memory grows by with work.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { BenchHubs, RAISED } from '../bench-hubs.ts';
import { BenchPair } from '../bench-process.ts';
import { sized } from '../effort.ts';
import { memoryOf, newHome, removeHome, StartedHub } from '../hub-start.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, row, type Part, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const MEMORY_TITLE = 'memory of a hub without a window, both processes';
const START_ROUNDS = sized({ full: 9, quick: 1 });
/** After its start, or its work, a hub has settled by then. */
const IDLE_MS = sized({ full: 10_000, quick: 500 });
const QUERIES = sized({ full: 200_000, quick: 640 });
const SHARES = 10;

export async function measureP7(): Promise<Row> {
  const missing = refusal('build', 'proc');
  if (missing !== null) return absentRow('P7', MEMORY_TITLE, missing);
  return row('P7', MEMORY_TITLE, [await idlePart(), await growthPart()]);
}

async function idlePart(): Promise<Part> {
  const home = newHome();
  const [resident, proportional]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < ROUNDS_MIN; round += 1) {
      const hub = await StartedHub.start(home);
      await settled();
      const { residentMb, proportionalMb } = hub.memory();
      resident.push(residentMb);
      proportional.push(proportionalMb);
      await hub.stop();
    }
  } finally {
    removeHome(home);
  }
  const detail = `${median(proportional).toFixed(1)} MB with shared pages counted once`;
  return part(
    { name: `resident, idle for ${IDLE_MS / 1_000} s`, unit: 'MB', bound: 'at most', target: 130 },
    resident,
    detail,
  );
}

/** Of two hubs that run: what each has more, idle again after the queries, than idle before. */
function growthPart(): Promise<Part> {
  return BenchHubs.run(async (hubs) => {
    const household = await hubs.household();
    const pair = await hubs.keep(BenchPair.open('hub-query', { told: household.toldEach }));
    const residents = (): readonly number[] =>
      household.mains.map((main) => memoryOf(main).residentMb);
    await settled();
    const seen = [residents()];
    for (let share = 0; share < SHARES; share += 1) {
      await pair.load({ count: QUERIES / SHARES, inFlight: 32, gapMs: 0 });
      seen.push(residents());
    }
    await settled();
    seen.push(residents());
    const grown = household.hubs.map(
      (_, hub) => (seen.at(-1)?.[hub] ?? NaN) - (seen[0]?.[hub] ?? NaN),
    );
    const course = household.hubs.map((_, hub) =>
      seen.map((each) => each[hub]?.toFixed(0)).join(' '),
    );
    const goal = {
      name: `the hub that grows more, over ${QUERIES} queries`,
      unit: 'MB',
      bound: 'at most',
      target: 40,
    } as const;
    const detail = `idle, after each tenth, idle: asking ${course[0]}, working ${course[1]} MB; ${RAISED.join(' ')}`;
    return part(goal, [Math.max(...grown)], detail);
  });
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, IDLE_MS));
}

export async function measureP8(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P8', 'start', missing);
  const home = newHome();
  const rounds: { readonly hubMs: number; readonly nodeMs: number }[] = [];
  try {
    // The first start makes the data folder and warms the disk.
    await (await StartedHub.start(home)).stop();
    for (let round = 0; round < START_ROUNDS; round += 1) {
      const nodeMs = await bareNodeMs();
      const hub = await StartedHub.start(home);
      rounds.push({ hubMs: hub.startedInMs, nodeMs });
      await hub.stop();
    }
  } finally {
    removeHome(home);
  }
  const [hubMs, nodeMs] = [
    median(rounds.map((round) => round.hubMs)),
    median(rounds.map((round) => round.nodeMs)),
  ];
  const goal = {
    name: 'start until the API has answered',
    unit: 'x node -e 0',
    bound: 'at most',
    target: 6,
  } as const;
  const ratios = rounds.map((round) => round.hubMs / round.nodeMs);
  return row('P8', 'start', [
    part(goal, ratios, `${hubMs.toFixed(0)} against ${nodeMs.toFixed(0)} ms`),
  ]);
}

export async function bareNodeMs(): Promise<number> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return performance.now() - startedAtMs;
}
