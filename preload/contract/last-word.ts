// The last word of a text, which a person types before something dangerous is allowed: one
// definition for the card that underlines it and for the hub that checks it. Pure; imports nothing.

export interface LastWord {
  /** Without the punctuation around it; a word of signs only is itself. */
  readonly word: string;
  /** Where it stands in the text, UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

const LAST_RUN = /\S+(?=\s*$)/u;
const SIGNS_BEFORE = /^[^\p{L}\p{M}\p{N}]+/u;
const SIGNS_AFTER = /[^\p{L}\p{M}\p{N}]+$/u;
/** Joiners and the like, which not every keyboard has. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Codes of hidden characters ("[U+202E]") are drawn as boxes, so nobody has to type them. */
const CODE = /\[U\+[0-9A-F]{4,6}\]?/g;

/** The last word; undefined for a blank text. */
export function lastWord(text: string): LastWord | undefined {
  const run = LAST_RUN.exec(text);
  if (run === null) return undefined;
  const before = SIGNS_BEFORE.exec(run[0])?.[0].length ?? 0;
  const after = SIGNS_AFTER.exec(run[0].slice(before))?.[0].length ?? 0;
  const onlySigns = before + after >= run[0].length;
  const from = run.index + (onlySigns ? 0 : before);
  const to = run.index + run[0].length - (onlySigns ? 0 : after);
  return { word: text.slice(from, to), from, to };
}

/**
 * True when `typed` is the last word of `text`; case, punctuation and white space around it, and
 * codes inside it, do not count.
 */
export function isLastWord(text: string, typed: string): boolean {
  const last = lastWord(text);
  const given = lastWord(typed);
  if (last === undefined || given === undefined || /\s/u.test(typed.trim())) return false;
  return (
    plain(given.word) === plain(last.word) ||
    plain(given.word) === plain(last.word.replaceAll(CODE, ''))
  );
}

function plain(word: string): string {
  return word.replaceAll(INVISIBLE, '').normalize('NFC').toLowerCase();
}
