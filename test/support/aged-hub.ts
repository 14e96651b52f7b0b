// A whole hub in the test's own process, real down to QUIC, over a given data folder, on a clock
// that the test moves: for what becomes of its records in years.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { FileVault } from '../../main/adapters/keyvault/file-vault.ts';
import { readConfig } from '../../main/app/config.ts';
import { createNode, type HubNode } from '../../main/app/node.ts';
import { FIRST_PURGE_MS } from '../../main/services/retention/limits.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { createInProcessTransport } from './in-process-transport.ts';
import { MovedClock } from './moved-clock.ts';

const DAY_MS = 86_400_000;

export class AgedHub {
  readonly clock = new MovedClock();
  readonly home: string;
  readonly node: HubNode;
  readonly #records: Database.Database;

  private constructor(home: string, clock: MovedClock, node: HubNode) {
    this.home = home;
    this.clock = clock;
    this.node = node;
    this.#records = new Database(join(home, 'hub.db'), { readonly: true });
  }

  static async start(home: string, flags: readonly string[] = []): Promise<AgedHub> {
    const clock = new MovedClock();
    const random = new SystemRandom();
    const argv = [
      '--home',
      home,
      '--api-port',
      '0',
      '--peer-port',
      '0',
      '--discovery',
      'off',
      ...flags,
    ];
    const node = await createNode(readConfig({ argv, env: {} }), {
      clock,
      random,
      log: SILENT_LOG,
      desktop: false,
      rendererDirectory: null,
      transport: createInProcessTransport({ clock: new SystemClock(), random }),
      vaults: [new FileVault(join(home, 'identity.key'))],
    });
    await node.start();
    return new AgedHub(home, clock, node);
  }

  get peerPort(): number {
    return this.node.services.peers.port ?? 0;
  }

  /**
   * So many days pass in which it runs a twentieth of the time. Its owner confirms the date, and it
   * removes what is to be removed.
   */
  async age(days: number): Promise<void> {
    this.clock.move(days * DAY_MS, (days * DAY_MS) / 20);
    await this.node.services.retention.confirmDate(this.clock.wallMs(), {
      actor: 'ui:1',
      surface: 'browser',
    });
    if (this.clock.release(FIRST_PURGE_MS) === 0)
      throw new Error('the hub was not going to look at its records');
  }

  /** The first column of the first row, as another program reads it. */
  value(sql: string): unknown {
    return this.#records.prepare(sql).pluck().get();
  }

  async stop(): Promise<void> {
    this.#records.close();
    await this.node.stop();
  }
}
