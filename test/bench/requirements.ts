// What a row needs of the machine beyond Node, and the sentence that says what is missing: such a
// row is absent, which is no failure.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingFor, type RealPart } from '../support/real-parts.ts';

const BUILT_HUB = join(import.meta.dirname, '..', '..', 'out', 'main', 'headless.js');

/** Each says what is missing, or null. */
const REQUIREMENTS = {
  build: () => (existsSync(BUILT_HUB) ? null : 'it needs the built hub: npm run build'),
  proc: () =>
    existsSync('/proc/self/smaps_rollup')
      ? null
      : `processes are read from /proc, which is of Linux, and this is ${process.platform}`,
  chromium: () => realPart('chromium'),
  namespaces: () => realPart('namespaces'),
  tun: () => (existsSync('/dev/net/tun') ? null : 'it needs the device /dev/net/tun'),
  compiler: () => realPart('c-compiler'),
  taskset: () =>
    canRun('taskset', '--version')
      ? null
      : 'holding processes on one core needs taskset, of the package util-linux',
} as const;

type Requirement = keyof typeof REQUIREMENTS;

/** Why a row that needs all of these cannot be measured here; null when it can. */
export function refusal(...needs: readonly Requirement[]): string | null {
  for (const need of needs) {
    const missing = REQUIREMENTS[need]();
    if (missing !== null) return missing;
  }
  return null;
}

function realPart(part: RealPart): string | null {
  const missing = missingFor(part);
  return missing === null ? null : `it needs ${missing}`;
}

function canRun(program: string, word: string): boolean {
  return spawnSync(program, [word], { stdio: 'ignore' }).status === 0;
}
