// Text from elsewhere on its way to a terminal: everything that could move the cursor, change colours, reorder or hide letters becomes a
// visible escape. Line breaks and tabs stay. Must be the last thing that touches such text.

/** C0 without \n and \t, DEL, C1, bidi controls, invisible fillers, separators, byte order mark, interlinear marks, tags, variation supplement. */
const DANGEROUS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\uffff]|[\ud800-\udfff]|[\u{e0000}-\u{e01ef}]/gu;

export function forTerminal(text: string): string {
  return text.replace(DANGEROUS, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One line, for a cell of a table. */
export function forCell(text: string): string {
  return forTerminal(text).replaceAll('\n', ' ').replaceAll('\t', ' ');
}

/** JSON whose strings hold nothing dangerous either: the same value, written with \uXXXX. */
export function jsonForTerminal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(DANGEROUS, (character) =>
    [...Array(character.length).keys()].map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join(''),
  );
}
