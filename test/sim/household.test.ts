// Many households in trouble, each from a seed of its own: five whole hubs with their agents and
// people, on a network that parts, drops and repeats, with crashes, wrong clocks and failing disks.
// A seed that breaks a rule is printed with the way to see it again:
//   AXON_SIM_SEED=123 npx vitest run --config test/vitest.config.ts --project node test/sim
// AXON_SIM_TRACE=FILE writes down everything that happened in it.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { rounds } from '../support/counts.ts';
import { MUTANTS } from './mutants.ts';
import { runSeed, type RunReport } from './run-seed.ts';

type Line = Pick<RunReport, 'seed' | 'hash' | 'findings' | 'counts'>;

const askedSeed = process.env['AXON_SIM_SEED'];
const MINUTE_MS = 60_000;
/** How often the many households say how far they are. */
const PROGRESS_EVERY_MS = 30_000;
/** A mutant that lives through so many households is not found. */
const SEEDS_PER_MUTANT_MAX = 40;

describe.runIf(askedSeed !== undefined)('one household, asked for by its seed', () => {
  it(`keeps its promises under seed ${askedSeed}`, async () => {
    const traceFile = process.env['AXON_SIM_TRACE'];
    const { findings, lines } = await runSeed(Number(askedSeed), {
      keepsLines: traceFile !== undefined,
    });
    if (traceFile !== undefined) writeFileSync(traceFile, lines.join(''));
    expect(findings).toEqual([]);
  });
});

describe.runIf(askedSeed === undefined)('households in trouble', () => {
  const seeds = rounds('simulated households', { short: 40, long: 10_000 });

  it(
    'lose nothing that was accepted, run nothing twice and nothing that nobody allowed',
    async ({ signal }) => {
      const reports = await runAll(seeds, signal);
      const broken = reports
        .filter(({ findings }) => findings.length > 0)
        .sort((first, second) => first.seed - second.seed);
      expect(broken.map(sentence).join('\n')).toBe('');
      expect(reports.length).toBe(seeds);
      // The runs are worth something only while much goes on in them.
      const sum = (count: keyof Line['counts']): number =>
        reports.reduce((total, { counts }) => total + counts[count], 0);
      expect(sum('executed') / seeds).toBeGreaterThan(3);
      expect(sum('results') / seeds).toBeGreaterThan(3);
      expect(sum('cancelled')).toBeGreaterThan(0);
    },
    // About fifty minutes of a quiet machine with two cores for ten thousand; several times that
    // beside other work.
    180 * MINUTE_MS,
  );

  it(
    'go the same way again under the same seed, in this process and in another',
    async ({ signal }) => {
      const elsewhere = await runShare({ first: 1, step: 1, last: 2 }, signal);
      for (const { seed, hash } of elsewhere) {
        expect((await runSeed(seed)).hash).toBe(hash);
        expect((await runSeed(seed)).hash).toBe(hash);
      }
      expect(new Set(elsewhere.map(({ hash }) => hash)).size).toBe(2);
    },
    MINUTE_MS,
  );
});

describe.runIf(askedSeed === undefined)('a hub that is broken on purpose', () => {
  it.each(MUTANTS)(
    'is found out: $name',
    async (mutant) => {
      let found: readonly string[] = [];
      for (let seed = 1; seed <= SEEDS_PER_MUTANT_MAX && found.length === 0; seed++)
        found = (await runSeed(seed, { mutant })).findings;
      expect(found.length).toBeGreaterThan(0);
    },
    MINUTE_MS,
  );

  it.each(MUTANTS.slice(0, 2))(
    'is found out the same way again under the seed that found it: $name',
    async (mutant) => {
      let broken: RunReport | undefined;
      for (let seed = 1; seed <= SEEDS_PER_MUTANT_MAX && broken === undefined; seed++) {
        const report = await runSeed(seed, { mutant });
        if (report.findings.length > 0) broken = report;
      }
      if (broken === undefined) throw new Error(`${mutant.name} was not found out`);
      for (let time = 0; time < 2; time++) {
        const again = await runSeed(broken.seed, { mutant });
        expect([again.hash, again.findings, again.events]).toEqual([
          broken.hash,
          broken.findings,
          broken.events,
        ]);
      }
      // The hash is of what happened: whole hubs go another way from the same seed.
      expect((await runSeed(broken.seed)).hash).not.toBe(broken.hash);
    },
    MINUTE_MS,
  );
});

/**
 * All seeds, shared out over as many processes as this machine runs at once. Says now and then how
 * far they are.
 */
async function runAll(seeds: number, signal: AbortSignal): Promise<readonly Line[]> {
  const processes = Math.min(availableParallelism(), seeds);
  const startedAt = performance.now();
  const done = { households: 0, broken: 0 };
  const take = ({ findings }: Line): void => {
    done.households += 1;
    if (findings.length > 0) done.broken += 1;
  };
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(
      `${done.households} of ${seeds} households in ${seconds} s, ${done.broken} broken\n`,
    );
  }, PROGRESS_EVERY_MS);
  try {
    const share = (_: unknown, index: number): Promise<readonly Line[]> =>
      runShare({ first: index + 1, step: processes, last: seeds }, signal, take);
    return (await Promise.all(Array.from({ length: processes }, share))).flat();
  } finally {
    clearInterval(progress);
  }
}

interface Share {
  readonly first: number;
  readonly step: number;
  readonly last: number;
}

/** Seeds `first`, `first + step` and so on, in a process of their own, which ends with the test. */
async function runShare(
  { first, step, last }: Share,
  signal: AbortSignal,
  take?: (line: Line) => void,
): Promise<readonly Line[]> {
  const program = join(import.meta.dirname, 'run-seeds.ts');
  const hooks = join(import.meta.dirname, '../support/raw-imports.mjs');
  const child = spawn(
    process.execPath,
    ['--import', hooks, program, String(first), String(step), String(last)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
    },
  );
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.once('error', () => undefined);
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = readLine(text);
    lines.push(line);
    take?.(line);
    if (line.findings.length > 0) process.stderr.write(`${sentence(line)}\n`);
  }
  expect(await ended).toBe(0);
  return lines;
}

function readLine(text: string): Line {
  return JSON.parse(text) as Line; // written by our own program
}

function sentence({ seed, findings }: Line): string {
  const again = `AXON_SIM_SEED=${seed} npx vitest run --config test/vitest.config.ts --project node test/sim`;
  return `seed ${seed}: ${findings[0] ?? ''}\n  see it again: ${again}`;
}
