// The programs under out/ for projects that start them: built once before their first test, unless
// the run has just built them (AXON_TEST_BUILT=1).
import { join } from 'node:path';
import { buildAnew } from '../../main/app/build.ts';

export function setup(): void {
  if (process.env['AXON_TEST_BUILT'] === '1') return;
  const isBuilt = buildAnew(
    join(import.meta.dirname, '..', '..'),
    (text) => void process.stderr.write(`${text}\n`),
  );
  if (!isBuilt) throw new Error('the build failed; its words stand above');
}
