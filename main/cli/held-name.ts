// An agent that one process of this computer runs at a time: it listens on a socket, and says
// nothing. The system lets go of it at the latest when the process ends, however that is.
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashed, privateFolder } from './kept-json.ts';
import { refusal } from './refusal.ts';

/**
 * How long a program that a hub keeps running waits for the one before it, which tells what became
 * of its work after that hub was killed.
 */
const PATIENCE_MS = 15_000;
const LOOK_MS = 250;

/**
 * Until this process ends no other one runs this agent. A path of a socket may be as long as 103
 * bytes, so its name is short. @throws AppError conflict, bad_configuration
 */
export async function holdAgent(home: string, agent: string): Promise<void> {
  const name = join(privateFolder(home, 'runners'), `${hashed(agent).slice(0, 16)}.sock`);
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${hashed(name)}` : name;
  const patienceMs = process.send === undefined ? 0 : PATIENCE_MS;
  for (let waitedMs = 0; !(await isHeld(path)); waitedMs += LOOK_MS) {
    if (waitedMs >= patienceMs)
      throw refusal('conflict', 'Another program runs this agent already. End that one first.');
    await wait(LOOK_MS);
  }
}

/** False: another process holds it. @throws AppError bad_configuration */
async function isHeld(path: string): Promise<boolean> {
  if (await listensAt(path)) return true;
  if (await isAnswered(path)) return false;
  // Whoever held it was killed.
  rmSync(path, { force: true });
  return listensAt(path);
}

/** False: the name is taken. @throws AppError bad_configuration: nobody can hold it */
function listensAt(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else
        reject(
          refusal(
            'bad_configuration',
            `No socket can be made at "${path}"; its path may be too long. Without it two programs could run this agent at once.`,
            'Use a data folder with a shorter path: --home FOLDER, or AXON_HOME.',
            error,
          ),
        );
    });
    // It keeps nobody from ending.
    server.listen(path, () => resolve(true)).unref();
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
