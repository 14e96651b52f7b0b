// Quiet hours: whether it is one of the household's at a moment, and until when. Pure: periods, a
// moment and a time zone go in. A period is a time of day in the household's own zone, so it keeps
// its hours when the clocks change; it begins on the days it names and may end on the next.

export interface QuietPeriod {
  readonly name: string;
  /** Minute of the day, 0 to 1439, at which it begins. */
  readonly fromMinute: number;
  /** Minute of the day at which it is over; at or before `fromMinute`: on the next day. */
  readonly toMinute: number;
  /** The days on which it begins: 1 Monday to 7 Sunday. */
  readonly days: readonly number[];
  readonly on: boolean;
}

export interface Quiet {
  /** The period that is on now. */
  readonly name: string;
  /** The first moment after it that is not quiet, wall clock, ms since 1970. */
  readonly until: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** More than any zone ever moved its clocks at once. */
const CLOCK_CHANGE_MAX_MINUTES = 24 * 60;
/**
 * Periods that follow on each other without a gap are followed so far; whatever is quiet for longer
 * is looked at again then.
 */
const AHEAD_MAX_MS = 7 * DAY_MINUTES * MINUTE_MS;
const WEEKDAYS: Readonly<Record<string, number>> = {
  Mon: 1,
  Tue: 2,
  Wed: 3,
  Thu: 4,
  Fri: 5,
  Sat: 6,
  Sun: 7,
};

/** The zone of the computer this runs on. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The quiet hour that is on at a moment; undefined when none is. `at` in ms since 1970. */
export function quietAt(
  periods: readonly QuietPeriod[],
  at: number,
  timeZone: string,
): Quiet | undefined {
  const on = periods.filter((period) => period.on);
  if (on.length === 0) return undefined;
  const zone = new LocalTime(timeZone);
  const first = on.find((period) => covers(period, zone.of(at)));
  if (first === undefined) return undefined;
  let until = at;
  for (
    let next: QuietPeriod | undefined = first;
    next !== undefined && until - at < AHEAD_MAX_MS;
  ) {
    until = endOf(next, until, zone);
    const local = zone.of(until);
    next = on.find((period) => covers(period, local));
  }
  return { name: first.name, until };
}

/** The end of the day that a moment lies in, by the clock on the wall; ms since 1970. */
export function midnightAfter(at: number, timeZone: string): number {
  const zone = new LocalTime(timeZone);
  return endOf(
    { name: '', fromMinute: 0, toMinute: 0, days: [zone.of(at).day], on: true },
    at,
    zone,
  );
}

interface LocalMoment {
  readonly day: number;
  readonly minute: number;
}

/** Day of the week and minute of the day, as the clock on the wall shows them. */
class LocalTime {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  }

  of(at: number): LocalMoment {
    const parts = new Map(this.#format.formatToParts(at).map(({ type, value }) => [type, value]));
    const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
    return { day: WEEKDAYS[parts.get('weekday') ?? ''] ?? 1, minute };
  }
}

function covers(
  { fromMinute, toMinute, days }: QuietPeriod,
  { day, minute }: LocalMoment,
): boolean {
  const dayBefore = day === 1 ? 7 : day - 1;
  if (fromMinute < toMinute) return days.includes(day) && minute >= fromMinute && minute < toMinute;
  return (
    (days.includes(day) && minute >= fromMinute) || (days.includes(dayBefore) && minute < toMinute)
  );
}

/**
 * The first whole minute after `at` that the period does not cover: reckoned by the clock, then put
 * right where clocks change on the way.
 */
function endOf(period: QuietPeriod, at: number, zone: LocalTime): number {
  const whole = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const { minute } = zone.of(whole);
  const left = (period.toMinute - minute + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  let end = whole + left * MINUTE_MS;
  for (let step = 0; step < CLOCK_CHANGE_MAX_MINUTES && covers(period, zone.of(end)); step++)
    end += MINUTE_MS;
  for (
    let step = 0;
    step < CLOCK_CHANGE_MAX_MINUTES &&
    end - MINUTE_MS > at &&
    !covers(period, zone.of(end - MINUTE_MS));
    step++
  ) {
    end -= MINUTE_MS;
  }
  return end;
}
