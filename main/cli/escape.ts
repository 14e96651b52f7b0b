// Text from elsewhere on its way to a terminal: everything that could move the cursor, change colours, reorder or hide letters becomes a
// visible escape. Line breaks and tabs stay. Must be the last thing that touches such text.
import { showHidden } from '../lib/hidden-characters.ts';

/** An escape that the hub made already; it is not escaped once more. */
const MADE_ESCAPE = /(\[U\+[0-9A-F]{4,6}\])/;
/** What JSON leaves as it is and a terminal must not get. */
const HIDDEN_IN_JSON =
  /(?!\n)[\p{Control}\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Surrogate}]/gu;

export function forTerminal(text: string): string {
  const parts = text.split(MADE_ESCAPE);
  return parts.map((part, index) => (index % 2 === 1 ? part : showHidden(part))).join('');
}

/** One line, whatever it holds: a line break in it is shown, too. */
export function forLine(text: string): string {
  return forTerminal(text).replaceAll('\n', '[U+000A]');
}

/** JSON whose strings hold nothing dangerous either: the same value, written with \uXXXX. */
export function jsonForTerminal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(HIDDEN_IN_JSON, (character) =>
    Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join(''),
  );
}
