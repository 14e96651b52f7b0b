// Times, durations and names as people read them. Pure: the present is always a parameter.
import { words } from './words.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const { duration } = words.common;
const clock = new Intl.DateTimeFormat(words.locale, { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat(words.locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const weekday = new Intl.DateTimeFormat(words.locale, { weekday: 'long' });
const dayAndMonth = new Intl.DateTimeFormat(words.locale, { day: 'numeric', month: 'long' });
const longDate = new Intl.DateTimeFormat(words.locale, {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const wholeDay = new Intl.DateTimeFormat(words.locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
});
const list = new Intl.ListFormat(words.locale, { type: 'conjunction' });

/** "18:04" */
export const timeOfDay = (at: number): string => clock.format(at);
/** "18:04:31" */
export const exactTime = (at: number): string => clockWithSeconds.format(at);
/** "3 March 2026" */
export const dateLong = (at: number): string => longDate.format(at);
/** "Saturday 21 November, 18:04" */
export const dayAndTime = (at: number): string => `${wholeDay.format(at)}, ${timeOfDay(at)}`;
/** "Attic, Dad’s laptop and Leo’s tablet" */
export const listOf = (names: readonly string[]): string => list.format(names);

function dayNumber(at: number): number {
  const date = new Date(at);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS);
}

/** "Today", "Yesterday", "Thursday", "3 March", "3 March 2025". */
export function dayName(at: number, now: number): string {
  const days = dayNumber(now) - dayNumber(at);
  if (days === 0) return words.common.today;
  if (days === 1) return words.common.yesterday;
  if (days > 1 && days < 7) return weekday.format(at);
  return new Date(at).getFullYear() === new Date(now).getFullYear()
    ? dayAndMonth.format(at)
    : longDate.format(at);
}

/** The time if it was today, else the day. */
export function when(at: number, now: number): string {
  return dayNumber(at) === dayNumber(now) ? timeOfDay(at) : dayName(at, now);
}

/** "18:04:31" if it was today, else "Yesterday, 18:04:31". */
export function exactWhen(at: number, now: number): string {
  const isToday = dayNumber(at) === dayNumber(now);
  return isToday ? exactTime(at) : `${dayName(at, now)}, ${exactTime(at)}`;
}

/**
 * "40 seconds", "8 minutes", "1 hour 56 minutes", "3 days": never more than two parts, rounded
 * down, seconds only below a minute.
 */
export function durationWords(ms: number): string {
  if (ms < MINUTE_MS) return duration.seconds(Math.max(0, Math.floor(ms / SECOND_MS)));
  if (ms < HOUR_MS) return duration.minutes(Math.floor(ms / MINUTE_MS));
  if (ms < DAY_MS) {
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
    const hours = duration.hours(Math.floor(ms / HOUR_MS));
    return minutes === 0 ? hours : duration.and(hours, duration.minutes(minutes));
  }
  return duration.days(Math.floor(ms / DAY_MS));
}

/** "4 minutes 12 seconds", for something that is watched while it runs out. */
export function countdown(ms: number): string {
  if (ms >= HOUR_MS || ms < MINUTE_MS) return durationWords(ms);
  const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS);
  return seconds === 0
    ? durationWords(ms)
    : duration.and(durationWords(ms), duration.seconds(seconds));
}

/** "just now", "12 seconds ago", "2 hours ago". */
export function ago(at: number, now: number): string {
  const ms = now - at;
  if (ms < 5 * SECOND_MS) return words.common.justNow;
  if (ms < HOUR_MS) return words.common.ago(durationWords(ms));
  return when(at, now);
}

/** Groups of four, for reading a digest aloud. */
export function shortDigest(digest: string): string {
  return (digest.slice(0, 16).match(/.{1,4}/g) ?? []).join(' ');
}
