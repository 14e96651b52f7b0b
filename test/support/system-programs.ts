// What tests start or load that npm does not bring: one list. `.ci/run` installs from it, tests skip
// by it (real-parts.ts), contributing.md shows it, and the PATH of continuous integration holds
// beside it only Node, npm and Debian's essential packages (narrow-path.ts). Run as a program it prints the Debian packages, one a line.

const NEEDED = false;
/** Tests that want it skip without it. */
const OPTIONAL = true;

/**
 * The program as tests start it (null for fonts, headers and libraries), the Debian package that
 * has it, what it is used for, and whether the tests can do without. Node and npm are not in it:
 * they come first of all. Nor are Debian's essential packages, which are everywhere.
 */
export const SYSTEM_PROGRAMS = [
  ['git', 'git', 'fresh clones, lists of files', NEEDED],
  ['chromium', 'chromium', 'pages, and the windows of the desktop app', OPTIONAL],
  [null, 'fonts-noto-core', 'pages in other scripts', OPTIONAL],
  ['curl', 'curl', 'the lines and examples that people copy', OPTIONAL],
  ['python3', 'python3', 'the examples in Python', OPTIONAL],
  ['ip', 'iproute2', 'networks of several computers', OPTIONAL],
  ['ss', 'iproute2', 'which ports are open', OPTIONAL],
  ['avahi-daemon', 'avahi-daemon', 'hubs beside Avahi', OPTIONAL],
  ['avahi-browse', 'avahi-utils', 'hubs beside Avahi', OPTIONAL],
  ['avahi-publish', 'avahi-utils', 'hubs beside Avahi', OPTIONAL],
  ['dbus-daemon', 'dbus', 'hubs beside Avahi', OPTIONAL],
  ['dbus-run-session', 'dbus', 'a real keychain', OPTIONAL],
  ['dbus-send', 'dbus', 'a real keychain', OPTIONAL],
  ['gnome-keyring-daemon', 'gnome-keyring', 'a real keychain', OPTIONAL],
  ['secret-tool', 'libsecret-tools', 'a real keychain', OPTIONAL],
  [null, 'libsecret-1-0', 'a real keychain', OPTIONAL],
  ['mount', 'mount', 'full and read-only disks', OPTIONAL],
  ['faketime', 'faketime', 'a clock that was moved', OPTIONAL],
  ['gtlsclient', 'ngtcp2-client', 'another implementation of QUIC', OPTIONAL],
  ['cc', 'gcc', 'disks and processes that fail', OPTIONAL],
  ['as', 'binutils', 'disks and processes that fail', OPTIONAL],
  ['ld', 'binutils', 'disks and processes that fail', OPTIONAL],
  [null, 'libc6-dev', 'disks and processes that fail', OPTIONAL],
  ['zsh', 'zsh', 'completion', OPTIONAL],
  ['fish', 'fish', 'completion', OPTIONAL],
  ['systemd-analyze', 'systemd', 'the unit of an installed hub', OPTIONAL],
  ['debootstrap', 'debootstrap', 'the long run on a bare Debian', OPTIONAL],
] as const;

export type SystemProgram = NonNullable<(typeof SYSTEM_PROGRAMS)[number][0]>;

export function debianPackages(programs?: readonly SystemProgram[]): readonly string[] {
  const rows = SYSTEM_PROGRAMS.filter(
    ([name]) => programs === undefined || (name !== null && programs.includes(name)),
  );
  return [...new Set(rows.map(([, debian]) => debian))];
}

if (import.meta.main) process.stdout.write(`${debianPackages().join('\n')}\n`);
