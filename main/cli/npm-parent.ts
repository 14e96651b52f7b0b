// Ends this process in order when the npm that started it is gone: npm hands a signal to its shell only, and the shell hands it to nobody, so
// that a hub would run on unseen. For what npm started alone: whoever puts a hub into the background by other means wants it to stay.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LOOK_AGAIN_MS = 500;
/** What npm puts between itself and the program; some shells step aside for the program. */
const SHELL = /^(?:.*\/)?-?(?:sh|bash|dash|ash|ksh|zsh|busybox)$/;

/** Sends this process a SIGTERM once npm, or the shell between, has ended. Holds nothing open. */
export function endWithNpm(): void {
  if (process.platform === 'win32') return;
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isThere(npm))) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_AGAIN_MS);
  timer.unref();
}

/** The process above the shell that started this one; undefined when that is no shell, and so npm itself, or when it cannot be known. */
function npmAbove(shell: number): number | undefined {
  try {
    const [above, name] = parentAndName(shell);
    return SHELL.test(name) && Number.isSafeInteger(above) && above > 0 ? above : undefined;
  } catch {
    return undefined;
  }
}

function parentAndName(pid: number): readonly [parent: number, name: string] {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return [Number(/^PPid:\s*([0-9]+)$/m.exec(status)?.[1]), /^Name:\s*(.*)$/m.exec(status)?.[1] ?? ''];
  }
  const [parent = '', ...name] = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  return [Number(parent), name.join(' ')];
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
