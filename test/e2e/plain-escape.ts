// What becomes of a text from outside, written a second time and plainly: character by character
// from a list of numbers, emoji by whole signs. Slow and obvious on purpose, and apart from the
// hub's own: it must never import what it checks.

/**
 * Characters that nobody sees, or that move the others: shown as their number. Tabs and line feeds
 * stay.
 */
const HIDDEN: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202e],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0x10ffff],
];
/**
 * More marks than this on one letter are shown as their numbers: those that take no room beside it,
 * and those of any kind.
 */
const PILED_MAX = 5;
const MARKS_MAX = 9;
const LAST_TWO_OF_A_PLANE = 0xfffe;
const JOINERS = ['\u200c', '\u200d'];

const signs = new Intl.Segmenter('und', { granularity: 'grapheme' });
const EMOJI = new RegExp('^\\p{RGI_Emoji}$', 'v');
const DEVANAGARI = /^[\p{Script=Devanagari}]$/u;
const MARK = /^\p{Mark}$/u;
const SPACING_MARK = /^\p{Spacing_Mark}$/u;
const LOOKS_LIKE_A_CODE = /^\[[Uu]\+[0-9A-Fa-f]{1,8}\]/;

/** The text as a person reads it and an agent gets it. */
export function plainlyEscaped(text: string): string {
  let shown = '';
  let marks = 0;
  let piled = 0;
  for (const { segment, index } of signs.segment(text)) {
    if (EMOJI.test(segment)) {
      shown += segment;
      marks = piled = 0;
      continue;
    }
    let at = index;
    let before = '';
    for (const character of segment) {
      const takesRoom = SPACING_MARK.test(character);
      marks = MARK.test(character) ? marks + 1 : 0;
      piled = marks === 0 ? 0 : piled + (takesRoom ? 0 : 1);
      const isPiled = marks > MARKS_MAX || (piled > PILED_MAX && !takesRoom);
      const joins = JOINERS.includes(character) && DEVANAGARI.test(before);
      const poses = character === '[' && LOOKS_LIKE_A_CODE.test(text.slice(at));
      shown += poses || isPiled || (isHidden(character) && !joins) ? codeOf(character) : character;
      at += character.length;
      before = character;
    }
  }
  return shown;
}

function isHidden(character: string): boolean {
  const number = numberOf(character);
  return (
    (number & LAST_TWO_OF_A_PLANE) === LAST_TWO_OF_A_PLANE ||
    HIDDEN.some(([first, last]) => number >= first && number <= last)
  );
}

function codeOf(character: string): string {
  return `[U+${numberOf(character).toString(16).toUpperCase().padStart(4, '0')}]`;
}

function numberOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
