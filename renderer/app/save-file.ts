// A file that this page made, for the person who asked for it.
import type { TextPiece } from '../../preload/contract/results.ts';

/** How long the browser may take to fetch what it saves. */
const FETCH_MAX_MS = 60_000;

/**
 * Reads a text piece by piece. Returns its pieces, or null where one could not be read.
 * @param read gives the piece at a cursor; undefined where it failed or nobody wants it any more
 */
export async function readPieces(
  read: (at: { readonly cursor?: string }) => Promise<TextPiece | undefined>,
): Promise<readonly string[] | null> {
  const parts: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const piece = await read(cursor === undefined ? {} : { cursor });
    if (piece === undefined) return null;
    parts.push(piece.text);
    cursor = piece.next;
  }
  return parts;
}

/** The browser or the window asks where it goes. Nothing is sent anywhere. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const href = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), FETCH_MAX_MS);
}
