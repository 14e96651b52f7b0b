// Quiet hours by the clock on the wall: over midnight, on some days, in sequence, and on the days
// when clocks change.
import { describe, expect, test } from 'vitest';
import { midnightAfter, quietAt, type QuietPeriod } from '../../../main/core/quiet-hours.ts';

const BERLIN = 'Europe/Berlin';
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const at = (time: string): number => Date.parse(time);
const clock = (hour: number, minute = 0): number => hour * 60 + minute;
const NIGHT: QuietPeriod = {
  name: 'Night',
  fromMinute: clock(21, 30),
  toMinute: clock(7),
  days: EVERY_DAY,
  on: true,
};
const DINNER: QuietPeriod = {
  name: 'Dinner',
  fromMinute: clock(18),
  toMinute: clock(19, 30),
  days: EVERY_DAY,
  on: true,
};
const until = (
  periods: readonly QuietPeriod[],
  time: string,
  zone = BERLIN,
): string | undefined => {
  const quiet = quietAt(periods, at(time), zone);
  return quiet && new Date(quiet.until).toISOString();
};

describe('quiet hours', () => {
  test('begin with their first minute and are over with their last', () => {
    const seen = ['17:59:59.999', '18:00:00', '19:29:59.999', '19:30:00'].map((time) =>
      until([DINNER], `2026-01-14T${time}+01:00`),
    );
    expect(seen).toEqual([
      undefined,
      '2026-01-14T18:30:00.000Z',
      '2026-01-14T18:30:00.000Z',
      undefined,
    ]);
  });

  test('go on over midnight until the morning', () => {
    const seen = [
      '2026-01-14T21:29+01:00',
      '2026-01-14T23:00+01:00',
      '2026-01-15T06:59+01:00',
      '2026-01-15T07:00+01:00',
    ];
    expect(seen.map((time) => until([NIGHT], time))).toEqual([
      undefined,
      '2026-01-15T06:00:00.000Z',
      '2026-01-15T06:00:00.000Z',
      undefined,
    ]);
  });

  test('count for the day on which they begin: a Friday night goes on into Saturday, a Saturday night that is not named does not begin', () => {
    const friday = { ...NIGHT, days: [5] };
    const seen = [
      '2026-01-16T22:00+01:00',
      '2026-01-17T03:00+01:00',
      '2026-01-17T22:00+01:00',
      '2026-01-16T03:00+01:00',
    ];
    expect(seen.map((time) => until([friday], time) !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('that are switched off are none', () => {
    expect(until([{ ...NIGHT, on: false }], '2026-01-14T23:00+01:00')).toBeUndefined();
  });

  test('that follow on each other end with the last of them, by the name of the one that is on', () => {
    const tv = { ...DINNER, name: 'Film', fromMinute: clock(19, 30), toMinute: clock(21, 30) };
    expect(quietAt([DINNER, tv, NIGHT], at('2026-01-14T18:10+01:00'), BERLIN)).toEqual({
      name: 'Dinner',
      until: at('2026-01-15T07:00+01:00'),
    });
  });

  test('that never end are looked at again after a week at the most', () => {
    const always = [
      { ...DINNER, fromMinute: 0, toMinute: clock(12) },
      { ...DINNER, fromMinute: clock(12), toMinute: 0 },
    ];
    const now = at('2026-01-14T18:10Z');
    const days = ((quietAt(always, now, 'UTC')?.until ?? 0) - now) / 86_400_000;
    expect(days).toBeGreaterThan(6);
    expect(days).toBeLessThan(9);
  });

  test('keep their hours in the night when clocks go forward, and in the one when they go back', () => {
    expect(until([NIGHT], '2026-03-28T22:00+01:00')).toBe('2026-03-29T05:00:00.000Z');
    expect(until([NIGHT], '2026-10-24T22:00+02:00')).toBe('2026-10-25T06:00:00.000Z');
  });

  test('whose end does not exist that night are over when the clock has jumped past it', () => {
    const early = { ...NIGHT, toMinute: clock(2, 30) };
    expect(until([early], '2026-03-28T23:00+01:00')).toBe('2026-03-29T01:00:00.000Z');
  });

  test('whose end comes twice that night are over the first time, and quiet again until the second', () => {
    const early = { ...NIGHT, toMinute: clock(2, 30) };
    expect(until([early], '2026-10-24T23:00+02:00')).toBe('2026-10-25T00:30:00.000Z');
    expect(until([early], '2026-10-25T01:10:00Z')).toBe('2026-10-25T01:30:00.000Z');
  });

  test('are on exactly when the clock on the wall says so, by day and by night, looked at every 97 minutes of a year in five zones', () => {
    const zones = [BERLIN, 'UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
    for (const zone of zones) {
      const wall = new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        hour: '2-digit',
        minute: '2-digit',
      });
      const seen = new Set<string>();
      for (let now = at('2026-01-01T00:07Z'); now < at('2027-01-01T00:00Z'); now += 97 * 60_000) {
        const time = wall.format(now);
        const isNight = time >= '21:30' || time < '07:00';
        const isDinner = time >= '18:00' && time < '19:30';
        const quiet = quietAt([NIGHT, DINNER], now, zone);
        expect(quiet?.name, `${zone} ${time}`).toBe(
          isNight ? 'Night' : isDinner ? 'Dinner' : undefined,
        );
        if (quiet)
          expect([zone, wall.format(quiet.until)]).toEqual([zone, isNight ? '07:00' : '19:30']);
        seen.add(time);
      }
      // 97 has no factor in common with the minutes of a day: in the end each of them was looked
      // at.
      expect(seen.size, zone).toBe(1_440);
    }
  });

  test('are on in exactly those minutes, one after the other, of both days on which clocks change', () => {
    for (const day of ['2026-03-29', '2026-10-25']) {
      const wall = new Intl.DateTimeFormat('en-GB', {
        timeZone: BERLIN,
        hour: '2-digit',
        minute: '2-digit',
      });
      for (
        let now = at(`${day}T00:00Z`) - 2 * 3_600_000;
        now < at(`${day}T00:00Z`) + 24 * 3_600_000;
        now += 60_000
      ) {
        const time = wall.format(now);
        expect(quietAt([NIGHT], now, BERLIN) !== undefined, `${day} ${time}`).toBe(
          time >= '21:30' || time < '07:00',
        );
      }
    }
  });
});

test('a day ends at midnight by the clock on the wall, also when clocks change on it', () => {
  const ends = [
    '2026-01-14T18:10+01:00',
    '2026-01-14T23:59:30+01:00',
    '2026-03-29T00:30+01:00',
    '2026-10-25T00:00+02:00',
  ];
  expect(ends.map((time) => new Date(midnightAfter(at(time), BERLIN)).toISOString())).toEqual([
    '2026-01-14T23:00:00.000Z',
    '2026-01-14T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
  ]);
});
