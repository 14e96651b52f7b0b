// Times at a terminal by the clock of this computer, and the lengths of time that a person types.
import { InvalidArgumentError } from 'commander';

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LENGTH = /^([1-9][0-9]{0,3})([mhdw])$/;

/** "2026-11-21 18:04" */
export function localTime(at: number): string {
  const moment = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** ms of "30m", "2h", "1d" or "1w". Throws InvalidArgumentError: commander says it with the option's name. */
export function lengthMs(text: string): number {
  const [, count, unit] = LENGTH.exec(text) ?? [];
  const unitMs = unit === 'm' || unit === 'h' || unit === 'd' || unit === 'w' ? UNITS_MS[unit] : undefined;
  if (unitMs === undefined) throw new InvalidArgumentError('It must be a time such as 30m, 2h, 1d or 1w.');
  return Number(count) * unitMs;
}
