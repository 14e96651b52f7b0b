// The rows of `npm run bench` that measure built hubs, at counts at which their values say nothing:
// that each of them still runs, checks what it is answered, and has its parts and targets.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { hasRealPart } from '../support/real-parts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LIMIT_MS = 600_000;

/** The targets of a row, in the order of its parts. */
const SHORT: Readonly<Record<string, readonly number[]>> = { P4: [1.6, 1.3, 0.5, 2], P5: [3.5] };
const LONG: Readonly<Record<string, readonly number[]>> = {
  ...SHORT,
  P4b: [2, 0.4],
  P4c: [4],
  P4d: [1, 1, 1],
  P4e: [1.3, 1.3],
  P6: [2, 6],
  P7: [130, 40],
  P9: [0.1],
  P10: [20],
};

/** Rows with pages, and how many parts they have. */
const PAGES: Readonly<Record<string, number>> = { P15: 4, P7d: 2, P8d: 2, P9d: 1, P13d: 1 };

describe.skipIf(process.platform !== 'linux')('a quick run of the bench', () => {
  const rows = isLongRun ? LONG : SHORT;
  const pages = isLongRun && hasRealPart('chromium') ? Object.keys(PAGES) : [];
  it(
    'measures every row that it is asked for, each with all of its parts',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'axon-bench-test-'));
      try {
        const json = join(folder, 'rows.json');
        const only = [...Object.keys(rows), ...pages].join(',');
        const program = join(ROOT, 'test', 'bench', 'run.ts');
        const words = ['--no-warnings', program, '--quick', '--only', only, '--json', json];
        const ended = spawnSync(process.execPath, words, { encoding: 'utf8' });
        expect([ended.status, ended.stderr]).toEqual([0, '']);
        const measured: readonly { id: string; absent?: true; parts: { target: number }[] }[] =
          JSON.parse(readFileSync(json, 'utf8')).rows;
        expect(measured.filter(({ absent }) => absent)).toEqual([]);
        const targets = measured.map(({ id, parts }) => [id, parts.map(({ target }) => target)]);
        expect(Object.fromEntries(targets)).toMatchObject(rows);
        for (const { id, parts } of measured)
          if (id in PAGES) expect([id, parts.length]).toEqual([id, PAGES[id]]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
});
