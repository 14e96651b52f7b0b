// The Store port on SQLite: opens the database, and gives services reads of committed rows and
// durable units of work. Owns the connection until `close`; the only file that puts the parts of
// this folder together.
import { resolve } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Durability, Reads, Store, Tables } from '../../ports/store.ts';
import { CommitQueue } from './commit-queue.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { Statements, type Connection } from './statements.ts';
import { allReads, allTables } from './tables/all-tables.ts';

interface StoreOptions {
  /** The database file; made, with its folder, when it is not there. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The steps to the newest schema; given by tests of upgrades only. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the store, or refuses with AppError `storage_failed` and a sentence that names the file.
 * Blocks while it checks the file.
 */
export function openStore(options: StoreOptions): Store {
  const connection = openDatabase(resolve(options.path), options.migrations ?? MIGRATIONS, options);
  return new SqliteStore(connection, options);
}

class SqliteStore implements Store {
  readonly read: Reads;
  readonly #connection: Connection;
  readonly #queue: CommitQueue;

  constructor(connection: Connection, { clock, log }: StoreOptions) {
    const statements = new Statements(connection);
    this.read = allReads(statements);
    this.#connection = connection;
    this.#queue = new CommitQueue({
      statements,
      tables: allTables(statements, () => clock.monotonicMs()),
      clock,
      log,
    });
  }

  write<T>(work: (tables: Tables) => T, durability?: Durability): Promise<T> {
    return this.#queue.write(work, durability);
  }

  writeBehind<T>(work: (tables: Tables) => T, then?: (value: T) => void): void {
    this.#queue.writeBehind(work, then);
  }

  onCommit(tell: () => void): void {
    this.#queue.onCommit(tell);
  }

  close(): Promise<void> {
    this.#queue.drain();
    if (this.#connection.open) this.#connection.close();
    return Promise.resolve();
  }
}
