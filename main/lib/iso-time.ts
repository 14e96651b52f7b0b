// Moments and lengths of time as other programs write them: ISO 8601, or numbers. Reads no clock.

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;
const ISO_DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,9})?$/;
/** A number from here on counts milliseconds since 1970; a smaller one counts seconds. */
const FIRST_EPOCH_MS = 100_000_000_000;

/** A number, also as text; null: it is none. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : null;
}

/** A moment, as ISO 8601 or in milliseconds since 1970; null: it is none. */
export function momentOf(value: unknown): number | null {
  const number = numberOf(value);
  if (number !== null) return number >= FIRST_EPOCH_MS ? Math.floor(number) : null;
  const at = typeof value === 'string' && ISO_MOMENT.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** A moment in milliseconds since 1970, as ISO 8601. */
export function isoMoment(at: number): string {
  return new Date(at).toISOString();
}

/**
 * A length of time in milliseconds, from a number or an ISO 8601 duration; null: it is none.
 * @param unitMs what a number counts
 */
export function durationOf(value: unknown, unitMs = 1_000): number | null {
  const number = numberOf(value);
  if (number !== null)
    return number > 0 && number < FIRST_EPOCH_MS ? Math.ceil(number * unitMs) : null;
  const found = typeof value === 'string' && value.length < 32 ? ISO_DURATION.exec(value) : null;
  if (found === null) return null;
  const [days, hours, minutes, seconds] = found.slice(1).map((digits) => Number(digits ?? 0));
  const ms =
    (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 + (seconds ?? 0) * 1_000;
  return ms > 0 && Number.isSafeInteger(Math.ceil(ms)) ? Math.ceil(ms) : null;
}
