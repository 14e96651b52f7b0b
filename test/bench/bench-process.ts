// A process of the bench, as the runner holds it: orders go in, one answer comes back for each.
// Where it runs (any core, one core, a network namespace) is a prefix of its command line.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Order } from './bench-worker.ts';
import type { Load, Measured } from './load.ts';
import type { Address } from './subjects/subject.ts';
import type { SubjectName } from './subjects/subjects.ts';

const WORKER = join(import.meta.dirname, 'bench-worker.ts');
/** The flags the QUIC process runs with; the endpoint alone is measured under the same. */
const ENDPOINT_FLAGS = ['--max-semi-space-size=1'];

/** Words before the program: `taskset`, `ip netns exec`, or nothing. */
export type Place = readonly string[];

export const FREE: Place = [];

class BenchProcess {
  readonly #child: ChildProcess;
  readonly #name: string;

  constructor(subject: SubjectName, place: Place) {
    this.#name = subject;
    const flags = subject === 'endpoint' ? ENDPOINT_FLAGS : [];
    const [program = '', ...words] = [
      ...place,
      process.execPath,
      '--no-warnings',
      ...flags,
      WORKER,
      subject,
    ];
    this.#child = spawn(program, words, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
  }

  /** Sends an order and waits for its answer; throws when the process ends instead. */
  order<Answer>(order: Order): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`a process of ${this.#name} ended (${code}) before it answered`));
      this.#child.once('exit', ended);
      this.#child.once('message', (answer: Answer) => {
        this.#child.off('exit', ended);
        resolve(answer);
      });
      this.#child.send(order);
    });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.disconnect();
    await gone;
  }
}

interface PairOptions {
  /** Where the server runs and where the client does. */
  readonly places?: readonly [Place, Place];
  readonly host?: string;
  /** For the server and for the client. */
  readonly told?: readonly [string, string];
}

/** A server and a client of one subject, connected. */
export class BenchPair {
  readonly name: SubjectName;
  readonly #processes: readonly [BenchProcess, BenchProcess];

  private constructor(name: SubjectName, processes: readonly [BenchProcess, BenchProcess]) {
    this.name = name;
    this.#processes = processes;
  }

  static async open(
    name: SubjectName,
    { places = [FREE, FREE], host = '127.0.0.1', told }: PairOptions = {},
  ): Promise<BenchPair> {
    const [server, client] = [new BenchProcess(name, places[0]), new BenchProcess(name, places[1])];
    const pair = new BenchPair(name, [server, client]);
    try {
      const address = await server.order<Address>({ type: 'serve', host, told: told?.[0] });
      await client.order<object>({ type: 'connect', address, told: told?.[1] });
      return pair;
    } catch (error) {
      await pair.close();
      throw error;
    }
  }

  load(load: Load): Promise<Measured> {
    return this.#processes[1].order<Measured>({ type: 'load', load });
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.end()));
  }
}
