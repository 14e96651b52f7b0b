// Makes every character visible that a person would not see or that would move the others:
// controls, direction marks, invisible fillers, spaces of odd widths, tags, and marks piled on one
// letter until they cover the lines around it. Each becomes "[U+202E]". Text that already looks
// like such an escape has its bracket escaped ("[U+005B]U+202E]"), so an escape in the result is
// always ours and the original can be told from it without doubt. Nothing is dropped, cut or
// normalised.

/**
 * Everything Unicode wants drawn as nothing, all controls but tab and line feed, halves of pairs,
 * line separators, blank fillers and format marks, spaces that are wider or narrower than they look
 * (those of French and of figures stay), and what has no agreed shape (private use).
 */
const HIDDEN =
  /(?![\t\n])[\p{Control}\u1680\u2000-\u200a\u2028\u2029\u205f\u2800\u3000\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d159}\p{Private_Use}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Surrogate}]/u;
/**
 * What JSON leaves as it is and a person would not see, or a terminal obey. Line feeds stay: JSON
 * has them between values only.
 */
const HIDDEN_IN_JSON =
  /(?!\n)[\p{Control}\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Surrogate}]/gu;
/** More marks than any spelling puts on one letter. */
const PILED_MARK = /(?<=\p{Nonspacing_Mark}{5})\p{Nonspacing_Mark}/u;
const SUSPECT = new RegExp(
  `${HIDDEN.source}|${PILED_MARK.source}|\\[(?=[Uu]\\+[0-9A-Fa-f]{1,8}\\])`,
  'gu',
);
const JOINER = /^[\u200c\u200d]$/u;
const EMOJI_SELECTOR = /^[\ufe0e\ufe0f]$/u;
const ENDS_IN_EMOJI = /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u;
const ENDS_IN_PICTOGRAPH = /\p{Extended_Pictographic}$/u;
const ENDS_IN_KEYCAP_BASE = /[0-9#*]$/u;
const KEYCAP = '\u20e3';
const STARTS_WITH_PICTOGRAPH = /^\p{Extended_Pictographic}/u;
/** Scripts whose spelling needs joiners after a consonant or vowel sign. */
const INDIC =
  '\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}' +
  '\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}';
const ENDS_IN_INDIC = new RegExp(`(?=[\\p{Letter}\\p{Mark}])[${INDIC}]$`, 'u');
/**
 * The longest text before a character that decides whether it may stay, in UTF-16 units: a
 * pictograph and its selector.
 */
const CONTEXT_UNITS = 3;

/**
 * `text` with every hidden character written out. Injective: two different texts never give the
 * same result.
 */
export function showHidden(text: string): string {
  return text.replaceAll(SUSPECT, (character: string, offset: number) =>
    isAtHome(character, text, offset) ? character : `[U+${codePointHex(character)}]`,
  );
}

/** True when showHidden would change anything. */
export function hasHidden(text: string): boolean {
  return showHidden(text) !== text;
}

/** The same JSON value with every hidden character of its strings written as \uXXXX. */
export function escapeHiddenInJson(text: string): string {
  return text.replace(HIDDEN_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/**
 * Joiners inside an emoji or an Indic word, and the selector after an emoji, are part of what is
 * drawn.
 */
function isAtHome(character: string, text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - CONTEXT_UNITS), offset);
  const after = text.slice(offset + 1, offset + 3);
  if (EMOJI_SELECTOR.test(character)) {
    return (
      ENDS_IN_PICTOGRAPH.test(before) ||
      (ENDS_IN_KEYCAP_BASE.test(before) && after.startsWith(KEYCAP))
    );
  }
  if (!JOINER.test(character)) return false;
  if (ENDS_IN_INDIC.test(before)) return true;
  return character === '\u200d' && ENDS_IN_EMOJI.test(before) && STARTS_WITH_PICTOGRAPH.test(after);
}

function codePointHex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
