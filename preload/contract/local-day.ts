// A day as people type it. Pure: it reads the zone of this computer and no clock.

const DAY = /^(\d{4})-(\d\d)(?:-(\d\d))?$/;

/**
 * The beginning of "2026-05-31", or of the month "2026-05", by the time of this computer, ms since
 * 1970. undefined: there is no such day.
 */
export function localDay(typed: string): number | undefined {
  const [, year, month, day = '1'] = DAY.exec(typed) ?? [];
  const at = new Date(Number(year), Number(month) - 1, Number(day));
  return at.getMonth() === Number(month) - 1 && at.getDate() === Number(day)
    ? at.getTime()
    : undefined;
}
