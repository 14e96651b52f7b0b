import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStartArguments } from '../../../main/shell/argv.ts';

test('E19: only the two known words of a second start mean anything', () => {
  expect(readStartArguments(['axon-hub', '--show'])).toEqual({ show: true, hidden: false });
  expect(readStartArguments(['axon-hub', '--hidden'])).toEqual({ show: false, hidden: true });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.anything())), (argv) => {
      const known: readonly unknown[] = ['--show', '--hidden'];
      const read = readStartArguments(argv);
      expect(read.show || read.hidden).toBe(argv.slice(0, 64).some((word) => known.includes(word)));
    }),
    { numRuns: 200 },
  );
});
