// Which numbers are times that a calendar has. Pure.

/** The latest time that a calendar has, and the earliest before 1970, in ms. */
const MOMENT_MAX_MS = 8_640_000_000_000_000;

/** Such a number as it is, in ms since 1970; null for any other value. */
export function momentOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) <= MOMENT_MAX_MS ? value : null;
}
