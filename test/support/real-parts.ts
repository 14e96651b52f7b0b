// Which real parts this machine has: Chromium, network namespaces, avahi, a Secret Service, the
// programs that speak MCP. A missing one skips its tests with a loud line; where
// AXON_TEST_REQUIRE_ALL is 1 (continuous integration) a missing one fails instead, so that nothing
// is skipped in silence.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { hasRealClients } from './real-clients.ts';

export const REAL_PARTS = {
  chromium: { needs: 'the package chromium', found: () => existsSync(chromiumPath()) },
  namespaces: {
    needs: 'Linux, root, iproute2 and leave to make network namespaces with bridges',
    found: canMakeNamespaces,
  },
  avahi: {
    needs: 'the packages avahi-daemon, avahi-utils and dbus',
    found: () => ['avahi-daemon', 'avahi-browse', 'avahi-publish', 'dbus-daemon'].every(onPath),
  },
  'secret-service': {
    needs: 'the packages dbus, gnome-keyring and libsecret-tools',
    found: () =>
      process.platform === 'linux' &&
      ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool'].every(onPath),
  },
  'small-disk': { needs: 'root and leave to mount a tmpfs', found: canMount },
  'c-compiler': {
    needs: 'Linux and the packages gcc and libc6-dev',
    found: () => process.platform === 'linux' && onPath('cc'),
  },
  clients: {
    needs: 'Linux x64 and "npm ci --ignore-scripts --prefix test/clients"',
    found: hasRealClients,
  },
  faketime: { needs: 'the package faketime', found: () => onPath('faketime') },
  ngtcp2: { needs: 'the package ngtcp2-client', found: () => onPath('gtlsclient') },
  'socket-list': { needs: 'the package iproute2', found: () => onPath('ss') },
  zsh: { needs: 'the package zsh', found: () => onPath('zsh') },
  fish: { needs: 'the package fish', found: () => onPath('fish') },
  terminals: {
    needs: 'Linux and script, of the package bsdutils',
    found: () => process.platform === 'linux' && spawnSync('script', ['--version']).status === 0,
  },
} as const;

export type RealPart = keyof typeof REAL_PARTS;

export function chromiumPath(): string {
  return process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
}

function onPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

function canMakeNamespaces(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !onPath('ip')) return false;
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
    process.platform === 'linux' &&
    process.getuid?.() === 0 &&
    spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
  );
}

const answers = new Map<RealPart, boolean>();

/**
 * True when the part can be used here. Otherwise says so on standard error and in the run's list of
 * skips, or throws where everything is required. Use as
 * `describe.skipIf(!hasRealPart('chromium'))`.
 */
export function hasRealPart(part: RealPart): boolean {
  const known = answers.get(part);
  if (known !== undefined) return known;
  const found = REAL_PARTS[part].found();
  answers.set(part, found);
  if (found) return true;
  const line = `SKIPPED: tests with the real ${part} need ${REAL_PARTS[part].needs}`;
  if (process.env['AXON_TEST_REQUIRE_ALL'] === '1')
    throw new Error(`${line}; nothing may be skipped in this run`);
  process.stderr.write(`\n${line}\n`);
  const list = process.env['AXON_TEST_SKIPS'];
  if (list !== undefined) appendFileSync(list, `${line}\n`);
  return false;
}
