// Crowds of light peers, each in a child process of its own, as a test holds them.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Identity } from '../../integration/quic-test-hub.ts';
import type { CrowdOrder, CrowdPlan, CrowdReport, PeerReport } from './crowd-process.ts';
import type { CrowdedHub } from './crowded-hub.ts';

const PROGRAM = join(import.meta.dirname, 'crowd-process.ts');
/** Loopback addresses handed out so far: no two peers of one test share one. */
let hostsTaken = 0;

export class Crowd {
  readonly #child: ChildProcess;
  readonly #connected: Promise<CrowdReport>;

  constructor(hub: CrowdedHub, identities: readonly Identity[], seconds: number, plan: CrowdPlan) {
    this.#child = spawn(process.execPath, ['--no-warnings', PROGRAM], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    const hosts = identities.map(() => nextHost());
    const order: CrowdOrder = {
      hub: hub.target,
      seeds: identities.map(({ seed }) => seed),
      hosts,
      seconds,
      plan,
    };
    this.#child.send(order);
    this.#connected = this.#next();
    this.#connected.catch(() => undefined);
  }

  async connected(): Promise<void> {
    await this.#connected;
  }

  /** Lets the traffic begin and waits until it is over. */
  async run(): Promise<readonly PeerReport[]> {
    const report = this.#next();
    this.#child.send('go');
    const done = await report;
    if (done.type !== 'done') throw new Error('the crowd said something else than what it did');
    return done.peers;
  }

  /** Lets the peers close their lines and waits for the end of the process. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await gone;
  }

  #next(): Promise<CrowdReport> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`a crowd ended (${code}) before it reported`));
      this.#child.once('exit', ended);
      this.#child.once('message', (report: CrowdReport) => {
        this.#child.off('exit', ended);
        resolve(report);
      });
    });
  }
}

function nextHost(): string {
  hostsTaken += 1;
  return `127.0.${10 + Math.floor(hostsTaken / 200)}.${1 + (hostsTaken % 200)}`;
}

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
