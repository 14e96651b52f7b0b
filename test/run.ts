// `npm test` and `npm run test:long`: the gates, the build and every test project in order, with
// one summary. Steps of one stage run side by side. The report is written before and after every
// step, so that a run that is stopped half-way has one, and `--only sim,lan` runs some steps again
// and keeps the others' lines, each with the commit it was run on. Removes what the last run of its
// kind put down, and nothing else.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasRealPart, type RealPart } from './support/real-parts.ts';
import { readOutcomes, report, writeWhole, type Outcome } from './step-report.ts';

interface Step {
  readonly key: string;
  readonly name: string;
  readonly command: readonly string[];
  /** Skipped as a whole where this computer has not got it. */
  readonly needs?: RealPart;
}

const long = process.argv.includes('--long');
const output = join(import.meta.dirname, '.output');
const stateFile = join(output, long ? 'steps-long.json' : 'steps.json');
const reportFile = join(output, long ? 'report-long.md' : 'report.md');
/** What tests put down, and the variable that names the file for it. */
const LISTS = {
  Counts: 'AXON_TEST_COUNTS',
  Measured: 'AXON_TEST_MEASURED',
  Skipped: 'AXON_TEST_SKIPS',
  Failed: 'AXON_TEST_FAILURES',
};
const listFile = (key: string, title: string): string =>
  join(output, `${key}-${title.toLowerCase()}.txt`);

const vitest = (project: string, ...folders: readonly string[]): readonly string[] =>
  ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', project].concat(
    folders.map((folder) => `test/${folder}/`),
  );
/**
 * The tests of the system: those that run side by side, then those that want the computer for
 * themselves.
 */
const system = (...folders: readonly string[]): readonly string[] => [
  ...vitest('node*', ...folders),
  '--project',
  'alone',
];
const GATES: readonly Step[] = [
  { key: 'types', name: 'types', command: ['tsc', '-p', '.'] },
  {
    key: 'svelte',
    name: 'types of components',
    command: ['svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings'],
  },
  { key: 'lint', name: 'lint', command: ['oxlint'] },
  { key: 'format', name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'] },
  {
    key: 'imports',
    name: 'imports',
    command: ['depcruise', 'main', 'preload', 'renderer', '--config', '.dependency-cruiser.cjs'],
  },
  { key: 'build', name: 'build', command: ['npm', 'run', '--silent', 'build'] },
];
/**
 * The long run takes them one after the other: each has the computer to itself, and can be run
 * again alone.
 */
const SYSTEM: readonly Step[] = long
  ? [
      { key: 'unit', name: 'tests of parts', command: system('unit', 'contract') },
      { key: 'sim', name: 'simulated households', command: system('sim') },
      { key: 'integration', name: 'tests of parts together', command: system('integration') },
      { key: 'conformance', name: 'seeds', command: system('conformance') },
      { key: 'adversarial', name: 'attacks', command: system('adversarial') },
    ]
  : [{ key: 'system', name: 'tests of the system', command: system() }];
/** Both commands of the README, on the last commit, as a newcomer with a fresh computer has it. */
const BARE_DEBIAN: Step = {
  key: 'debian',
  name: 'a bare Debian',
  command: ['test/bare-debian.sh', join(output, 'bare-debian'), 'test/newcomer.sh'],
  needs: 'bare-debian',
};
/** The file of `npm pack`, as somebody installs it there, upgrades it and removes it. */
const INSTALLED: Step = {
  key: 'installed',
  name: 'an installed hub',
  command: ['test/bare-debian.sh', join(output, 'bare-debian'), 'test/installed.sh'],
  needs: 'bare-debian',
};
const COMPONENTS: Step = {
  key: 'components',
  name: 'tests of components',
  command: vitest('browser'),
  needs: 'chromium',
};
const NETWORKS: Step = { key: 'lan', name: 'tests on a network', command: vitest('lan') };
const END_TO_END: Step = { key: 'e2e', name: 'tests end to end', command: vitest('e2e') };
/**
 * In the short run, steps that leave a processor idle run beside others. In the long one each has
 * the computer to itself.
 */
const STAGES: readonly (readonly Step[])[] = long
  ? [...GATES, ...SYSTEM, COMPONENTS, NETWORKS, END_TO_END, BARE_DEBIAN, INSTALLED].map((step) => [
      step,
    ])
  : [GATES, SYSTEM, [COMPONENTS], [NETWORKS, END_TO_END]];
const STEPS = STAGES.flat();

/** The stages with the steps that `--only` names, or with all. */
function chosenStages(): readonly (readonly Step[])[] {
  const at = process.argv.indexOf('--only');
  if (at < 0) return STAGES;
  const keys = (process.argv[at + 1] ?? '').split(',');
  const unknown = keys.filter((key) => !STEPS.some((step) => step.key === key));
  if (unknown.length === 0)
    return STAGES.map((stage) => stage.filter(({ key }) => keys.includes(key))).filter(
      ({ length }) => length > 0,
    );
  process.stderr.write(
    `There is no step "${unknown.join('", "')}". The steps are: ${STEPS.map(({ key }) => key).join(', ')}.\n`,
  );
  process.exit(2);
}

function readLines(file: string): readonly string[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? [] : [...new Set(text.split('\n'))];
}

/** Puts the outcome in the place of the step's last one, and writes the report. */
function keep(outcomes: Map<string, Outcome>, outcome: Outcome): void {
  outcomes.set(outcome.key, outcome);
  const inOrder = STEPS.flatMap(({ key }) => outcomes.get(key) ?? []);
  const heading = `Test run (${long ? 'full counts' : 'reduced counts'}), Node ${process.version}, ${process.platform} ${process.arch}`;
  writeWhole(stateFile, JSON.stringify(inOrder, null, 2));
  writeWhole(reportFile, report(heading, inOrder, Object.keys(LISTS)));
}

/** The commit the files are of, and whether any was changed since. */
function commitNow(): string {
  const git = (...words: readonly string[]) =>
    spawnSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short', 'HEAD');
  if (status !== 0) return 'no commit';
  return git('status', '--porcelain').stdout === '' ? stdout.trim() : `${stdout.trim()}, changed`;
}

/**
 * Runs the command and resolves to its exit status: null when there was none. Beside others it
 * prints as to a file, since each would draw its progress over the others'.
 */
function statusOf(
  { command }: Step,
  env: NodeJS.ProcessEnv,
  isAlone: boolean,
): Promise<number | null> {
  const [program = '', ...parameters] = command;
  const child = spawn(program, parameters, {
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env,
    shell: process.platform === 'win32',
  });
  for (const printed of [child.stdout, child.stderr]) printed?.pipe(process.stdout, { end: false });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stdout.write(`${program} cannot be started: ${error.message}\n`);
      resolve(null);
    });
    child.once('close', resolve);
  });
}

async function run(
  step: Step,
  outcomes: Map<string, Outcome>,
  { isBuilt, isAlone }: { readonly isBuilt: boolean; readonly isAlone: boolean },
): Promise<Outcome> {
  const { key, name, needs } = step;
  const titles = Object.entries(LISTS).map(([title, variable]) => {
    const file = listFile(key, title);
    rmSync(file, { force: true });
    return { title, variable, file };
  });
  const commit = commitNow();
  keep(outcomes, { key, name, state: 'begun', seconds: 0, endedAt: '', commit, lines: {} });
  const started = performance.now();
  // Where nothing may be skipped the command runs, and fails for want of the part.
  const isSkipped =
    needs !== undefined && process.env['AXON_TEST_REQUIRE_ALL'] !== '1' && !hasRealPart(needs);
  const env = {
    ...process.env,
    ...Object.fromEntries(titles.map(({ variable, file }) => [variable, file])),
    AXON_TEST_LONG: long ? '1' : '0',
    AXON_TEST_BUILT: isBuilt ? '1' : '0',
  };
  const status = isSkipped ? null : await statusOf(step, env, isAlone);
  const outcome: Outcome = {
    key,
    name,
    state: isSkipped ? 'skipped' : status === 0 ? 'passed' : 'FAILED',
    seconds: Math.round((performance.now() - started) / 100) / 10,
    endedAt: new Date().toISOString(),
    commit,
    lines: Object.fromEntries(titles.map(({ title, file }) => [title, readLines(file)])),
  };
  keep(outcomes, outcome);
  return outcome;
}

const stages = chosenStages();
const count = stages.flat().length;
const outcomes = new Map<string, Outcome>();
if (count < STEPS.length)
  for (const outcome of readOutcomes(stateFile)) outcomes.set(outcome.key, outcome);
else
  for (const path of [stateFile, reportFile, join(output, 'compiled')])
    rmSync(path, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const startedAt = performance.now();
const ended: Outcome[] = [];
for (const stage of stages) {
  const minutes = Math.round((performance.now() - startedAt) / 60_000);
  const names = stage.map(({ name }) => name).join(', ');
  process.stdout.write(`\n== ${names} (${ended.length} of ${count} done, after ${minutes} min)\n`);
  const isBuilt = ended.some(({ key, state }) => key === 'build' && state === 'passed');
  const isAlone = stage.length === 1;
  ended.push(
    ...(await Promise.all(stage.map((step) => run(step, outcomes, { isBuilt, isAlone })))),
  );
  if (ended.some(({ key, state }) => key === 'build' && state !== 'passed')) break;
}
process.stdout.write(`\n${readFileSync(reportFile, 'utf8')}\n`);
const states = (state: Outcome['state']): number =>
  ended.filter((outcome) => outcome.state === state).length;
const failed = states('FAILED');
process.stdout.write(
  `${states('passed')} passed, ${states('skipped')} skipped, ${failed} failed\n`,
);
process.exitCode = failed === 0 && ended.length === count ? 0 : 1;
