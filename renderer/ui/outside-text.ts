// Cuts outside text into pieces for drawing: plain words, visible codes of hidden characters, and
// what is to be pointed out. The text itself is never changed: the pieces put together are the
// text. Pure.

export interface Piece {
  readonly text: string;
  /**
   * code: "[U+202E]", drawn as a box. last: the word to be typed. was, now: what a change took away
   * and brought.
   */
  readonly look: 'plain' | 'code' | 'last' | 'was' | 'now';
}

const CODE = /\[U\+[0-9A-F]{4,6}\]/g;
/**
 * Above this many word pairs a change is shown as one block struck and one block new, so that no
 * text can stall the page.
 */
const COMPARED_PAIRS_MAX = 250_000;

export function piecesOf(text: string, look: Piece['look'] = 'plain'): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), look });
    pieces.push({ text: match[0], look: 'code' });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), look });
  return pieces;
}

/** How many hidden characters the text shows as codes. */
export function countCodes(text: string): number {
  return [...text.matchAll(CODE)].length;
}

/**
 * The text with its last word pointed out. `from` is where that word begins, `to` where it ends.
 */
export function piecesWithLast(text: string, from: number, to: number): readonly Piece[] {
  return [
    ...piecesOf(text.slice(0, from)),
    ...piecesOf(text.slice(from, to), 'last'),
    ...piecesOf(text.slice(to)),
  ];
}

/**
 * What changed between two texts, by words: common words once, the old ones struck, the new ones
 * marked.
 */
export function piecesOfChange(before: string, after: string): readonly Piece[] {
  const old = before.split(/(\s+)/).filter((word) => word !== '');
  const fresh = after.split(/(\s+)/).filter((word) => word !== '');
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  )
    tail++;
  const middle = compare(
    old.slice(head, old.length - tail),
    fresh.slice(head, fresh.length - tail),
  );
  const whole = [
    { text: fresh.slice(0, head).join(''), look: 'plain' as const },
    ...middle,
    { text: fresh.slice(fresh.length - tail).join(''), look: 'plain' as const },
  ];
  return whole
    .filter((piece) => piece.text !== '')
    .flatMap((piece) => piecesOf(piece.text, piece.look));
}

function compare(old: readonly string[], fresh: readonly string[]): readonly Piece[] {
  if (old.length * fresh.length > COMPARED_PAIRS_MAX) {
    return [
      { text: old.join(''), look: 'was' },
      { text: ` ${fresh.join('')}`, look: 'now' },
    ];
  }
  const longest = commonLengths(old, fresh);
  const pieces: { text: string; look: 'plain' | 'was' | 'now' }[] = [];
  const add = (text: string, look: 'plain' | 'was' | 'now') => {
    const last = pieces.at(-1);
    if (last?.look === look) last.text += text;
    else pieces.push({ text, look });
  };
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const was = old[i];
    const now = fresh[j];
    if (was !== undefined && was === now) {
      add(was, 'plain');
      i++;
      j++;
    } else if (
      was !== undefined &&
      (now === undefined || (longest[i + 1]?.[j] ?? 0) >= (longest[i]?.[j + 1] ?? 0))
    ) {
      add(was, 'was');
      i++;
    } else if (now !== undefined) {
      add(now, 'now');
      j++;
    }
  }
  return pieces;
}

/** Length of the longest common run of words from each pair of places to the ends. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const row = rows[i];
      const below = rows[i + 1];
      if (row === undefined || below === undefined) continue;
      row[j] =
        old[i] === fresh[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}
