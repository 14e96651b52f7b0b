// How often the long cases repeat: few times in `npm test`, as often as they are meant to in `npm
// run test:long`. Every count is printed, and so is what long cases measure; both stand in the
// report.
import { appendFileSync } from 'node:fs';

export const isLongRun = process.env['AXON_TEST_LONG'] === '1';

/** The number of rounds for this run, printed with what it counts. */
export function rounds(
  what: string,
  counts: { readonly short: number; readonly long: number },
): number {
  const count = isLongRun ? counts.long : counts.short;
  tell(
    'AXON_TEST_COUNTS',
    `COUNT: ${what}: ${count}${isLongRun ? '' : ` (of ${counts.long} in the long run)`}`,
  );
  return count;
}

/** What a test has measured, beyond having passed. */
export function measured(line: string): void {
  tell('AXON_TEST_MEASURED', line);
}

/** Printed, and put down in the file that the variable names. */
function tell(variable: string, line: string): void {
  process.stderr.write(`${line}\n`);
  const list = process.env[variable];
  if (list !== undefined) appendFileSync(list, `${line}\n`);
}
