// Cells of a CSV file that no spreadsheet takes for a formula. Pure.
import { showHidden } from './hidden-characters.ts';

/** What makes a spreadsheet take a cell for a formula, plain or wide, also behind white space. */
const FORMULA_START = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20|%]|^[\t\r\n]/;

/** Made with the first export: that takes milliseconds. */
let utcForm: Intl.DateTimeFormat | undefined;

export type CsvCell = string | number | null;

/** What a CSV file begins with: by a byte order mark Excel knows that the file is UTF-8. */
export const CSV_START = '\ufeff';

/** Returns one line, with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * Quoted whole; what could be a formula gets an apostrophe before it, which a spreadsheet reads as
 * "this is text".
 */
export function csvCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const shown = showHidden(value);
  return `"${(FORMULA_START.test(shown) ? `'${shown}` : shown).replaceAll('"', '""')}"`;
}

/** As 2026-11-22 07:50:12. @param ms since the epoch; null gives '' */
export function utcTime(ms: number | null): string {
  if (ms === null) return '';
  utcForm ??= new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'UTC',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return utcForm.format(ms);
}
