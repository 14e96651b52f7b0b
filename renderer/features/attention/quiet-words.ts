// The days of quiet hours as people say them. Pure.
import { listOf } from '../../app/format.ts';
import { words } from '../../app/words.ts';

const { quiet } = words.attention;

/** "every day", "Monday to Friday", "Saturday and Sunday", "Monday and Thursday". Days: 1 Monday to 7 Sunday, in order. */
export function daysInWords(days: readonly number[]): string {
  const named = days.join('');
  if (named === '1234567') return quiet.everyDay;
  if (named === '12345') return quiet.workdays;
  if (named === '67') return quiet.weekend;
  return listOf(days.map((day) => quiet.dayNames[day - 1] ?? ''));
}
