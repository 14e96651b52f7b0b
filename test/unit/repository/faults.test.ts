// The list of single faults fits the code: each can be made, in one place.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS, faultyText } from '../../faults/faults.ts';

const root = join(import.meta.dirname, '../../..');

test.each(FAULTS)('the fault can be made: $name', ({ file, tests, ...change }) => {
  const whole = readFileSync(join(root, file), 'utf8');
  expect(faultyText(whole, change)).not.toBe(whole);
  for (const path of tests) expect(readFileSync(join(root, path), 'utf8')).toContain('test');
});

test('each fault has a name of its own', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});
