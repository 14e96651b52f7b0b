// What a program and everything it started listen on, as `ss` tells it. Needs the real part
// `socket-list`.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

export interface Listening {
  readonly protocol: 'tcp' | 'udp';
  readonly address: string;
  readonly port: number;
}

/** This process and its descendants, on Linux. */
export function familyOf(pid: number): ReadonlySet<number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name in brackets may hold anything; the parent stands second after it.
      const [, parent] =
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // It ended meanwhile.
    }
  }
  const family = new Set([pid]);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const [child, parent] of parents) if (family.has(parent)) family.add(child);
  }
  return family;
}

/** The lines of `ss` about this process and its descendants, in columns. */
function linesOf(pid: number, flags: string): readonly (readonly string[])[] {
  const family = familyOf(pid);
  const { stdout, status } = spawnSync('ss', [flags], { encoding: 'utf8' });
  if (status !== 0) throw new Error('ss did not answer');
  const lines = stdout.split('\n').filter((line) => {
    const owners = [...line.matchAll(/pid=(\d+)/g)].map((match) => Number(match[1]));
    return owners.some((owner) => family.has(owner));
  });
  return lines.map((line) => line.split(/\s+/));
}

/** The paths of the Unix sockets; one without a path begins with "@". */
export function unixSocketsOf(pid: number): readonly string[] {
  return linesOf(pid, '-lxpH').map(([, , , , path = '']) => path);
}

export function listeningOf(pid: number): readonly Listening[] {
  return linesOf(pid, '-lntupH').flatMap(([protocol, , , , local = '']) => {
    if (protocol !== 'tcp' && protocol !== 'udp') return [];
    const colon = local.lastIndexOf(':');
    return [{ protocol, address: local.slice(0, colon), port: Number(local.slice(colon + 1)) }];
  });
}
