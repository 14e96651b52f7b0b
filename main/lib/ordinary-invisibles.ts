// Invisible characters in the places where people write them: joiners, selectors and word spaces
// that languages and emoji are spelt with. In such a place a character is part of what is drawn;
// anywhere else it hides something. One at a place, so that nothing can be written in them.
import { lazily } from './lazily.ts';

/** Letters that join the next one (Joining_Type D of Unicode), in the scripts of today. */
const JOINS_BOTH =
  '\\u0620\\u0626\\u0628\\u062a-\\u062e\\u0633-\\u063f\\u0641-\\u0647\\u0649\\u064a\\u066e' +
  '\\u066f\\u0678-\\u0687\\u069a-\\u06bf\\u06c1\\u06c2\\u06cc\\u06ce\\u06d0\\u06d1' +
  '\\u06fa-\\u06fc\\u06ff\\u0712-\\u0714\\u071a-\\u071d\\u071f-\\u0727\\u0729\\u072b\\u072d' +
  '\\u072e\\u074e-\\u0758\\u075c-\\u076a\\u076d-\\u0770\\u0772\\u0775-\\u0777' +
  '\\u077a-\\u077f\\u07ca-\\u07ea\\u0841-\\u0845\\u0848\\u084a-\\u0853\\u0855\\u0860' +
  '\\u0862-\\u0865\\u0868\\u0886\\u0889-\\u088d\\u08a0-\\u08a9\\u08af\\u08b0\\u08b3-\\u08b8' +
  '\\u08ba-\\u08c8\\u1807\\u1820-\\u1878\\u1887-\\u18a8\\u18aa\\u{10d01}-\\u{10d21}' +
  '\\u{10d23}\\u{1e900}-\\u{1e943}';
/** Letters that join only the one before them (Joining_Type R). */
const JOINS_BEFORE =
  '\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677' +
  '\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef' +
  '\\u0710\\u0715-\\u0719\\u071e\\u0728\\u072a\\u072c\\u072f\\u074d\\u0759-\\u075b\\u076b' +
  '\\u076c\\u0771\\u0773\\u0774\\u0778\\u0779\\u0840\\u0846\\u0847\\u0849\\u0854' +
  '\\u0856-\\u0858\\u0867\\u0869\\u086a\\u0870-\\u0882\\u088e\\u08aa-\\u08ac\\u08ae\\u08b1' +
  '\\u08b2\\u08b9\\u{10d22}';
/** Signs that silence a vowel (Canonical_Combining_Class 9). */
const VIRAMA =
  '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca' +
  '\\u0e3a\\u0eba\\u0f84\\u1039\\u103a\\u1714\\u1715\\u1734\\u17d2\\u1a60\\u1b44\\u1baa' +
  '\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua82c\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed\\u{10a3f}' +
  '\\u{11046}\\u{11070}\\u{1107f}\\u{110b9}\\u{11133}\\u{11134}\\u{111c0}\\u{11235}' +
  '\\u{112ea}\\u{1134d}\\u{11442}\\u{114c2}\\u{115bf}\\u{1163f}\\u{116b6}\\u{1172b}' +
  '\\u{11839}\\u{1193d}\\u{1193e}\\u{119e0}\\u{11a34}\\u{11a47}\\u{11a99}\\u{11c3f}' +
  '\\u{11d44}\\u{11d45}\\u{11d97}';
const VISIBLE = '(?!\\p{Default_Ignorable_Code_Point})';
/** An empty Braille cell, and a notehead that is not drawn. */
const BLANK_SYMBOLS = '\\u2800\\u{1d159}';
/** Scripts whose spelling needs joiners after a consonant or vowel sign. */
const INDIC =
  '\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}' +
  '\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}';
/** Letters, digits and punctuation of Chinese, Japanese and Korean, without the fillers. */
const EAST_ASIAN =
  VISIBLE +
  '[\\p{Script_Extensions=Han}\\p{Script_Extensions=Hiragana}\\p{Script_Extensions=Katakana}' +
  '\\p{Script_Extensions=Hangul}\\p{Script_Extensions=Bopomofo}\\uff01-\\uff60\\uffe0-\\uffe6]';
const HAN_SELECTOR = '[\\ufe00-\\ufe02\\u{e0100}-\\u{e010f}]';
const ANY_HAN_SELECTOR = '[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]';
/** Up to three marks on a letter, none of them invisible. */
const MARKS = `(?:${VISIBLE}\\p{Nonspacing_Mark}){0,3}`;
const HEBREW_POINT = '[\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7]';
const EMOJI = '(?:\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier})';
/** Scripts without spaces, in which U+200B says where a word ends. */
const WORDS_UNSPACED = ['Khmer', 'Lao', 'Myanmar', 'Thai'];

/** The tags of the three flags that Unicode recommends: England, Scotland and Wales. */
export const FLAG_TAGS =
  '\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}';
const FLAG = '\\u{1f3f4}';

/** [what stands there, what must stand before it, what must come after it] */
const PLACES: readonly (readonly [invisible: string, before: string, after: string])[] = [
  // The look of an emoji, and keycaps.
  ['[\\ufe0e\\ufe0f]', '\\p{Extended_Pictographic}', ''],
  ['[\\ufe0e\\ufe0f]', '[0-9#*]', '(?=\\u20e3)'],
  ['\\u200d', EMOJI, '(?=\\p{Extended_Pictographic})'],
  [FLAG_TAGS, FLAG, ''],
  // RFC 5892 A.1 and A.2: after a virama; but not so that marks go on piling up behind it.
  ['[\\u200c\\u200d]', `${VISIBLE}[\\p{Letter}\\p{Mark}][${VIRAMA}]`, '(?!\\p{Mark})'],
  // Bengali and Kannada "ry", and the touching letters of Sinhala.
  ['[\\u200c\\u200d]', `(?=\\p{Letter})[${INDIC}]`, `(?=[${VIRAMA}])`],
  // RFC 5892 A.1: a non-joiner where two letters would join; Persian, Kurdish, Urdu.
  ['\\u200c', `[${JOINS_BOTH}]${MARKS}`, `(?=${MARKS}[${JOINS_BOTH}${JOINS_BEFORE}])`],
  // The Persian abbreviation of the Hijri year: a heh that is drawn as if a letter came.
  ['\\u200d', '\\u0647', '(?![\\p{Letter}\\p{Mark}\\p{Default_Ignorable_Code_Point}])'],
  ...WORDS_UNSPACED.map(
    (script) =>
      [
        '\\u200b',
        `${VISIBLE}\\p{Script=${script}}`,
        `(?=(?!\\p{Mark})${VISIBLE}\\p{Script=${script}})`,
      ] as const,
  ),
  // Khmer: keeps a register shifter above its letter.
  ['\\u200c', '(?=\\p{Letter})\\p{Script=Khmer}', '(?=[\\u17c9\\u17ca])'],
  // Mongolian: the form of a letter, and the gap before a last vowel.
  ['[\\u180b-\\u180d\\u180f]', '[\\u1820-\\u18aa]', ''],
  ['\\u180e', '[\\u1820-\\u18aa][\\u180b-\\u180d\\u180f]?', '(?=[\\u1820\\u1821])'],
  // Hebrew: keeps two points in their order, as in the Bible's spelling of Jerusalem.
  ['\\u034f', HEBREW_POINT, `(?=${HEBREW_POINT})`],
  // The shape of an ideograph, as Japanese names need it; never of two in a row, and only the
  // first sixteen, which leaves little to write a message with.
  [HAN_SELECTOR, `(?<!${ANY_HAN_SELECTOR})\\p{Unified_Ideograph}`, ''],
  // Thin spaces within figures, and between a figure and its unit.
  [
    '\\u2009',
    '\\p{Decimal_Number}',
    `(?=${VISIBLE}(?![${BLANK_SYMBOLS}])[\\p{Decimal_Number}\\p{Letter}\\p{Symbol}%])`,
  ],
];

// What stands there comes first and is looked back upon: so a place is found by its first
// character.
const atHome = lazily(() => {
  const places = PLACES.map(
    ([invisible, before, after]) => `${invisible}(?<=${before}${invisible})${after}`,
  );
  return new RegExp(places.join('|'), 'uy');
});

const IDEOGRAPHIC_SPACE = '\u3000';
const eastAsianHere = lazily(() => new RegExp(EAST_ASIAN, 'uy'));

/** True when what stands at `offset` belongs to what is drawn there. */
export function isAtHome(run: string, text: string, offset: number): boolean {
  if (run.startsWith(IDEOGRAPHIC_SPACE))
    return (
      isEastAsianAt(text, startBefore(text, offset)) || isEastAsianAt(text, offset + run.length)
    );
  const pattern = atHome();
  pattern.lastIndex = offset;
  return pattern.test(text) && pattern.lastIndex === offset + run.length;
}

function isEastAsianAt(text: string, offset: number): boolean {
  const pattern = eastAsianHere();
  pattern.lastIndex = offset;
  return pattern.test(text);
}

/** Where the character before `offset` begins; the end of the text where there is none. */
function startBefore(text: string, offset: number): number {
  if (offset === 0) return text.length;
  return (text.codePointAt(offset - 2) ?? 0) > 0xffff ? offset - 2 : offset - 1;
}

const JOINER = /^[\u200c\u200d]$/u;
const EMOJI_SELECTOR = /^[\ufe0e\ufe0f]$/u;
const ENDS_IN_EMOJI = /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u;
const ENDS_IN_PICTOGRAPH = /\p{Extended_Pictographic}$/u;
const ENDS_IN_KEYCAP_BASE = /[0-9#*]$/u;
const KEYCAP = '\u20e3';
const STARTS_WITH_PICTOGRAPH = /^\p{Extended_Pictographic}/u;
const endsInIndic = lazily(() => new RegExp(`(?=[\\p{Letter}\\p{Mark}])[${INDIC}]$`, 'u'));
/**
 * The longest text before a character that decides whether it may stay, in UTF-16 units: a
 * pictograph and its selector.
 */
const CONTEXT_UNITS = 3;

/**
 * Joiners inside an emoji or an Indic word, and the selector after an emoji: all that version 1
 * knew. It never changes.
 */
export function isAtHomeAsOfVersion1(character: string, text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - CONTEXT_UNITS), offset);
  const after = text.slice(offset + 1, offset + 3);
  if (EMOJI_SELECTOR.test(character)) {
    return (
      ENDS_IN_PICTOGRAPH.test(before) ||
      (ENDS_IN_KEYCAP_BASE.test(before) && after.startsWith(KEYCAP))
    );
  }
  if (!JOINER.test(character)) return false;
  if (endsInIndic().test(before)) return true;
  return character === '\u200d' && ENDS_IN_EMOJI.test(before) && STARTS_WITH_PICTOGRAPH.test(after);
}
