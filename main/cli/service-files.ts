// The files by which a system starts the hub by itself: a unit of systemd, of one person or of the
// whole computer, and a launch agent of macOS. Pure: words in, text out.

/** Stands in every file that this program made: no other one is ever replaced or removed. */
export const MADE_BY = 'Made by "axon hub install"';
export const UNIT_NAME = 'axon-hub.service';
export const AGENT_LABEL = 'dev.axon.hub';
/** Whose the hub of a whole computer is, and where it keeps its data. */
export const SYSTEM_USER = 'axon-hub';
export const SYSTEM_HOME = '/var/lib/axon-hub';

/** What is started: the Node, the program and its flags, each as the system gives it on. */
export interface HubCommand {
  /** Absolute. */
  readonly node: string;
  /** Absolute. */
  readonly program: string;
  readonly flags: readonly string[];
}

/**
 * Takes nothing from the programs that the hub starts for its owner: those keep their folders,
 * their keychain and the sandboxes that they make themselves. What a user's manager cannot do
 * without a user namespace is left to the unit of a whole computer.
 */
const PERSON_HARDENING = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap',
  'SystemCallErrorNumber=EPERM',
  'UMask=0077',
  'LimitCORE=0',
];

/**
 * The hub sees its own data and what every user may read. V8 needs memory that is written and then
 * run, so that this is not forbidden.
 */
const SYSTEM_HARDENING = [
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'PrivateMounts=yes',
  'PrivateUsers=yes',
  'ProtectProc=invisible',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectControlGroups=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'LockPersonality=yes',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RemoveIPC=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
  'UMask=0077',
  'LimitCORE=0',
];

/** A hub that cannot start says why and is left alone after five tries. */
const RESTART = [
  'Restart=on-failure',
  'RestartSec=10s',
  'KillMode=mixed',
  'TimeoutStopSec=30s',
] as const;

export function personUnit(command: HubCommand): string {
  return unit({
    after: [],
    service: [...RESTART, '', ...PERSON_HARDENING],
    target: 'default.target',
    edit: 'systemctl --user edit',
    command,
  });
}

export function systemUnit(command: HubCommand): string {
  return unit({
    after: ['After=network.target'],
    service: [
      `User=${SYSTEM_USER}`,
      `StateDirectory=${SYSTEM_USER}`,
      'StateDirectoryMode=0700',
      `Environment=HOME=${SYSTEM_HOME}`,
      ...RESTART,
      '',
      ...SYSTEM_HARDENING,
    ],
    target: 'multi-user.target',
    edit: 'systemctl edit',
    command,
  });
}

function unit({
  after,
  service,
  target,
  edit,
  command: { node, program, flags },
}: {
  readonly after: readonly string[];
  readonly service: readonly string[];
  readonly target: string;
  readonly edit: string;
  readonly command: HubCommand;
}): string {
  return [
    `# ${MADE_BY}, which writes it anew. Changes of your own: ${edit} axon-hub`,
    '[Unit]',
    'Description=AXON Hub',
    ...after,
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${[node, program, ...flags].map(systemdWord).join(' ')}`,
    ...service,
    '',
    '[Install]',
    `WantedBy=${target}`,
    '',
  ].join('\n');
}

/** As systemd reads it back: one word, no specifier and no variable in it. */
function systemdWord(word: string): string {
  const literal = word.replaceAll('%', '%%').replaceAll('$', () => '$$');
  return /^[\w./:@%+,=-]+$/.test(literal)
    ? literal
    : `"${literal.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The data folder of the hub that a file starts, which names it last; null: it names none. */
export function homeIn(text: string): string | null {
  const unit = /^ExecStart=.* --home (?:"((?:[^"\\]|\\.)*)"|([^\s"]+))$/m.exec(text);
  if (unit !== null) {
    const word = unit[1]?.replaceAll(/\\(.)/g, '$1') ?? unit[2] ?? '';
    return word.replaceAll('%%', '%').replaceAll('$$', () => '$');
  }
  const agent = /<string>--home<\/string>\s*<string>([^<]*)<\/string>\s*<\/array>/.exec(text)?.[1];
  return agent?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') ?? null;
}

export function launchAgent({ node, program, flags }: HubCommand): string {
  const words = [node, program, ...flags].map((word) => `    <string>${xmlText(word)}</string>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MADE_BY}, which writes it anew. -->`,
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${AGENT_LABEL}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...words,
    '  </array>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>10</integer>',
    // 0077.
    '  <key>Umask</key><integer>63</integer>',
    '  <key>HardResourceLimits</key><dict><key>Core</key><integer>0</integer></dict>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
