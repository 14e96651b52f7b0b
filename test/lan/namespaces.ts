// A home network for tests: network namespaces joined by a bridge, each one "computer" with an eth0
// of its own and no default route. Needs the real part `namespaces`. Everything made here is
// removed again, also after a crash.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LineProcess, type Environment } from './line-process.ts';

/**
 * Names carry the process that made them, so that the next run can remove what a killed one left
 * behind.
 */
const PREFIX = 'axonlan';
const COMMAND_TIMEOUT_MS = 10_000;

export const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..');

/** A Node that runs TypeScript sources: this one, or the one that comes with the project. */
export const NODE_BINARY = process.features.typescript
  ? process.execPath
  : join(REPOSITORY_ROOT, 'node_modules', '.bin', 'node');

/** A computer that programs of a test run on: one of the test network, or this one. */
export interface Computer {
  readonly name: string;
  /** Starts a program on this computer; it is killed when the test is over. */
  start(command: string, args: readonly string[], environment?: Environment): LineProcess;
  /** The words that run `command` on this computer, from outside it. */
  reach(command: readonly string[]): readonly string[];
  /** The words that run a TypeScript program of this repository. */
  nodeCommand(script: string): readonly [string, ...string[]];
  /** True when its loopback is the test's own. */
  readonly isThisOne: boolean;
}

export class LanHost implements Computer {
  readonly isThisOne = false;
  readonly name: string;
  readonly namespace: string;
  address: string;
  readonly #processes: LineProcess[] = [];

  constructor(name: string, namespace: string, address: string) {
    this.name = name;
    this.namespace = namespace;
    this.address = address;
  }

  /**
   * Runs a command to its end inside this computer; its standard output. Throws with what it said
   * when it fails.
   */
  run(command: string, args: readonly string[]): string {
    return run('ip', ['netns', 'exec', this.namespace, command, ...args]);
  }

  /** Starts a program inside this computer; it is killed when the network is removed. */
  start(command: string, args: readonly string[], environment: Environment = {}): LineProcess {
    const [program, ...words] = this.reach([command, ...args]);
    const started = new LineProcess(program, words, environment);
    this.#processes.push(started);
    return started;
  }

  reach(command: readonly string[]): readonly [string, ...string[]] {
    return ['ip', 'netns', 'exec', this.namespace, ...command];
  }

  /** Starts a TypeScript program of this repository, path relative to its root. */
  startNode(script: string, args: readonly string[], environment: Environment = {}): LineProcess {
    const [node, ...before] = this.nodeCommand(script);
    return this.start(node, [...before, ...args], environment);
  }

  nodeCommand(script: string): readonly [string, ...string[]] {
    return [NODE_BINARY, '--no-warnings', join(REPOSITORY_ROOT, script)];
  }

  /** Pulls or plugs the cable. */
  setLink(state: 'up' | 'down'): void {
    run('ip', ['-n', this.namespace, 'link', 'set', 'eth0', state]);
  }

  /** Gives eth0 another IPv4 address in place of its present one. */
  setAddress(address: string): void {
    run('ip', ['-n', this.namespace, 'addr', 'flush', 'dev', 'eth0', 'scope', 'global']);
    run('ip', ['-n', this.namespace, 'addr', 'add', `${address}/24`, 'brd', '+', 'dev', 'eth0']);
    this.address = address;
  }

  async stopProcesses(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((started) => started.kill()));
  }
}

export class Lan {
  readonly hosts: readonly LanHost[];
  readonly #switch: string;
  #closed = false;
  readonly #onExit = (): void => this.#remove();

  /** Makes a network of `names`, with addresses 10.77.0.1 and up. */
  constructor(names: readonly string[]) {
    removeLeftovers();
    const id = `${PREFIX}-${process.pid}-${nextNumber()}`;
    this.#switch = `${id}-switch`;
    this.hosts = names.map(
      (name, index) => new LanHost(name, `${id}-${name}`, `10.77.0.${index + 1}`),
    );
    process.once('exit', this.#onExit);
    try {
      this.#make();
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  host(name: string): LanHost {
    const found = this.hosts.find((host) => host.name === name);
    if (found === undefined) throw new Error(`this network has no computer called ${name}`);
    return found;
  }

  /** Gives a computer a network card on the common switch, with an IPv4 address. */
  plug(host: LanHost, device: string, address: string): void {
    const port = `port${nextNumber()}`;
    run('ip', [
      '-n',
      host.namespace,
      'link',
      'add',
      device,
      'type',
      'veth',
      'peer',
      'name',
      port,
      'netns',
      this.#switch,
    ]);
    run('ip', ['-n', this.#switch, 'link', 'set', port, 'master', 'br0', 'up']);
    run('ip', ['-n', host.namespace, 'addr', 'add', `${address}/24`, 'brd', '+', 'dev', device]);
    run('ip', ['-n', host.namespace, 'link', 'set', device, 'up']);
  }

  /** Takes a network card out. */
  unplug(host: LanHost, device: string): void {
    run('ip', ['-n', host.namespace, 'link', 'del', device]);
  }

  /** Ends every program that was started in it and removes the network. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.stopProcesses()));
    this.#remove();
    process.off('exit', this.#onExit);
  }

  #make(): void {
    run('ip', ['netns', 'add', this.#switch]);
    run('ip', ['-n', this.#switch, 'link', 'add', 'br0', 'type', 'bridge']);
    run('ip', ['-n', this.#switch, 'link', 'set', 'br0', 'up']);
    for (const host of this.hosts) {
      run('ip', ['netns', 'add', host.namespace]);
      run('ip', ['-n', host.namespace, 'link', 'set', 'lo', 'up']);
      this.plug(host, 'eth0', host.address);
    }
  }

  #remove(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const namespace of [...this.hosts.map((host) => host.namespace), this.#switch])
      removeNamespace(namespace);
  }
}

let made = 0;

function nextNumber(): number {
  made += 1;
  return made;
}

/** Kills what still runs in a namespace of ours, and deletes it. */
function removeNamespace(namespace: string): void {
  const listed = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' });
  for (const pid of (listed.stdout ?? '').split('\n').map(Number)) {
    if (pid <= 1) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  spawnSync('ip', ['netns', 'del', namespace]);
}

/** Removes networks whose maker is no longer alive. */
function removeLeftovers(): void {
  const listed = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  for (const line of (listed.stdout ?? '').split('\n')) {
    const namespace = line.split(' ')[0] ?? '';
    const maker = new RegExp(`^${PREFIX}-(\\d+)-`).exec(namespace)?.[1];
    if (maker !== undefined && !existsSync(`/proc/${maker}`)) removeNamespace(namespace);
  }
}

function run(command: string, args: readonly string[]): string {
  const ended = spawnSync(command, args, { encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS });
  if (ended.status === 0) return ended.stdout;
  throw new Error(
    `${command} ${args.join(' ')} failed: ${ended.error?.message ?? ''} ${ended.stderr ?? ''}`,
  );
}
