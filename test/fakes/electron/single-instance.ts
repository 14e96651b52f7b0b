// The single-instance lock of the double: a Unix socket whose holder hears the arguments of every
// later start. The path comes from the test; without one each start is the only one.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const SECOND_START = `
const socket = require('node:net').connect(process.argv[1]);
socket.on('error', () => process.exit(1));
socket.end(process.argv[2], () => process.exit(0));
`;

/**
 * True when this process holds the lock; otherwise the holder was told of `argv`. Synchronous, as
 * Electron's is.
 */
export function claimInstance(
  argv: readonly string[],
  onSecond: (argv: readonly unknown[]) => void,
): boolean {
  const path = process.env['ELECTRON_DOUBLE_LOCK'];
  if (path === undefined) return true;
  if (existsSync(path)) {
    const told = spawnSync(process.execPath, ['-e', SECOND_START, path, JSON.stringify(argv)]);
    if (told.status === 0) return false;
    rmSync(path, { force: true });
  }
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('end', () => {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) onSecond(parsed);
    });
  });
  server.listen(path);
  server.unref();
  return true;
}
