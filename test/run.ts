// `npm test` and `npm run test:long`: the gates, the build and every test project in order, with one summary. The report is written before and
// after every step, so that a run that is stopped half-way has one, and `--only sim,lan` runs some steps again and keeps the others' lines.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Step {
  readonly key: string;
  readonly name: string;
  readonly command: readonly string[];
}

interface Outcome {
  readonly key: string;
  readonly name: string;
  /** `begun` is what a run leaves that was stopped in this step. */
  readonly state: 'passed' | 'FAILED' | 'begun';
  readonly seconds: number;
  readonly endedAt: string;
  /** What tests have put down, by what it is. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
}

const long = process.argv.includes('--long');
const output = join(import.meta.dirname, '.output');
const stateFile = join(output, long ? 'steps-long.json' : 'steps.json');
const reportFile = join(output, long ? 'report-long.md' : 'report.md');
/** What tests put down, and the variable that names the file for it. */
const LISTS = { Counts: 'AXON_TEST_COUNTS', Measured: 'AXON_TEST_MEASURED', Skipped: 'AXON_TEST_SKIPS', Failed: 'AXON_TEST_FAILURES' };
const listFile = (title: string): string => join(output, `${title.toLowerCase()}.txt`);

const vitest = (project: string, ...folders: readonly string[]): readonly string[] =>
  ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', project].concat(folders.map((folder) => `test/${folder}/`));
const GATES: readonly Step[] = [
  { key: 'types', name: 'types', command: ['tsc', '-p', '.'] },
  { key: 'svelte', name: 'types of components', command: ['svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings'] },
  { key: 'lint', name: 'lint', command: ['oxlint'] },
  { key: 'format', name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'] },
  { key: 'imports', name: 'imports', command: ['depcruise', 'main', 'preload', 'renderer', '--config', '.dependency-cruiser.cjs'] },
  { key: 'build', name: 'build', command: ['npm', 'run', '--silent', 'build'] },
];
/** The long run takes them one after the other: each has the computer to itself, and can be run again alone. */
const SYSTEM: readonly Step[] = long
  ? [
      { key: 'unit', name: 'tests of parts', command: vitest('node', 'unit', 'contract') },
      { key: 'sim', name: 'simulated households', command: vitest('node', 'sim') },
      { key: 'integration', name: 'tests of parts together', command: vitest('node', 'integration') },
      { key: 'adversarial', name: 'attacks', command: vitest('node', 'adversarial') },
    ]
  : [{ key: 'system', name: 'tests of the system', command: vitest('node') }];
const STEPS: readonly Step[] = [
  ...GATES,
  ...SYSTEM,
  { key: 'components', name: 'tests of components', command: vitest('browser') },
  { key: 'lan', name: 'tests on a network', command: vitest('lan') },
  { key: 'e2e', name: 'tests end to end', command: vitest('e2e') },
];

/** The steps that `--only` names, or all. */
function chosenSteps(): readonly Step[] {
  const at = process.argv.indexOf('--only');
  if (at < 0) return STEPS;
  const keys = (process.argv[at + 1] ?? '').split(',');
  const unknown = keys.filter((key) => !STEPS.some((step) => step.key === key));
  if (unknown.length === 0) return STEPS.filter(({ key }) => keys.includes(key));
  process.stderr.write(`There is no step "${unknown.join('", "')}". The steps are: ${STEPS.map(({ key }) => key).join(', ')}.\n`);
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
  writeFileSync(stateFile, JSON.stringify(inOrder, null, 2));
  writeFileSync(reportFile, report(inOrder));
}

function run(step: Step, isBuilt: boolean, outcomes: Map<string, Outcome>): Outcome {
  const { key, name, command } = step;
  const [program = '', ...parameters] = command;
  const variables = Object.fromEntries(Object.entries(LISTS).map(([title, variable]) => [variable, listFile(title)]));
  for (const title of Object.keys(LISTS)) rmSync(listFile(title), { force: true });
  keep(outcomes, { key, name, state: 'begun', seconds: 0, endedAt: '', lines: {} });
  const started = performance.now();
  const { status } = spawnSync(program, parameters, {
    stdio: 'inherit',
    env: { ...process.env, ...variables, AXON_TEST_LONG: long ? '1' : '0', AXON_TEST_BUILT: isBuilt ? '1' : '0' },
    shell: process.platform === 'win32',
  });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const lines = Object.fromEntries(Object.keys(LISTS).map((title) => [title, readLines(listFile(title))]));
  const outcome: Outcome = { key, name, state: status === 0 ? 'passed' : 'FAILED', seconds, endedAt: new Date().toISOString(), lines };
  keep(outcomes, outcome);
  return outcome;
}

function report(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ key, name, state, seconds, endedAt }) => {
    const words = state === 'begun' ? 'begun, not ended' : state;
    return `| ${name} (\`${key}\`) | ${words} | ${state === 'begun' ? '' : `${seconds} s`} | ${endedAt} |`;
  });
  const list = (title: string): string => {
    const lines = [...new Set(outcomes.flatMap((outcome) => outcome.lines[title] ?? []))];
    return lines.length === 0 ? '' : `\n${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`;
  };
  return [
    `# Test run (${long ? 'full counts' : 'reduced counts'}), Node ${process.version}, ${process.platform} ${process.arch}\n`,
    '| Step | Outcome | Time | Ended |',
    '| --- | --- | --- | --- |',
    ...rows,
    ...Object.keys(LISTS).map(list),
  ].join('\n');
}

function earlier(): readonly Outcome[] {
  return existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : []; // written by this very program
}

const steps = chosenSteps();
const outcomes = new Map<string, Outcome>();
if (steps.length < STEPS.length) for (const outcome of earlier()) outcomes.set(outcome.key, outcome);
else rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const startedAt = performance.now();
const ended: Outcome[] = [];
for (const [index, step] of steps.entries()) {
  const minutes = Math.round((performance.now() - startedAt) / 60_000);
  process.stdout.write(`\n== ${step.name} (${index + 1} of ${steps.length}, after ${minutes} min)\n`);
  const isBuilt = ended.some(({ key, state }) => key === 'build' && state === 'passed');
  ended.push(run(step, isBuilt, outcomes));
  if (step.key === 'build' && ended.at(-1)?.state !== 'passed') break;
}
process.stdout.write(`\n${readFileSync(reportFile, 'utf8')}\n`);
const failed = ended.filter(({ state }) => state !== 'passed').length;
process.stdout.write(`${ended.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && ended.length === steps.length ? 0 : 1;
