// A rule in words, wherever one is shown: by the owner's own names and the areas as people call
// them. What somebody else wrote is not in these words; whoever draws a rule sets it apart.
import type { RuleDto } from '../../preload/contract/rules.ts';
import { areaName, dayName, timeOfDay } from './format.ts';
import { words } from './words.ts';

const { rules } = words;
const DAY_MS = 86_400_000;
export const RULE_MARKS = { allow: 'mark-rule', never: 'mark-back', ask: 'mark-waiting' } as const;

/** "Dad’s laptop", "Any hub", "Scribe, on this computer,". */
export function whoOf(
  rule: Pick<RuleDto, 'peer_name' | 'asking_local' | 'asking_local_name'>,
): string {
  if (rule.peer_name !== null) return rule.peer_name;
  if (rule.asking_local === null) return rules.anybody;
  return rule.asking_local === '@owner'
    ? rules.ownerHere
    : rules.onThisComputer(rule.asking_local_name ?? '');
}

/** "give Claude Code tasks in Family chat". */
export function whatOf({
  kind,
  agent_name,
  domain,
}: Pick<RuleDto, 'kind' | 'agent_name' | 'domain'>): string {
  return rules.what(kind, agent_name, domain === null ? null : areaName(domain));
}

/** "today at 16:20", "Thursday at 9:00", "3 March at 12:00". */
export function dayAt(at: number, now: number): string {
  const isTomorrow = at > now && at - now < DAY_MS && dayName(at, now) !== words.common.today;
  return words.common.dayAt(isTomorrow ? words.common.tomorrow : dayOf(at, now), timeOfDay(at));
}

/** "16:20" on this day, else as dayAt: for something that goes on until then. */
export function untilAt(at: number, now: number): string {
  return dayName(at, now) === words.common.today ? timeOfDay(at) : dayAt(at, now);
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
