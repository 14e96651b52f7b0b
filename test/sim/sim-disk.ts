// The disk of one simulated computer: a real SQLite database in memory that outlives the runs of
// the hub over it, and the real commit queue of each run, whose commits take place when the
// simulation says. A crash leaves exactly what was committed.
import Database from 'better-sqlite3';
import { CommitQueue } from '../../main/adapters/sqlite/commit-queue.ts';
import { migrate, MIGRATIONS } from '../../main/adapters/sqlite/migrations.ts';
import { Statements } from '../../main/adapters/sqlite/statements.ts';
import { allReads, allTables } from '../../main/adapters/sqlite/tables/all-tables.ts';
import type { Clock } from '../../main/ports/clock.ts';
import type { Log } from '../../main/ports/log.ts';
import type { Durability, Reads, Store, Tables } from '../../main/ports/store.ts';
import type { World } from './world.ts';

/** What a mutant or an observer does to the tables of one disk. */
export type WrapTables = (tables: Tables) => Tables;

interface DiskOptions {
  readonly world: World;
  readonly name: string;
  /** The bytes it begins with. */
  readonly image: Buffer;
  /** What changes in a unit of work, told after its commit. */
  readonly onCommit: (changes: readonly Change[]) => void;
  /** A run dies in the middle of a commit or right after it. */
  readonly onCrash: () => void;
  readonly wrap: WrapTables;
  /**
   * The disk says that it has what it has not: a crash takes what was committed within this time.
   */
  readonly liesForMs: number;
}

export type Change =
  | { readonly type: 'insertTask'; readonly id: string }
  | { readonly type: 'updateTask'; readonly id: string; readonly state: string | undefined }
  | { readonly type: 'decideApproval'; readonly id: string; readonly state: string }
  | { readonly type: 'insertDelivery'; readonly id: string }
  | { readonly type: 'updateDelivery'; readonly id: string; readonly state: string | undefined }
  | {
      readonly type: 'settleOutbox';
      readonly party: string;
      readonly messageId: string;
      readonly expired: boolean;
    };

/** How the next commit goes wrong. */
export type Mishap = 'dies_in_it' | 'dies_after_it' | 'fails';

export class SimDisk {
  readonly #options: DiskOptions;
  #database: Database.Database;
  /** Prepared once for all runs of the hub. */
  #statements: Statements;
  mishap: Mishap | undefined;
  /** How long a commit takes at most. */
  commitMaxMs = 4;
  /** A commit failed: complaints about that are expected. */
  hasFailed = false;
  /** A run is dying in the middle of a commit. */
  isDying = false;
  #safe: { readonly image: Buffer; readonly atMs: number }[] = [];

  constructor(options: DiskOptions) {
    this.#options = options;
    this.#database = open(options.image);
    this.#statements = new Statements(this.#database);
  }

  get reads(): Reads {
    return allReads(this.#statements);
  }

  /** A store for one run of the hub. */
  mount(clock: Clock, log: Log): MountedStore {
    return new MountedStore(this, this.#statements, {
      ...this.#options,
      clock,
      log,
    });
  }

  /** Called for every commit of a disk that lies. */
  remember(): void {
    const { world, liesForMs } = this.#options;
    if (liesForMs === 0) return;
    this.#safe.push({ image: this.#database.serialize(), atMs: world.nowMs });
    while ((this.#safe[1]?.atMs ?? Infinity) < world.nowMs - liesForMs) this.#safe.shift();
  }

  /** The power is gone: what the disk only said to have is gone with it. */
  crash(): void {
    const { world, liesForMs } = this.#options;
    if (liesForMs === 0) return;
    const safe = this.#safe.find(({ atMs }) => atMs >= world.nowMs - liesForMs);
    this.#safe = [];
    if (safe === undefined) return;
    this.#database = open(safe.image);
    this.#statements = new Statements(this.#database);
  }

  close(): void {
    this.#database.close();
  }
}

interface MountOptions extends DiskOptions {
  readonly clock: Clock;
  readonly log: Log;
}

export class MountedStore implements Store {
  readonly read: Reads;
  readonly #disk: SimDisk;
  readonly #options: MountOptions;
  readonly #queue: CommitQueue;
  readonly #tables: Tables;
  #changes: Change[] = [];
  #planned: (() => void) | undefined;
  #isDead = false;
  #works = 0;
  #dyingWork = -1;
  #hasBroken = false;

  constructor(disk: SimDisk, statements: Statements, options: MountOptions) {
    this.#disk = disk;
    this.#options = options;
    const monotonicMs = (): number => options.clock.monotonicMs();
    const tables = options.wrap(allTables(statements, monotonicMs));
    this.read = options.wrap(allTables(statements, monotonicMs));
    this.#tables = recording(tables, (change) => this.#changes.push(change));
    this.#queue = new CommitQueue({
      statements,
      tables: this.#tables,
      clock: options.clock,
      log: options.log,
      schedule: (commit) => this.#schedule(commit),
    });
  }

  write<T>(work: (tables: Tables) => T, durability?: Durability): Promise<T> {
    if (this.#isDead) return new Promise(() => undefined);
    return this.#queue.write((tables) => this.#run(tables, work), durability);
  }

  writeBehind<T>(work: (tables: Tables) => T, then?: (value: T) => void): void {
    if (!this.#isDead) this.#queue.writeBehind((tables) => this.#run(tables, work), then);
  }

  onCommit(tell: () => void): void {
    this.#queue.onCommit(() => {
      if (!this.#isDead) tell();
    });
  }

  close(): Promise<void> {
    if (!this.#isDead) this.#commit(() => this.#queue.drain());
    this.kill();
    return Promise.resolve();
  }

  /** Nothing of this run is written any more. */
  kill(): void {
    this.#isDead = true;
    this.#planned?.();
    this.#planned = undefined;
  }

  #schedule(commit: () => void): () => void {
    const { world } = this.#options;
    this.#planned = world.after(world.chance.between(0, this.#disk.commitMaxMs), () => {
      this.#planned = undefined;
      this.#commit(commit);
    });
    return () => this.#planned?.();
  }

  #commit(commit: () => void): void {
    const { mishap } = this.#disk;
    this.#disk.mishap = undefined;
    this.#works = 0;
    this.#dyingWork =
      mishap === 'dies_in_it' || mishap === 'fails' ? this.#options.world.chance.whole(1, 3) : -1;
    this.#changes = [];
    this.#hasBroken = false;
    this.#disk.remember();
    if (mishap === 'dies_in_it') this.#isDead = true;
    this.#disk.isDying = this.#isDead;
    commit();
    this.#disk.isDying = false;
    // A batch with fewer works than that has got to its end: then it dies right after it.
    if (this.#hasBroken) this.#changes = [];
    const changes = this.#changes;
    this.#changes = [];
    this.#options.world.trace(
      `${this.#options.name} commits ${changes.map((change) => JSON.stringify(change)).join(' ')}`,
    );
    this.#options.onCommit(changes);
    if (mishap === 'dies_in_it' || mishap === 'dies_after_it') this.#options.onCrash();
  }

  #run<T>(tables: Tables, work: (tables: Tables) => T): T {
    const before = this.#changes.length;
    this.#works += 1;
    try {
      const value = work(tables);
      if (this.#dyingWork < 0 || this.#works < this.#dyingWork) return value;
      this.#hasBroken = true;
      if (!this.#disk.isDying) this.#disk.hasFailed = true;
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
    } catch (error) {
      this.#changes.length = before;
      throw error;
    }
  }
}

function recording(tables: Tables, note: (change: Change) => void): Tables {
  return {
    ...tables,
    insertTask: (row) => {
      const inserted = tables.insertTask(row);
      note({ type: 'insertTask', id: row.id });
      return inserted;
    },
    insertTaskOnce: (row, answer) => {
      const isNew = tables.insertTaskOnce(row, answer);
      if (isNew) note({ type: 'insertTask', id: row.id });
      return isNew;
    },
    updateTask: (id, revision, change) => {
      const done = tables.updateTask(id, revision, change);
      if (done) note({ type: 'updateTask', id, state: change.state });
      return done;
    },
    decideApproval: (id, guard, change) => {
      const done = tables.decideApproval(id, guard, change);
      if (done) note({ type: 'decideApproval', id, state: change.state });
      return done;
    },
    insertDelivery: (row) => {
      const inserted = tables.insertDelivery(row);
      note({ type: 'insertDelivery', id: row.deliveryId });
      return inserted;
    },
    updateDelivery: (id, state, change) => {
      const done = tables.updateDelivery(id, state, change);
      if (done) note({ type: 'updateDelivery', id, state: change.state });
      return done;
    },
    putOutbox: (row) => {
      tables.putOutbox(row);
      if (row.settledAt !== null) {
        // The outbox writes how long its hub has run in the commit that gives up what is over by
        // then.
        const expired = row.expiresAtUptimeMs <= Number(tables.getMeta('outbox.uptime_ms') ?? 0);
        note({ type: 'settleOutbox', party: row.party, messageId: row.messageId, expired });
      }
    },
  };
}

/** A database as a fresh hub has it, filled by `fill`, as bytes to begin with. */
export function makeImage(fill: (tables: Tables) => void): Buffer {
  const database = new Database(':memory:');
  migrate(database, MIGRATIONS);
  fill(allTables(new Statements(database), () => 0));
  const image = database.serialize();
  database.close();
  return image;
}

function open(image: Buffer): Database.Database {
  const database = new Database(image);
  database.pragma('foreign_keys = ON');
  database.pragma('recursive_triggers = ON');
  // Nothing here has to outlive this process.
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('journal_mode = MEMORY');
  database.pragma('synchronous = OFF');
  return database;
}
