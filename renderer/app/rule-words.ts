// Of a rule: when it ends, how it came to be, how often it decided.
import type { RuleDto } from '../../preload/contract/rules.ts';
import { dayName, timeOfDay } from './format.ts';
import { words } from './words.ts';

const { rules } = words;
const DAY_MS = 86_400_000;
export const RULE_MARKS = { allow: 'mark-rule', never: 'mark-back', ask: 'mark-waiting' } as const;

/** "today at 16:20", "Thursday at 9:00", "3 March at 12:00". */
export function dayAt(at: number, now: number): string {
  const isTomorrow = at > now && at - now < DAY_MS && dayName(at, now) !== words.common.today;
  return words.common.dayAt(isTomorrow ? words.common.tomorrow : dayOf(at, now), timeOfDay(at));
}

/** "16:20" on this day, else as dayAt: for something that goes on until then. */
export function untilAt(at: number, now: number): string {
  return dayName(at, now) === words.common.today ? timeOfDay(at) : dayAt(at, now);
}

/** The last minute of the day, by the clock of whoever looks. */
export function midnightAfter(at: number): number {
  return new Date(at).setHours(23, 59, 0, 0);
}

/** "today", "Thursday", "3 March": within a sentence. */
function dayOf(at: number, now: number): string {
  const day = dayName(at, now);
  return day === words.common.today || day === words.common.yesterday ? day.toLowerCase() : day;
}

/** When it ends, how it came to be, how often it decided. */
export function metaOf(rule: RuleDto, now: number): string {
  const end =
    rule.ends_at === null
      ? rules.noEnd
      : rule.idle_ms === null
        ? rules.until(dayAt(rule.ends_at, now))
        : rules.untilQuiet(dayAt(rule.ends_at, now));
  const made =
    rule.made_on === 'card'
      ? rules.madeOnCard(dayOf(rule.created_at, now))
      : rules.madeHere(dayOf(rule.created_at, now));
  return [end, made, usesOf(rule, now)].join(' ');
}

function usesOf(rule: RuleDto, now: number): string {
  if (rule.last_used_at === null) return rules.notUsed;
  const last = dayAt(rule.last_used_at, now);
  return rule.effect === 'never'
    ? rules.declinedTimes(rule.uses, last)
    : rules.used(rule.uses, last);
}
