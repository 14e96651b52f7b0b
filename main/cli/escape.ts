// Text from elsewhere on its way to a terminal: everything that could move the cursor, change
// colours, reorder or hide letters becomes a visible escape. Line breaks and tabs stay. Must be the
// last thing that touches such text.
import { escapeHiddenInJson, showHidden } from '../lib/hidden-characters.ts';

/** An escape that the hub made already; it is not escaped once more. */
const MADE_ESCAPE = /(\[U\+[0-9A-F]{4,6}\])/;

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
  return escapeHiddenInJson(JSON.stringify(value, null, 2));
}
