// A name that one process of this computer holds at a time: a socket on which it listens and says
// nothing. The system lets go of it at the latest when the process ends, however that is.
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { hashed } from './kept-json.ts';

/**
 * How long a program that a hub keeps running waits for the one before it, which tells what became
 * of its work after that hub was killed.
 */
const PATIENCE_MS = 15_000;
const LOOK_MS = 250;

/** @param name a file in a folder of this user alone. False: another process holds it. */
export async function holdName(name: string): Promise<boolean> {
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${hashed(name)}` : name;
  const patienceMs = process.send === undefined ? 0 : PATIENCE_MS;
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    if (await isHeld(path)) return true;
    if (waitedMs >= patienceMs) return false;
    await wait(LOOK_MS);
  }
}

async function isHeld(path: string): Promise<boolean> {
  const isTaken = async (): Promise<boolean> => (await listening(path)) === 'taken';
  if (!(await isTaken())) return true;
  if (await isAnswered(path)) return false;
  // Whoever held it was killed.
  rmSync(path, { force: true });
  return !(await isTaken());
}

/** odd: the system gives no such name, as where its path is too long; then nobody can hold it. */
function listening(path: string): Promise<Server | 'taken' | 'odd'> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'odd'),
    );
    // It keeps nobody from ending.
    server.listen(path, () => resolve(server)).unref();
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
