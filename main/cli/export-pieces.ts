// A text that comes from the hub in pieces, to standard output or into a file of its own. What
// cancels it leaves no file behind.
import type { TextPiece } from '../../preload/contract/results.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { interruptible } from './context.ts';
import type { Terminal } from './terminal.ts';
import { intoNewFile } from './whole-file.ts';

type ReadPiece = (
  at: { readonly cursor?: string },
  signal: AbortSignal | undefined,
) => Promise<TextPiece>;

const { save } = ENGLISH.conversations;

/** @param file absent: standard output. Returns the exit code */
export async function exportPieces(
  terminal: Terminal,
  file: string | undefined,
  read: ReadPiece,
): Promise<number> {
  if (file === undefined) {
    await writePieces(read, (piece) => terminal.raw(piece));
    return 0;
  }
  const work = async (signal: AbortSignal): Promise<number> => {
    await intoNewFile(file, (write) => writePieces(read, write, signal));
    terminal.note(save.saved(file));
    return 0;
  };
  return interruptible(work, () => terminal.note(save.stopped));
}

async function writePieces(
  read: ReadPiece,
  write: (piece: string) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const piece = await read(cursor === undefined ? {} : { cursor }, signal);
    await write(piece.text);
    cursor = piece.next;
  }
}
