// Times at a terminal: by the clock of this computer, whose time zone is named wherever one is
// shown; and the times and lengths of time that a person types. No other clock is shown to people;
// what is printed as JSON stays numbers.
import { InvalidArgumentError } from 'commander';

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LENGTH = /^([1-9][0-9]{0,3})([mhdw])$/;

/** "2026-11-21 18:04 (Europe/Berlin)", for a sentence; "-" for no time. */
export function localTime(at: number | null): string {
  return at === null ? '-' : inZone(toTheSecond(at).slice(0, -':00'.length));
}

/** "2026-11-21T18:04", as a person types one. */
export function typedTime(at: number): string {
  return toTheSecond(at).slice(0, -':00'.length).replace(' ', 'T');
}

/**
 * "2026-11-21 18:04:09", for a cell of a table whose column names the time zone; "-" for no time.
 */
export function cellTime(at: number | null): string {
  return at === null ? '-' : toTheSecond(at);
}

/** "RECEIVED (Europe/Berlin)", above such a column. */
export function inZone(words: string): string {
  return `${words} (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`;
}

function toTheSecond(at: number): string {
  const moment = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day} ${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`;
}

/**
 * ms of "30m", "2h", "1d" or "1w". Throws InvalidArgumentError: commander says it with the option's
 * name.
 */
export function lengthMs(text: string): number {
  const [, count, unit] = LENGTH.exec(text) ?? [];
  const unitMs =
    unit === 'm' || unit === 'h' || unit === 'd' || unit === 'w' ? UNITS_MS[unit] : undefined;
  if (unitMs === undefined)
    throw new InvalidArgumentError('It must be a time such as 30m, 2h, 1d or 1w.');
  return Number(count) * unitMs;
}
