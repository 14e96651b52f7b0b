// Words of somebody else on a card at a terminal. Every line of them stands behind a margin, also where a line is too long for the window and goes
// on below, so that nothing they wrote begins where this program's own lines begin. Must be given every text that came from outside a card.
import { forTerminal } from './escape.ts';

/** How a line begins: as it was written, and where it goes on. */
const MARGINS = { words: ['  | ', '  : '], name: ['  = ', '  : '] } as const;
/** The hub's own lines go on further in, so that no name in them begins a line. */
const OWN_INDENT = '      ';
/** Of a terminal that does not say its width, or of a pipe whose reader breaks lines. */
const ROOM_USUAL = 80;
/** Narrower than this nothing could be read. */
const ROOM_MIN = 24;
/** A tab leads at most so far. */
const TAB_COLUMNS_MAX = 8;
const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const FULL_WIDTH = /[\uff01-\uff60\uffe0-\uffe6]/u;
/** What takes one column at every terminal; of other letters some take two, here or there. */
const NARROW = /[\p{ASCII}\p{Mark}]|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** Where a card is shown. */
export type Page = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

/** The columns a card may take there. */
export function roomFor({ isTTY, columns }: Page): number {
  return isTTY && columns > 0 ? Math.max(ROOM_MIN, columns) : ROOM_USUAL;
}

/** The words of somebody else, whole and letter by letter. `name`: what they call a thing whose value follows. */
export function slip(text: string, room: number, kind: keyof typeof MARGINS = 'words'): readonly string[] {
  const [first, further] = MARGINS[kind];
  return linesOf(text).flatMap((line) => broken(line, room - first.length).map((piece, index) => (index === 0 ? first : further) + piece));
}

/** A sentence of the hub, in which names of somebody else may stand. */
export function ownLine(text: string, room: number): readonly string[] {
  const line = linesOf(text).join(' ').replaceAll('\t', ' ');
  const [first = '', ...rest] = broken(line, room - OWN_INDENT.length);
  return [first, ...rest.map((piece) => OWN_INDENT + piece.trimStart())];
}

function linesOf(text: string): readonly string[] {
  return forTerminal(text).split('\n');
}

/** In pieces of at most `room` columns, broken at a blank where there is one, without losing a letter. */
function broken(line: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let columns = 0;
  for (const letter of lettersOf(line, room)) {
    const width = columnsAtMost(letter);
    while (columns + width > room && piece !== '') {
      const blank = letter === ' ' ? -1 : piece.lastIndexOf(' ');
      const end = blank > 0 ? blank + 1 : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      columns = columnsAtMost(piece);
    }
    piece += letter;
    columns += width;
  }
  return [...pieces, piece];
}

/** With its marks each, but for one that no window could hold: that is broken wherever it must be. */
function* lettersOf(line: string, room: number): Generator<string> {
  for (const { segment } of LETTERS.segment(line)) {
    if (columnsAtMost(segment) > room) yield* segment;
    else yield segment;
  }
}

/** Never too few: a line that a terminal broke by itself would go on before the margin. */
function columnsAtMost(text: string): number {
  let columns = 0;
  for (const character of text)
    columns += character === '\t' ? TAB_COLUMNS_MAX : NARROW.test(character) && !FULL_WIDTH.test(character) ? 1 : 2;
  return columns;
}
