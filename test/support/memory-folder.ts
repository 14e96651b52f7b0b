// Where tests keep their data: in memory where this computer has room for it. A test of the system waits for the disk more often
// than for anything else, and none of them is about how fast a disk is.
import { mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * A folder for this run, gone with its process; the system's own for temporary files where memory has no room. Also removes what
 * a run left that was killed. Containers may share this memory but number their processes anew: the name holds whose numbers they
 * are, and what another one's runs made is left alone.
 */
export function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM_BYTES) return tmpdir();
    const numbering = Number(readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')).toString(36);
    const prefix = `axon-${numbering}-`;
    for (const name of readdirSync(MEMORY))
      if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) remove(name);
    const own = `${prefix}${process.pid}`;
    mkdirSync(join(MEMORY, own), { recursive: true, mode: 0o700 });
    process.once('exit', () => remove(own));
    return join(MEMORY, own);
  } catch {
    return tmpdir();
  }
}

function remove(name: string): void {
  rmSync(join(MEMORY, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
