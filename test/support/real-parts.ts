// Which real parts this machine has: Chromium, network namespaces, avahi, a Secret Service, the
// programs that speak MCP. A missing one skips its tests with a loud line; where
// AXON_TEST_REQUIRE_ALL is 1 (continuous integration) a missing one fails instead, so that nothing
// is skipped in silence.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasRealClients } from './real-clients.ts';
import { debianPackages, type SystemProgram } from './system-programs.ts';

interface Part {
  readonly programs: readonly SystemProgram[];
  /** What else it takes, and in words. */
  readonly isAble?: () => boolean;
  readonly needs?: string;
}

const REAL_PARTS = {
  // It may stand elsewhere than on the PATH.
  chromium: {
    programs: [],
    isAble: () => existsSync(chromiumPath()),
    needs: 'the package chromium, or CHROMIUM_PATH',
  },
  curl: { programs: ['curl'] },
  python: { programs: ['python3'] },
  namespaces: {
    programs: ['ip'],
    isAble: canMakeNamespaces,
    needs: 'Linux, root and leave to make network namespaces with bridges',
  },
  avahi: { programs: ['avahi-daemon', 'avahi-browse', 'avahi-publish', 'dbus-daemon'] },
  'secret-service': {
    programs: ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool'],
    isAble: isLinux,
    needs: 'Linux',
  },
  'small-disk': {
    programs: ['mount'],
    isAble: canMount,
    needs: 'Linux, root and leave to mount a tmpfs',
  },
  'c-compiler': { programs: ['cc', 'as', 'ld'], isAble: isLinux, needs: 'Linux and libc6-dev' },
  clients: {
    programs: [],
    isAble: hasRealClients,
    needs: 'Linux x64 and "npm ci --ignore-scripts --prefix test/clients"',
  },
  faketime: { programs: ['faketime'] },
  ngtcp2: { programs: ['gtlsclient'] },
  'socket-list': { programs: ['ss'] },
  zsh: { programs: ['zsh'] },
  fish: { programs: ['fish'] },
  terminals: {
    programs: [],
    isAble: () => isLinux() && spawnSync('script', ['--version']).status === 0,
    needs: 'Linux and script, which Debian always has',
  },
  'systemd-analyze': { programs: ['systemd-analyze'] },
  'bare-debian': {
    programs: ['debootstrap'],
    isAble: canMount,
    needs: 'Linux, root and leave to mount',
  },
} as const satisfies Record<string, Part>;

export type RealPart = keyof typeof REAL_PARTS;

export function chromiumPath(): string {
  return process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
}

/**
 * Electron's own program, where it was fetched and has a screen to draw on. null: there is none, and
 * the double takes its place. @throws Error where AXON_TEST_ELECTRON is 1, which wants a real one
 */
export function electronProgram(): string | null {
  const folder = join(import.meta.dirname, '../../node_modules/electron');
  const named = join(folder, 'path.txt');
  const program = existsSync(named) ? join(folder, 'dist', readFileSync(named, 'utf8')) : null;
  const hasScreen = !isLinux() || (process.env['DISPLAY'] ?? '') !== '';
  if (program !== null && existsSync(program) && hasScreen) return program;
  if (process.env['AXON_TEST_ELECTRON'] === '1')
    throw new Error('this run wants a real Electron: "npx --no install-electron", and a screen');
  return null;
}

function onPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

function isLinux(): boolean {
  return process.platform === 'linux';
}

function canMakeNamespaces(): boolean {
  if (!isLinux() || process.getuid?.() !== 0) return false;
  const name = `axon-probe-${process.pid}`;
  const steps = [
    ['netns', 'add', name],
    ['-n', name, 'link', 'add', 'br0', 'type', 'bridge'],
    ['-n', name, 'link', 'add', 'veth0', 'type', 'veth', 'peer', 'name', 'veth1'],
  ];
  const made = steps.every((step) => spawnSync('ip', step).status === 0);
  return spawnSync('ip', ['netns', 'delete', name]).status === 0 && made;
}

function canMount(): boolean {
  return (
    isLinux() &&
    process.getuid?.() === 0 &&
    spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
  );
}

const answers = new Map<RealPart, string | null>();

/** What is missing for the part here, in words; null when it can be used. */
export function missingFor(part: RealPart): string | null {
  const known = answers.get(part);
  if (known !== undefined) return known;
  const { programs, isAble, needs }: Part = REAL_PARTS[part];
  const packages = debianPackages(programs);
  const wants = packages.length === 0 ? [] : [`the packages ${packages.join(', ')}`];
  if (needs !== undefined) wants.push(needs);
  const isHere = programs.every(onPath) && (isAble?.() ?? true);
  const missing = isHere ? null : wants.join('; ');
  answers.set(part, missing);
  return missing;
}

const skipped = new Set<RealPart>();

/**
 * True when the part can be used here. Otherwise says so on standard error and in the run's list of
 * skips, or throws where everything is required. Use as
 * `describe.skipIf(!hasRealPart('chromium'))`.
 */
export function hasRealPart(part: RealPart): boolean {
  const missing = missingFor(part);
  if (missing === null) return true;
  const line = `SKIPPED: tests with the real ${part} need ${missing}`;
  if (process.env['AXON_TEST_REQUIRE_ALL'] === '1')
    throw new Error(`${line}; nothing may be skipped in this run`);
  if (skipped.has(part)) return false;
  skipped.add(part);
  process.stderr.write(`\n${line}\n`);
  const list = process.env['AXON_TEST_SKIPS'];
  if (list !== undefined) appendFileSync(list, `${line}\n`);
  return false;
}
