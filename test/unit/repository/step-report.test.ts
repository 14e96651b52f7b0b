// What a test run keeps of its steps: whole, by commit, and never in the way of the next run.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOutcomes, report, writeWhole, type Outcome } from '../../step-report.ts';

const outcome = (about: Partial<Outcome>): Outcome => ({
  key: 'unit',
  name: 'tests of parts',
  state: 'passed',
  seconds: 3,
  endedAt: '2026-01-01T00:00:00.000Z',
  commit: 'abc1234',
  lines: {},
  ...about,
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-steps-'));
  file = join(folder, 'steps.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the outcomes of steps', () => {
  it('are read as they were kept, and nothing is left beside them', () => {
    const kept = [
      outcome({}),
      outcome({ key: 'sim', state: 'FAILED', lines: { Failed: ['one'] } }),
      outcome({ key: 'components', state: 'skipped' }),
    ];
    writeWhole(file, 'before');
    writeWhole(file, JSON.stringify(kept));
    expect(readOutcomes(file)).toEqual(kept);
    expect(readdirSync(folder)).toEqual(['steps.json']);
  });

  it('are none where the file is not there, was torn or holds something else, and what does not fit is left out', () => {
    expect(readOutcomes(file)).toEqual([]);
    for (const torn of ['', '[{"key":"unit","na', '{}', 'null']) {
      writeFileSync(file, torn);
      expect(readOutcomes(file)).toEqual([]);
    }
    const { commit: _, ...older } = outcome({ key: 'older' });
    writeFileSync(
      file,
      JSON.stringify([older, outcome({}), null, outcome({ lines: { Failed: [7] } as never })]),
    );
    expect(readOutcomes(file)).toEqual([outcome({})]);
  });

  it('are told with the commit of each, and said to be of several where they are', () => {
    const [unit, sim] = [
      outcome({ lines: { Counts: ['a', 'a'] } }),
      outcome({ key: 'sim', name: 'households', state: 'begun', endedAt: '' }),
    ];
    const one = report('Test run', [unit, sim], ['Counts', 'Failed']);
    expect(one).toContain(
      '| tests of parts (`unit`) | passed | 3 s | 2026-01-01T00:00:00.000Z | abc1234 |',
    );
    expect(one).toContain('| households (`sim`) | begun, not ended |  |  | abc1234 |');
    expect(one.match(/^- a$/gm)).toHaveLength(1);
    expect(one).not.toMatch(/different|Failed/);
    expect(report('Test run', [unit, { ...sim, commit: 'def5678' }], [])).toContain(
      'run on 2 different states of the code',
    );
  });
});
