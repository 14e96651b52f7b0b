// Words of somebody else at a terminal: escaped, and every line of them behind a margin, so that
// nothing they wrote begins where this program's own lines begin. Counts at most two columns for a
// character, and needs no table of widths. All text from outside passes here, but for names inside
// a line of the hub.
import { lazily } from '../lib/lazily.ts';
import { forLine, forTerminal } from './escape.ts';

const MARGINS = { words: '  | ', name: '  = ' } as const;
/** Where a line goes on that is longer than the terminal. */
const FURTHER = '  : ';
/** The hub's own lines go on further in, so that no name in them begins a line. */
const OWN_INDENT = '      ';
/** Columns of a terminal that does not say its width, or of a pipe whose reader breaks lines. */
const ROOM_USUAL = 80;
/** Narrower than this nothing could be read. */
const ROOM_MIN = 24;
const TAB_COLUMNS_MAX = 8;
/** What a break tears from the place where it is ordinary is written out, as "[U+E0100]". */
const TORN_COLUMNS = 9;
const TEARABLE = /[\p{Default_Ignorable_Code_Point}\u2009\u3000]/u;
const letters = lazily(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/**
 * The words of somebody else, whole and letter by letter. `name`: what they call a thing whose
 * value follows.
 */
export function quoted(text: string, kind: keyof typeof MARGINS = 'words'): readonly string[] {
  const room = roomHere() - FURTHER.length;
  const lines = forTerminal(text).split('\n');
  return lines.flatMap((line) =>
    broken(line, room).map((piece, at) => (at === 0 ? MARGINS[kind] : FURTHER) + piece),
  );
}

/** A sentence of the hub, in which names of somebody else may stand. */
export function ownLine(text: string): readonly string[] {
  const [first = '', ...rest] = broken(
    forLine(text).replaceAll('\t', ' '),
    roomHere() - OWN_INDENT.length,
  );
  return [first, ...rest.map((piece) => OWN_INDENT + piece.trimStart())];
}

/**
 * In pieces of at most `room` columns, broken at a blank where there is one, without losing a
 * letter.
 */
function broken(line: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const letter of lettersOf(line, room)) {
    while (piece !== '' && columnsAtMost(piece + letter) > room) {
      const end = (letter === ' ' ? 0 : piece.lastIndexOf(' ') + 1) || piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
    }
    piece += letter;
  }
  return [...pieces, piece];
}

/** Each with its marks, but for one that no line could hold. */
function* lettersOf(line: string, room: number): Generator<string> {
  for (const { segment } of letters().segment(line)) {
    if (columnsAtMost(segment) > room) yield* segment;
    else yield segment;
  }
}

/** Never too few: a line that a terminal broke by itself would go on before the margin. */
function columnsAtMost(text: string): number {
  let columns = 0;
  for (const character of text) {
    columns +=
      character === '\t'
        ? TAB_COLUMNS_MAX
        : TEARABLE.test(character)
          ? TORN_COLUMNS
          : character <= '~'
            ? 1
            : 2;
  }
  return columns;
}

function roomHere(): number {
  return Math.max(ROOM_MIN, process.stdout.columns || process.stderr.columns || ROOM_USUAL);
}
