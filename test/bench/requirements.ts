// What a row needs of the machine beyond Node, and the sentence that says what is missing: such a
// row is absent, which is no failure.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REAL_PARTS } from '../support/real-parts.ts';

const BUILT_HUB = join(import.meta.dirname, '..', '..', 'out', 'main', 'headless.js');

const REQUIREMENTS = {
  build: { missing: 'it needs the built hub: npm run build', found: () => existsSync(BUILT_HUB) },
  proc: {
    missing: `processes are read from /proc, which is of Linux, and this is ${process.platform}`,
    found: () => existsSync('/proc/self/smaps_rollup'),
  },
  chromium: { missing: `it needs ${REAL_PARTS.chromium.needs}`, found: REAL_PARTS.chromium.found },
  namespaces: {
    missing: `it needs ${REAL_PARTS.namespaces.needs}`,
    found: REAL_PARTS.namespaces.found,
  },
  tun: { missing: 'it needs the device /dev/net/tun', found: () => existsSync('/dev/net/tun') },
  compiler: {
    missing: 'it needs a C compiler (cc) for the link emulator',
    found: () => canRun('cc', '--version'),
  },
  taskset: {
    missing: 'holding processes on one core needs taskset, of the package util-linux',
    found: () => canRun('taskset', '--version'),
  },
} as const;

type Requirement = keyof typeof REQUIREMENTS;

/** Why a row that needs all of these cannot be measured here; null when it can. */
export function refusal(...needs: readonly Requirement[]): string | null {
  const missing = needs
    .map((need) => REQUIREMENTS[need])
    .find((requirement) => !requirement.found());
  return missing?.missing ?? null;
}

function canRun(program: string, word: string): boolean {
  return spawnSync(program, [word], { stdio: 'ignore' }).status === 0;
}
