// Text from outside, as a person and an agent may see it. Bodies keep all their words with hidden
// characters made visible; names are shown only when they are plain. The escaped form is what is
// shown, what an approval covers and what the agent receives: escape once, where the text comes in.
import {
  hasHidden,
  showHidden,
  showHiddenAsOfVersion1,
  showHiddenIn,
} from '../lib/hidden-characters.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { lazily } from '../lib/lazily.ts';
import { NAME_MAX_GRAPHEMES } from './limits.ts';

const GIVEN_MAX_CHARACTERS = 80;

/** What a caller itself gave, for a sentence that is told to that caller alone. */
export function escapeGiven(text: string): string {
  const characters = [...escapeText(text).trim().replaceAll(/\s+/g, ' ')];
  if (characters.length <= GIVEN_MAX_CHARACTERS) return characters.join('');
  return `${characters.slice(0, GIVEN_MAX_CHARACTERS - 1).join('')}…`;
}

/** What is shown for a name that is not fit to be. */
export const HIDDEN_NAME = '(name hidden)';

/** Ideographic spaces pass where they stand beside an ideograph; normalising makes them plain. */
const ODD_WHITE_SPACE = /[^\S \u3000]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const PRIVATE_OR_UNASSIGNED = /[\p{Private_Use}\p{Unassigned}]/u;
/**
 * More marks on one letter than its spelling needs reach into the lines above and below. Letters of
 * these three systems stand composed here and need hardly any of their own.
 */
const PILE_OF_MARKS =
  /\p{Mark}{5}|\p{Nonspacing_Mark}{4}|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Number}]\p{Mark}{3}/u;
const VISIBLE = /[\p{Letter}\p{Number}\p{Emoji_Presentation}]/u;
/** Writing systems a name may use, each with what its own readers mix into it. */
const WRITING_SYSTEMS = [
  ['Latin'],
  ['Cyrillic'],
  ['Greek'],
  ['Armenian'],
  ['Georgian'],
  ['Hebrew'],
  ['Arabic'],
  ['Devanagari'],
  ['Bengali'],
  ['Gurmukhi'],
  ['Gujarati'],
  ['Oriya'],
  ['Tamil'],
  ['Telugu'],
  ['Kannada'],
  ['Malayalam'],
  ['Sinhala'],
  ['Thai'],
  ['Lao'],
  ['Khmer'],
  ['Myanmar'],
  ['Tibetan'],
  ['Ethiopic'],
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Hangul'],
  ['Han', 'Bopomofo'],
].map((scripts) =>
  lazily(() => {
    const classes = ['Common', 'Inherited', ...scripts]
      .map((script) => `\\p{Script_Extensions=${script}}`)
      .join('');
    return new RegExp(`^[${classes}]*$`, 'u');
  }),
);

/**
 * A text of any length with every hidden or direction-changing character as a visible "[U+202E]";
 * line feeds and tabs stay. Different texts never look the same afterwards: what already looked
 * like an escape has its bracket escaped, so escape only once.
 */
export function escapeText(text: string): string {
  return showHidden(text);
}

type Escape = (text: string) => string;

/**
 * The escaping of a stored view, by the version that stands in it: escapeText as it was then. Two
 * hubs make the same text of one request only by the same version.
 */
export function escapeOfVersion(version: 1 | 2): Escape {
  return version === 1 ? showHiddenAsOfVersion1 : escapeText;
}

/** Every string inside a JSON value escaped, keys too. */
export function escapeJson(value: unknown): unknown {
  return showHiddenIn(value);
}

/** As escapeJson, for what is known to be an object. */
export function escapeObject(value: JsonObject, escape: Escape = escapeText): JsonObject {
  return showHiddenIn(value, escape) as JsonObject; // of an object
}

/**
 * A name somebody gave themselves, fit for one line: at most 32 characters as people count them, in
 * one writing system, nothing invisible but what is spelt with it. Otherwise `hidden`, and the name
 * is "(name hidden)".
 */
export function escapeName(text: string): { readonly name: string; readonly hidden: boolean } {
  // Bounded before it is normalised: one character may become eighteen.
  const given = text.length > NAME_MAX_GRAPHEMES * 32 ? '' : text.trim();
  const name = given.normalize('NFKC').trim();
  const fits =
    VISIBLE.test(name) &&
    !hasHidden(name) &&
    // As it was given: normalising makes plain spaces of odd ones.
    !hasHidden(given) &&
    !ODD_WHITE_SPACE.test(given) &&
    !PRIVATE_OR_UNASSIGNED.test(name) &&
    !PILE_OF_MARKS.test(name.replaceAll(INVISIBLE, '')) &&
    !PHONETIC.test(given) &&
    WRITING_SYSTEMS.some((system) => system().test(name)) &&
    countGraphemes(name) <= NAME_MAX_GRAPHEMES;
  return fits ? { name, hidden: false } : { name: HIDDEN_NAME, hidden: true };
}

/** Letters of phonetic notation: no household spells with them, and they look like others. */
const PHONETIC = /[\u02b0-\u02b8\u1d00-\u1dbf\ua720-\ua7ff]/u;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

function countGraphemes(text: string): number {
  // Most names: each of these signs is counted as one by people, and making a segmenter takes
  // longer than all the rest.
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].length;
}
