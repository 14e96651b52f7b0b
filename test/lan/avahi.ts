// Avahi, the system's own mDNS responder, as an independent second opinion: a private message bus
// and daemon inside one computer of the test network, with their files in a temporary folder. Needs
// the real part `avahi`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineProcess } from './line-process.ts';
import type { LanHost } from './namespaces.ts';

const START_MS = 10_000;
const BROWSE_MS = 10_000;
const DAEMON = '/usr/sbin/avahi-daemon';

/** A service as avahi-browse resolved it. */
interface BrowsedService {
  readonly label: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly txt: readonly string[];
}

export class Avahi {
  readonly #host: LanHost;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #processes: LineProcess[];

  private constructor(
    host: LanHost,
    folder: string,
    environment: Readonly<Record<string, string>>,
    processes: LineProcess[],
  ) {
    this.#host = host;
    this.#folder = folder;
    this.#environment = environment;
    this.#processes = processes;
  }

  /** Starts the bus and the daemon; resolves once the daemon has joined the network. */
  static async start(host: LanHost): Promise<Avahi> {
    const folder = await mkdtemp(join(tmpdir(), 'axon-avahi-'));
    const address = `unix:path=${folder}/bus`;
    await writeFile(join(folder, 'bus.conf'), busConfiguration(address));
    await writeFile(join(folder, 'avahi.conf'), AVAHI_CONFIGURATION);
    const environment = { DBUS_SYSTEM_BUS_ADDRESS: address };
    const bus = host.start('dbus-daemon', [
      `--config-file=${folder}/bus.conf`,
      '--nofork',
      '--print-address',
    ]);
    await bus.until((line) => line.startsWith('unix:'), START_MS);
    // Each program of a namespace has mounts of its own, so the daemon's fixed run folder can be
    // private to it.
    const script = `mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && exec ${DAEMON} -f ${folder}/avahi.conf --no-drop-root --no-chroot --no-rlimits --no-proc-title 2>&1`;
    const daemon = host.start('sh', ['-c', script], environment);
    await daemon.until((line) => line.includes('Server startup complete'), START_MS);
    return new Avahi(host, folder, environment, [daemon, bus]);
  }

  /** Browses until a service of our type with this label is resolved. */
  async browse(label: string): Promise<BrowsedService> {
    const browser = this.#host.start('avahi-browse', ['-rp', '_axon._udp'], this.#environment);
    const line = await browser.until(
      (said) => said.startsWith('=;') && readLabel(said) === label,
      BROWSE_MS,
    );
    await browser.kill();
    return readService(line);
  }

  /** Announces a service of our type on this computer until the returned program is killed. */
  async publish(label: string, port: number, txt: readonly string[]): Promise<LineProcess> {
    const publisher = this.#host.start(
      'sh',
      [
        '-c',
        'exec "$@" 2>&1',
        'sh',
        'avahi-publish',
        '-s',
        label,
        '_axon._udp',
        String(port),
        ...txt,
      ],
      this.#environment,
    );
    await publisher.until((line) => line.includes('Established'), START_MS);
    return publisher;
  }

  async stop(): Promise<void> {
    for (const started of this.#processes) await started.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function readLabel(line: string): string | undefined {
  // Escapes of avahi-browse -p: \. and \ddd.
  return line
    .split(';')[3]
    ?.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\\(.)/g, '$1');
}

function readService(line: string): BrowsedService {
  const [, , , , , , host = '', address = '', port = '', txt = ''] = line.split(';');
  return {
    label: readLabel(line) ?? '',
    host,
    address,
    port: Number(port),
    txt: [...txt.matchAll(/"([^"]*)"/g)].map((part) => part[1] ?? ''),
  };
}

function busConfiguration(address: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>${address}</listen>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/><allow send_type="method_call"/><allow receive_sender="*"/>
  </policy>
</busconfig>
`;
}

const AVAHI_CONFIGURATION = `[server]
host-name=attic
use-ipv4=yes
use-ipv6=no
allow-interfaces=eth0
enable-dbus=yes
[publish]
publish-hinfo=no
publish-workstation=no
[reflector]
[rlimits]
`;
