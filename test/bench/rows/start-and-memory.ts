// P7 and P8: what a hub costs before it does anything. Its memory when it idles, and its start
// against that of Node alone.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { newHome, removeHome, StartedHub } from '../hub-start.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, row, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const START_ROUNDS = 9;
/** After its start a hub has settled by then. */
const IDLE_MS = 10_000;

export async function measureP7(): Promise<Row> {
  const title = 'memory of an idle hub without a window, both processes';
  const missing = refusal('build', 'proc');
  if (missing !== null) return absentRow('P7', title, missing);
  const home = newHome();
  const [resident, proportional]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < ROUNDS_MIN; round += 1) {
      const hub = await StartedHub.start(home);
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      const { residentMb, proportionalMb } = hub.memory();
      resident.push(residentMb);
      proportional.push(proportionalMb);
      await hub.stop();
    }
  } finally {
    removeHome(home);
  }
  const detail = `${median(proportional).toFixed(1)} MB with shared pages counted once`;
  const idle = part(
    { name: 'resident, idle for 10 s', unit: 'MB', bound: 'at most', target: 130 },
    resident,
    detail,
  );
  return {
    ...row('P7', title, [idle]),
    holds: false,
    reason: 'growth after 200,000 messages is not measured yet',
  };
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

async function bareNodeMs(): Promise<number> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return performance.now() - startedAtMs;
}
