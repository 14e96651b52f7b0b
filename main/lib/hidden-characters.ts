// Makes every character visible that a person would not see or that would move the others:
// controls, direction marks, invisible fillers, spaces of odd widths, tags, and marks piled on one
// letter until they cover the lines around it. Each becomes "[U+202E]". Hidden is a matter of
// context: a joiner in a Persian word or an emoji belongs to what is drawn, and stays. Text that
// already looks like such an escape has its bracket escaped ("[U+005B]U+202E]"), so an escape in
// the result is always ours and the original can be told from it without doubt. Nothing is dropped,
// cut or normalised.
import { isJsonObject } from './json-object.ts';
import { lazily } from './lazily.ts';
import * as home from './ordinary-invisibles.ts';

/**
 * Everything Unicode wants drawn as nothing, all controls but tab and line feed, halves of pairs,
 * line separators, blank fillers and format marks, spaces that are wider or narrower than they look
 * (those of French and of figures stay), and what has no agreed shape (private use).
 */
const HIDDEN =
  /(?![\t\n])[\p{Control}\u1680\u2000-\u200a\u2028\u2029\u205f\u2800\u3000\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d159}\p{Private_Use}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Surrogate}]/u;
/**
 * More marks than any spelling puts on one letter: above, below and around it, whatever spacing
 * marks stand between; or of any kind. A mark is looked for first and then looked back from, so
 * that a long row of spacing marks is not read again at each of them.
 */
const PILED_MARK =
  /(?=[\p{Nonspacing_Mark}\p{Enclosing_Mark}])(?<=(?:[\p{Nonspacing_Mark}\p{Enclosing_Mark}]\p{Spacing_Mark}*){5})\p{Mark}|(?<=\p{Mark}{9})\p{Mark}/u;
/** All that version 1 knew of them. It never changes. */
const PILED_MARK_OF_VERSION_1 = /(?<=\p{Nonspacing_Mark}{5})\p{Nonspacing_Mark}/u;
/** What stays or goes as a whole: spaces between ideographs, and the tags of a flag. */
const RUNS = `\\u3000+|${home.FLAG_TAGS}`;
const LIKE_AN_ESCAPE = '\\[(?=[Uu]\\+[0-9A-Fa-f]{1,8}\\])';
const HIDDEN_RUN = `${RUNS}|${HIDDEN.source}|${PILED_MARK.source}`;
const suspect = lazily(() => new RegExp(`${HIDDEN_RUN}|${LIKE_AN_ESCAPE}`, 'gu'));
const suspectOfVersion1 = lazily(
  () =>
    new RegExp(
      `${RUNS}|${HIDDEN.source}|${PILED_MARK_OF_VERSION_1.source}|${LIKE_AN_ESCAPE}`,
      'gu',
    ),
);
const suspectInJson = lazily(() => new RegExp(HIDDEN_RUN, 'gu'));
/**
 * Text without one of these has nothing to be looked at closer. Most text has none, and finding
 * that out costs a hundredth of the rest.
 */
const MAYBE_SUSPECT =
  /[^\t\n -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05ff\u0620-\u064a\u0e01-\u0e30\u0e40-\u0e46\u1e00-\u1fff\u2010-\u2027\u202f-\u205e\u20a0-\u20bf\u2100-\u27ff\u3001-\u3029\u3030-\u3098\u309b-\u3163\u3190-\u9fff\uac00-\ud7a3\uff01-\uff9f]|\[[Uu]\+/;

/**
 * `text` with every hidden character written out. Injective: two different texts never give the
 * same result.
 */
export function showHidden(text: string): string {
  return write(text, suspect, home.isAtHome);
}

/** Every string inside a JSON value, keys too. A parsed message is only so deep. */
export function showHiddenIn(value: unknown, show = showHidden): unknown {
  if (typeof value === 'string') return show(value);
  if (Array.isArray(value)) return value.map((member) => showHiddenIn(member, show));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [show(key), showHiddenIn(member, show)]),
  );
}

/**
 * showHidden as it was when it knew no other place for joiners than emoji and Indic words, none for
 * spaces, and counted only nonspacing marks in a row. What people decided about then stands in this
 * form, so it never changes.
 */
export function showHiddenAsOfVersion1(text: string): string {
  return write(text, suspectOfVersion1, home.isAtHomeAsOfVersion1);
}

/** True when showHidden would change anything. */
export function hasHidden(text: string): boolean {
  return showHidden(text) !== text;
}

/** The same JSON value with every hidden character of its strings written as \uXXXX. */
export function escapeHiddenInJson(text: string): string {
  if (!MAYBE_SUSPECT.test(text)) return text;
  return text.replaceAll(suspectInJson(), (run: string, offset: number) =>
    home.isAtHome(run, text, offset) ? run : inJson(run),
  );
}

function write(text: string, pattern: () => RegExp, isAtHome: typeof home.isAtHome): string {
  if (!MAYBE_SUSPECT.test(text)) return text;
  return text.replaceAll(pattern(), (run: string, offset: number) =>
    isAtHome(run, text, offset) ? run : Array.from(run, codeOf).join(''),
  );
}

function codeOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `[U+${number.toString(16).toUpperCase().padStart(4, '0')}]`;
}

function inJson(run: string): string {
  return Array.from(
    { length: run.length },
    (_, index) => `\\u${run.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
