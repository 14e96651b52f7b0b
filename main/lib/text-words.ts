// The words of a text, for finding it again: without case or punctuation, and without the marks
// that readers of its script can do without. Scripts that put no spaces between words, and Korean,
// whose words grow at their ends, have no words here but units, about a syllable each: whatever
// stands in a run of them is found. Pure.
import { lazily } from './lazily.ts';

export interface TextWord {
  /** Folded: what is compared. */
  readonly word: string;
  /** Where it stands in the text. */
  readonly from: number;
  readonly to: number;
  /** A unit of a run, and not a word between spaces. */
  readonly isUnit: boolean;
  /** It goes on with the run of the unit before. */
  readonly isJoined: boolean;
}

/** What an index is asked for. */
export interface IndexWord {
  /** Folded. */
  readonly word: string;
  /** Longer words that begin like it count as well. */
  readonly isBeginning: boolean;
}

/** Changes with what `indexWords` yields: an index that has another one is made again. */
export const TEXT_WORDS_VERSION = '2';

/** Longer words are compared by their beginning. */
const WORD_MAX_CHARACTERS = 64;
/** So much of a word is looked at: marks and joiners take more room than what is left of them. */
const RAW_WORD_MAX_CHARACTERS = 4 * WORD_MAX_CHARACTERS;

/** With what is used with each of them: the Japanese long vowel, iteration marks. */
const RUN_SCRIPTS = [
  'Han Hira Kana Bopo Hang Yiii Tang Nshu Kits',
  'Thai Laoo Khmr Mymr Tale Talu Lana Tavt Ahom Java Bali',
]
  .flatMap((names) => names.split(' '))
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
/** Joiners, soft hyphens, direction marks, variation selectors: neither part nor end of a word. */
const IGNORED = '\\p{Default_Ignorable_Code_Point}';
/** Apostrophes that count as letters: people type the other ones in their place. */
const APOSTROPHES = 'ʻʼ';
const LETTER = `[a-zA-Z0-9]|(?![${RUN_SCRIPTS}${IGNORED}${APOSTROPHES}])[\\p{L}\\p{N}\\p{Co}]|(?![${IGNORED}])\\p{Nd}`;
/** Korean that is written letter by letter. */
const JAMO = '[\\u1100-\\u115E]+[\\u1161-\\u11A7]+[\\u11A8-\\u11FF]*';
const UNIT = `(?![ -~])(?:${JAMO}|(?![\\p{Nd}${IGNORED}${APOSTROPHES}])(?=[${RUN_SCRIPTS}])[\\p{L}\\p{N}])[\\p{M}${IGNORED}ﾞﾟ]*`;
const wordPattern = lazily(
  () =>
    new RegExp(
      `(?<unit>${UNIT})|(?:${LETTER})+(?:[\\p{M}${IGNORED}]+(?:${LETTER})+)*\\p{M}*`,
      'gu',
    ),
);
/** What stands within a run: the dot between the words of a Japanese name. */
const WITHIN_RUN = new RegExp(`^[・･゠${IGNORED}]*$`, 'u');

export function* textWords(text: string): Generator<TextWord> {
  let endOfUnit: number | undefined;
  for (const { 0: found, index, groups } of text.matchAll(wordPattern())) {
    const isUnit = groups?.['unit'] !== undefined;
    const isJoined =
      isUnit && endOfUnit !== undefined && WITHIN_RUN.test(text.slice(endOfUnit, index));
    const to = index + found.length;
    endOfUnit = isUnit ? to : undefined;
    const word = folded(found);
    if (word !== '') yield { word, from: index, to, isUnit, isJoined };
  }
}

/** What an index holds of a text: each word and each unit, and each pair of units of one run. */
export function indexWords(text: string): ReadonlySet<string> {
  const held = new Set<string>();
  let before = '';
  for (const { word, isJoined } of textWords(text)) {
    held.add(word);
    if (isJoined) held.add(before + word);
    before = word;
  }
  return held;
}

/** What to ask an index for, to find a text with these words beside each other. */
export function indexWordsOf(
  words: readonly (Pick<TextWord, 'word' | 'isJoined'> & IndexWord)[],
): readonly IndexWord[] {
  return words.flatMap(({ word, isJoined, isBeginning }, at): readonly IndexWord[] => {
    if (isJoined) return [{ word: `${words[at - 1]?.word ?? ''}${word}`, isBeginning }];
    // It stands in the pair with the next one.
    return words[at + 1]?.isJoined === true ? [] : [{ word, isBeginning }];
  });
}

const ALL_IGNORED = new RegExp(IGNORED, 'gu');
const MARKED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
/** Hebrew points, and Arabic vowel signs and long strokes, which most texts leave out. */
const POINTS =
  /[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u0652\u0656-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08D3-\u08E1\u08E3-\u08FF]|\u0640/gu;
const ON_ALEF = /(?<=\u0627)[\u0653-\u0655]/gu;
/** Letters that people type in more than one way, and that no decomposition makes one. */
const ALIKE: Readonly<Record<string, string>> = {
  ς: 'σ',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  // Persian and Urdu, as Arabic keyboards write it.
  '\u06CC': '\u064A',
  '\u06A9': '\u0643',
  '\u0671': '\u0627',
  // Bengali and Malayalam: a letter without its vowel, as one character.
  '\u09CE': '\u09A4\u09CD',
  '\u0D7A': '\u0D23\u0D4D',
  '\u0D7B': '\u0D28\u0D4D',
  '\u0D7C': '\u0D30\u0D4D',
  '\u0D7D': '\u0D32\u0D4D',
  '\u0D7E': '\u0D33\u0D4D',
  '\u0D7F': '\u0D15\u0D4D',
};
const ANY_ALIKE = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'gu');
const DIGIT = /\p{Nd}/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;

const PLAIN = /^[a-zA-Z0-9]{1,64}$/;
/** Texts say the same words again and again: so many short ones are remembered. */
const REMEMBERED_MAX = 4_096;
const REMEMBERED_MAX_CHARACTERS = 16;
const remembered = new Map<string, string>();

function folded(word: string): string {
  if (PLAIN.test(word)) return word.toLowerCase();
  if (word.length > REMEMBERED_MAX_CHARACTERS) return foldedAnew(word);
  const before = remembered.get(word);
  if (before !== undefined) return before;
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  const now = foldedAnew(word);
  remembered.set(word, now);
  return now;
}

function foldedAnew(word: string): string {
  const raw = word.replace(ALL_IGNORED, '').slice(0, RAW_WORD_MAX_CHARACTERS).toWellFormed();
  return (
    raw
      .normalize('NFKD')
      .replace(MARKED, '$1')
      .replace(POINTS, '')
      .replace(ON_ALEF, '')
      // To small letters, by way of capitals: some small letters share one, or are two of them.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replace(ANY_ALIKE, (letter) => ALIKE[letter] ?? letter)
      .replace(OTHER_DIGITS, plainDigit)
      .normalize('NFKC')
      .replace(/[^\p{L}\p{M}\p{N}\p{Co}]+/gu, '')
      .slice(0, WORD_MAX_CHARACTERS)
      .toWellFormed()
      .replace(/\uFFFD/gu, '')
  );
}

/** The digits of a script stand together, from 0 to 9. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
