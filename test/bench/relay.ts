// The bare relay as the runner holds it: two hubs of plain parts in processes of their own, and a
// pair of agents that asks and answers through them just as it does through the hubs of the
// project.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchPair } from './bench-process.ts';
import type { RelayOrder, RelayPorts } from './relay-hub.ts';
import type { Told } from './subjects/local-api.ts';

const PROGRAM = join(import.meta.dirname, 'relay-hub.ts');

interface Started {
  readonly ports: RelayPorts;
  readonly token: string;
}

export class Relay {
  readonly #folder = mkdtempSync(join(tmpdir(), 'axon-relay-'));
  readonly #hubs: ChildProcess[] = [];
  #agents: BenchPair | undefined;

  static async open(): Promise<Relay> {
    const relay = new Relay();
    try {
      const working = await relay.#start(null);
      const asking = await relay.#start({ port: working.ports.quic });
      relay.#agents = await BenchPair.open('hub-query', {
        told: [toldOf(working), toldOf(asking)],
      });
      return relay;
    } catch (error) {
      await relay.close();
      throw error;
    }
  }

  /** The agents, which put the load. */
  get agents(): BenchPair {
    if (this.#agents === undefined) throw new Error('the relay was not opened');
    return this.#agents;
  }

  /** The databases of both hubs. */
  get files(): readonly string[] {
    return readdirSync(this.#folder).map((hub) => join(this.#folder, hub, 'relay.db'));
  }

  /** Of the two hubs. */
  get processIds(): readonly number[] {
    return this.#hubs.map(({ pid }) => pid ?? 0);
  }

  async close(): Promise<void> {
    await this.#agents?.close();
    await Promise.all(
      this.#hubs.map(async (hub) => {
        if (hub.exitCode !== null || hub.signalCode !== null) return;
        const gone = new Promise((resolve) => hub.once('exit', resolve));
        hub.disconnect();
        await gone;
      }),
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(dial: RelayOrder['dial']): Promise<Started> {
    const token = randomUUID();
    const folder = mkdtempSync(join(this.#folder, 'hub-'));
    const hub = spawn(process.execPath, ['--no-warnings', PROGRAM], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#hubs.push(hub);
    hub.send({ folder, token, dial } satisfies RelayOrder);
    return new Promise((resolve, reject) => {
      hub.once('exit', (code) => reject(new Error(`a hub of the relay ended (${code})`)));
      hub.once('message', (ports: RelayPorts) => resolve({ ports, token }));
    });
  }
}

/** What an agent is told of its hub. */
function toldOf({ ports, token }: Started): string {
  return JSON.stringify({ port: ports.api, token } satisfies Told);
}
