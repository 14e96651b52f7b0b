// How often the long cases repeat: few times in `npm test`, as often as they are meant to in `npm run test:long`. Every count is printed.
import { appendFileSync } from 'node:fs';

export const isLongRun = process.env['AXON_TEST_LONG'] === '1';

/** The number of rounds for this run, printed with what it counts. */
export function rounds(what: string, counts: { readonly short: number; readonly long: number }): number {
  const count = isLongRun ? counts.long : counts.short;
  const line = `COUNT: ${what}: ${count}${isLongRun ? '' : ` (of ${counts.long} in the long run)`}`;
  process.stderr.write(`${line}\n`);
  const list = process.env['AXON_TEST_COUNTS'];
  if (list !== undefined) appendFileSync(list, `${line}\n`);
  return count;
}
