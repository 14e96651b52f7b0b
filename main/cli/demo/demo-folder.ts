// The folder of one demo household among the system's temporary files. Its name says which process it belongs to, so that the next demo
// can clear away what a killed one left. Must never touch a folder whose process may live, nor one that this user did not make.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const PREFIX = 'axon-demo-';
/** The process id, what tells it from another process of that number, and six letters of the system's choice. */
const NAME = /^axon-demo-([1-9][0-9]{0,9})-([0-9]*)-([0-9]*)-[A-Za-z0-9]{6}$/;

/** Makes the folder of this process, private to this user. Throws what the system says when there is no room for it. */
export function makeDemoFolder(temporary: string = tmpdir()): string {
  const { space, began } = markOf(process.pid);
  return mkdtempSync(join(temporary, `${PREFIX}${process.pid}-${space}-${began}-`));
}

export function removeDemoFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Takes the home of one hub away, and the demo's folder with it when this was the last one in there. Leaves a home of no demo alone. */
export function removeHomeOfDemo(home: string): void {
  if (!NAME.test(basename(dirname(home)))) return;
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  try {
    rmdirSync(dirname(home));
  } catch {
    // Another hub is still in there, or has just done the same.
  }
}

/** Removes what demos left whose process is gone. What cannot be removed stays for the next one: it stops no demo. */
export function clearLeftDemos(temporary: string = tmpdir()): void {
  for (const name of readdirSync(temporary)) {
    try {
      if (isLeft(join(temporary, name), name)) removeDemoFolder(join(temporary, name));
    } catch {
      // Of another user, or gone by now.
    }
  }
}

function isLeft(folder: string, name: string): boolean {
  const [, pid, space, began] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  // Process ids of another container mean nothing here.
  if (space !== markOf(process.pid).space || lives(Number(pid), began)) return false;
  return readdirSync(folder).every((home) => !hasHub(join(folder, home)));
}

/** A hub outlives the demo that started it by the moment of its orderly stop. */
function hasHub(home: string): boolean {
  try {
    const holder: unknown = JSON.parse(readFileSync(join(home, 'hub.lock'), 'utf8'));
    if (typeof holder !== 'object' || holder === null || !('pid' in holder) || typeof holder.pid !== 'number') return false;
    return lives(holder.pid, 'started' in holder && typeof holder.started === 'string' ? holder.started : '');
  } catch {
    return false;
  }
}

function lives(pid: number, began: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = markOf(pid).began;
  return began === undefined || began === '' || now === '' || now === began;
}

/** Where the system says it (Linux): the space in which the process id counts, and when the process began. */
function markOf(pid: number): { readonly space: string; readonly began: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, space = ''] = /\[([0-9]+)\]/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    // Field 22, counted after the program's name, which may hold spaces and brackets.
    return { space, began: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '' };
  } catch {
    return { space: '', began: '' };
  }
}
