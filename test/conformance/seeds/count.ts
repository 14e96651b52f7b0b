// Prints how many requirements of the documents hold: a requirement holds when every test that has
// its number in the title passes. `npx node test/conformance/seeds/count.ts`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How many requirements each document has. */
const REQUIREMENTS: ReadonlyMap<string, number> = new Map([
  ['000', 52],
  ['001', 44],
  ['002', 71],
  ['003', 60],
  ['004', 54],
]);
/** Agents from a file need a model to answer for them, so they are tried beside it. */
const TESTS = ['test/conformance/seeds', 'test/integration/file-agent.test.ts'];
/** Left out, with the reason. */
const BLOCKED: ReadonlyMap<string, string> = new Map([
  ['003.8', 'a notice belongs to no conversation'],
  ['004.54', 'the patterns stand in a document that is not part of this one'],
]);

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

function run(): Report {
  const folder = mkdtempSync(join(tmpdir(), 'axon-seeds-'));
  try {
    const file = join(folder, 'report.json');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const told = ['--reporter=json', `--outputFile=${file}`, ...TESTS];
    const from = ['run', '--config', 'test/vitest.config.ts', '--project', 'node'];
    spawnSync(process.execPath, [vitest, ...from, ...told], { cwd: root, stdio: 'ignore' });
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passes = new Map<string, boolean>();
for (const { assertionResults } of run().testResults)
  for (const { title, status } of assertionResults)
    for (const [row] of title.matchAll(/\b00[0-4]\.\d+\b/g))
      passes.set(row, (passes.get(row) ?? true) && status === 'passed');

let holding = 0;
let all = 0;
const untold: string[] = [];
for (const [document, requirements] of REQUIREMENTS)
  for (let number = 1; number <= requirements; number++) {
    const row = `${document}.${number}`;
    all++;
    const holds = passes.get(row);
    if (holds === true) holding++;
    else if (holds === false) console.log(`${row} does not hold`);
    else if (BLOCKED.has(row)) console.log(`${row} blocked: ${BLOCKED.get(row)}`);
    else untold.push(row);
  }
if (untold.length > 0) console.log(`no test names ${untold.join(', ')}`);
console.log(`${holding} of ${all} requirements hold`);
process.exitCode = holding + BLOCKED.size === all ? 0 : 1;
