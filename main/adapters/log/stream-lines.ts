// Lines to a stream whose reader may go away (a closed terminal, a pipe to a program that ended). From then on lines go to the other place:
// a log must never stop a hub, and an error of the log must never become a line of the log.
import type { Writable } from 'node:stream';

/**
 * Writes lines to a stream until it fails, and to `otherwise` from then on. The stream's errors are heard here, so that none is uncaught.
 * A line that was on its way when the reader went is lost.
 */
export function linesTo(stream: Writable, otherwise: (line: string) => void): (line: string) => void {
  let gone = false;
  stream.on('error', () => {
    gone = true;
  });
  return (line) => {
    if (gone || !stream.writable) otherwise(line);
    else stream.write(line);
  };
}
