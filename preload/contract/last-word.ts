// The last word of a text, which a person types before something dangerous is allowed: one definition for the card that underlines it and
// for the hub that checks it. Pure; imports nothing.

export interface LastWord {
  readonly word: string;
  /** Where it stands in the text, UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

/** Codes of hidden characters ("[U+202E]") are not words. */
const CODE = /\[U\+[0-9A-F]{4,6}\]/g;
const WORD = /[\p{L}\p{M}\p{N}]+(?:[-'’._@+][\p{L}\p{M}\p{N}]+)*/gu;
const RUN = /\S+/g;
/** Scripts without spaces would make a whole sentence one word: of a longer one only the end is typed. */
const WORD_MAX_CHARACTERS = 32;
const END_CHARACTERS = 8;

/** The last run of letters and digits; where there is none, the last run of anything visible; undefined for a blank text. */
export function lastWord(text: string): LastWord | undefined {
  const shown = text.replaceAll(CODE, (code) => ' '.repeat(code.length));
  const match = [...shown.matchAll(WORD)].at(-1) ?? [...shown.matchAll(RUN)].at(-1);
  if (match === undefined) return undefined;
  const to = match.index + match[0].length;
  const characters = [...match[0]];
  const word = characters.length > WORD_MAX_CHARACTERS ? characters.slice(-END_CHARACTERS).join('') : match[0];
  return { word, from: to - word.length, to };
}

/** True when `typed` is the last word of `text`, white space around it and the way accents are composed aside. */
export function isLastWord(text: string, typed: string): boolean {
  const last = lastWord(text);
  return last !== undefined && typed.trim().normalize('NFC') === last.word.normalize('NFC');
}
