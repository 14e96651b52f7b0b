// Lines to a stream whose reader may go away (a closed terminal, a pipe to a program that ended).
// From then on lines go to the other place: a log must never stop a hub, and an error of the log
// must never become a line of the log. A reader that pauses must not cost memory either.
import type { Writable } from 'node:stream';

/**
 * Bytes that wait for a slow reader; further lines go to the other place until all of these were
 * read.
 */
export const WAITING_MAX_BYTES = 1_048_576;

/**
 * Writes lines to a stream until it fails, and to `otherwise` from then on; also while a reader
 * that pauses has WAITING_MAX_BYTES before it. The stream's errors are heard here, so that none is
 * uncaught. A line that was on its way when the reader went is lost.
 */
export function linesTo(
  stream: Writable,
  otherwise: (line: string) => void,
): (line: string) => void {
  let gone = false;
  let full = false;
  stream.on('error', () => {
    gone = true;
  });
  return (line) => {
    full = full
      ? stream.writableNeedDrain
      : stream.writableLength + Buffer.byteLength(line) > WAITING_MAX_BYTES;
    if (gone || full || !stream.writable) otherwise(line);
    else stream.write(line);
  };
}
