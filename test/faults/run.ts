// One single fault after the other in the code that fills, reads and renders the story of a request
// (faults.ts), each in a copy of the last commit: the tests named with it pass without it, and must
// fail with it. Says which test did. Ends with 1 where a fault goes unnoticed. `node
// test/faults/run.ts [WORD]`: only faults whose name has WORD.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS, faultyText, type Fault } from './faults.ts';

const root = join(import.meta.dirname, '../..');
const copy = join(mkdtempSync(join(tmpdir(), 'axon-faults-')), 'checkout');
/** A fault may make a test wait for what never comes. */
const LIMIT_MS = 120_000;

function git(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
}

/** The first of the tests that fails; null: all of them pass. */
function failing(tests: readonly string[], bail: string): string | null {
  const words = ['run', '--config', 'test/vitest.config.ts', '--project', 'node*', '--bail', bail];
  const { status, stdout, stderr } = spawnSync('vitest', [...words, ...tests], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    timeout: LIMIT_MS,
    shell: process.platform === 'win32',
  });
  if (status === 0) return null;
  return /FAIL[^\n]*?(test\/[^\n]+)/.exec(stdout + stderr)?.[1] ?? 'it did not end';
}

/** The test that notices it; null: none does. */
function noticing({ file, tests, ...change }: Fault): string | null {
  const path = join(copy, file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, faultyText(whole, change));
  try {
    return failing(tests, '1');
  } finally {
    writeFileSync(path, whole);
  }
}

git('worktree', 'add', '--detach', '--quiet', copy, 'HEAD');
const missed: string[] = [];
try {
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const wanted = FAULTS.filter(({ name }) => name.includes(process.argv[2] ?? ''));
  const without = failing([...new Set(wanted.flatMap(({ tests }) => tests))], '0');
  if (without !== null) throw new Error(`without any fault: ${without}`);
  for (const fault of wanted) {
    const test = noticing(fault);
    if (test === null) missed.push(fault.name);
    process.stdout.write(
      `${test === null ? 'MISSED ' : 'noticed'}  ${fault.name}: ${test ?? '-'}\n`,
    );
  }
  process.stdout.write(`${wanted.length - missed.length} of ${wanted.length} faults noticed.\n`);
} finally {
  git('worktree', 'remove', '--force', copy);
  rmSync(join(copy, '..'), { recursive: true, force: true });
}
process.exitCode = missed.length === 0 ? 0 : 1;
