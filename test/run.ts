// `npm test` and `npm run test:long`: the gates, the build and every test project in order, with
// one summary. The report is written before and after every step, so that a run that is stopped
// half-way has one, and `--only sim,lan` runs some steps again and keeps the others' lines, each
// with the commit it was run on. Removes what the last run of its kind put down, and nothing else.
import { spawnSync } from 'node:child_process';
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
const listFile = (title: string): string => join(output, `${title.toLowerCase()}.txt`);

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
const STEPS: readonly Step[] = [
  ...GATES,
  ...SYSTEM,
  { key: 'components', name: 'tests of components', command: vitest('browser'), needs: 'chromium' },
  { key: 'lan', name: 'tests on a network', command: vitest('lan') },
  { key: 'e2e', name: 'tests end to end', command: vitest('e2e') },
  ...(long ? [BARE_DEBIAN, INSTALLED] : []),
];

/** The steps that `--only` names, or all. */
function chosenSteps(): readonly Step[] {
  const at = process.argv.indexOf('--only');
  if (at < 0) return STEPS;
  const keys = (process.argv[at + 1] ?? '').split(',');
  const unknown = keys.filter((key) => !STEPS.some((step) => step.key === key));
  if (unknown.length === 0) return STEPS.filter(({ key }) => keys.includes(key));
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

function run(step: Step, isBuilt: boolean, outcomes: Map<string, Outcome>): Outcome {
  const { key, name, command, needs } = step;
  const [program = '', ...parameters] = command;
  for (const [title, variable] of Object.entries(LISTS)) {
    process.env[variable] = listFile(title);
    rmSync(listFile(title), { force: true });
  }
  const commit = commitNow();
  keep(outcomes, { key, name, state: 'begun', seconds: 0, endedAt: '', commit, lines: {} });
  const started = performance.now();
  // Where nothing may be skipped the command runs, and fails for want of the part.
  const isSkipped =
    needs !== undefined && process.env['AXON_TEST_REQUIRE_ALL'] !== '1' && !hasRealPart(needs);
  const env = {
    ...process.env,
    AXON_TEST_LONG: long ? '1' : '0',
    AXON_TEST_BUILT: isBuilt ? '1' : '0',
  };
  const status = isSkipped
    ? null
    : spawnSync(program, parameters, { stdio: 'inherit', env, shell: process.platform === 'win32' })
        .status;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const lines = Object.fromEntries(
    Object.keys(LISTS).map((title) => [title, readLines(listFile(title))]),
  );
  const outcome: Outcome = {
    key,
    name,
    state: isSkipped ? 'skipped' : status === 0 ? 'passed' : 'FAILED',
    seconds,
    endedAt: new Date().toISOString(),
    commit,
    lines,
  };
  keep(outcomes, outcome);
  return outcome;
}

const steps = chosenSteps();
const outcomes = new Map<string, Outcome>();
if (steps.length < STEPS.length)
  for (const outcome of readOutcomes(stateFile)) outcomes.set(outcome.key, outcome);
else
  for (const path of [stateFile, reportFile, join(output, 'compiled')])
    rmSync(path, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const startedAt = performance.now();
const ended: Outcome[] = [];
for (const [index, step] of steps.entries()) {
  const minutes = Math.round((performance.now() - startedAt) / 60_000);
  process.stdout.write(
    `\n== ${step.name} (${index + 1} of ${steps.length}, after ${minutes} min)\n`,
  );
  const isBuilt = ended.some(({ key, state }) => key === 'build' && state === 'passed');
  ended.push(run(step, isBuilt, outcomes));
  if (step.key === 'build' && ended.at(-1)?.state !== 'passed') break;
}
process.stdout.write(`\n${readFileSync(reportFile, 'utf8')}\n`);
const count = (state: Outcome['state']): number =>
  ended.filter((outcome) => outcome.state === state).length;
const failed = count('FAILED');
process.stdout.write(`${count('passed')} passed, ${count('skipped')} skipped, ${failed} failed\n`);
process.exitCode = failed === 0 && ended.length === steps.length ? 0 : 1;
