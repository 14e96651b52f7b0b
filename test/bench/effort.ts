// How much a run measures: everything, or with `--quick` just so much of each row that it can be
// seen to work. Values of a quick run say nothing.
import { parseArgs } from 'node:util';

export const isQuick = process.argv.includes('--quick');

/** A count for this run. */
export function sized({ full, quick }: { readonly full: number; readonly quick: number }): number {
  return isQuick ? quick : full;
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { 'page-minutes': { type: 'string' } },
  strict: false,
});
/** How long a page is used before its memory is looked at again: `--page-minutes`. */
export const pageMinutes = Number(values['page-minutes'] ?? sized({ full: 30, quick: 0.05 }));
if (!(pageMinutes >= 0)) throw new Error('--page-minutes wants a number of minutes');
