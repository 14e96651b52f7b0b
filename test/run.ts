// `npm test` and `npm run test:long`: the gates, the build and every test project in order, with one summary and a report at the end.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const long = process.argv.includes('--long');
const output = join(import.meta.dirname, '.output');
const skips = join(output, 'skips.txt');
const counts = join(output, 'counts.txt');
const failures = join(output, 'failures.txt');

const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts'];
const STEPS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['types', ['tsc', '-p', '.']],
  ['types of components', ['svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings']],
  ['lint', ['oxlint']],
  ['format', ['prettier', '--check', '--log-level=warn', '.']],
  ['imports', ['depcruise', 'main', 'preload', 'renderer', '--config', '.dependency-cruiser.cjs']],
  ['build', ['npm', 'run', '--silent', 'build']],
  ['tests of the system', [...vitest, '--project', 'node']],
  ['tests of components', [...vitest, '--project', 'browser']],
  ['tests on a network', [...vitest, '--project', 'lan']],
  ['tests end to end', [...vitest, '--project', 'e2e']],
];

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
}

function readLines(file: string): readonly string[] {
  return existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))] : [];
}

function run(): readonly Outcome[] {
  const environment = {
    ...process.env,
    AXON_TEST_LONG: long ? '1' : '0',
    AXON_TEST_SKIPS: skips,
    AXON_TEST_COUNTS: counts,
    AXON_TEST_FAILURES: failures,
    AXON_TEST_BUILT: '1',
  };
  const outcomes: Outcome[] = [];
  for (const [name, [program = '', ...parameters]] of STEPS) {
    process.stdout.write(`\n== ${name}\n`);
    const started = performance.now();
    const { status } = spawnSync(program, parameters, { stdio: 'inherit', env: environment, shell: process.platform === 'win32' });
    outcomes.push({ name, passed: status === 0, seconds: Math.round((performance.now() - started) / 100) / 10 });
    if (status !== 0 && name === 'build') break;
  }
  return outcomes;
}

function report(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, passed, seconds }) => `| ${name} | ${passed ? 'passed' : 'FAILED'} | ${seconds} s |`);
  const list = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`;
  return [
    `# Test run (${long ? 'full counts' : 'reduced counts'}), Node ${process.version}, ${process.platform} ${process.arch}\n`,
    '| Step | Outcome | Time |',
    '| --- | --- | --- |',
    ...rows,
    list('Counts', readLines(counts)),
    list('Skipped', readLines(skips)),
    list('Failed', readLines(failures)),
  ].join('\n');
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const outcomes = run();
const text = report(outcomes);
writeFileSync(join(output, long ? 'report-long.md' : 'report.md'), text);
process.stdout.write(`\n${text}\n`);
const failed = outcomes.filter(({ passed }) => !passed).length;
process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && outcomes.length === STEPS.length ? 0 : 1;
