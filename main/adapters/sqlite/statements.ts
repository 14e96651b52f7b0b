// Prepared statements of one connection, each prepared once, and the translation of SQLite's errors
// into this program's: a taken key or a refused change is a StoreConflict, a row that breaks the
// schema an InvariantError, and a disk that fails an AppError `storage_failed`. Remembers settled
// facts (settled-facts.ts). Owns no transaction.
import Database from 'better-sqlite3';
import { AppError } from '../../lib/app-error.ts';
import { InvariantError } from '../../lib/assert.ts';
import { StoreConflict } from '../../ports/store.ts';
import type { Names, SqlValue } from './columns.ts';
import { SettledFacts, settledTableOf, type SettledTable } from './settled-facts.ts';
import type { RowMapper } from './row-mapper.ts';

export type Connection = Database.Database;

interface Prepared {
  readonly statement: Database.Statement<SqlValue[]>;
  /** What of the settled facts it changes. */
  readonly settledTable: SettledTable | undefined;
}

export class Statements implements Names {
  readonly #connection: Connection;
  readonly #facts: SettledFacts;
  readonly #prepared = new Map<string, Prepared>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#facts = new SettledFacts(() => this.value('PRAGMA data_version'));
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** SQLite may have rolled back by itself: what was read meanwhile is forgotten in either case. */
  rollback(): void {
    this.#facts.rolledBack();
    if (this.inTransaction) this.#connection.exec('ROLLBACK');
  }

  /** Begins, ends or undoes a transaction, or sets how the connection works. */
  execute(sql: string): void {
    this.#connection.exec(sql);
    if (sql.startsWith('BEGIN')) this.#facts.begun();
    if (sql.startsWith('ROLLBACK')) this.#facts.rolledBack();
  }

  /** @param key what is read of the table, for one that few write to */
  settled<T>(table: SettledTable, key: string | null, read: () => T): T {
    return this.#facts.get(table, key, read);
  }

  numberOf(name: string): number {
    const known = this.knownNumber(name);
    if (known > 0) return known;
    const { seq } = this.run(NEW_NAME, name);
    this.#facts.rememberName(name, seq);
    return seq;
  }

  /** The same for a search: 0, which no name has, where it has none. */
  knownNumber(name: string): number {
    const known = this.#facts.numberOf(name);
    if (known !== undefined) return known;
    const number = Number(this.value(NUMBER_OF_NAME, name) ?? 0);
    if (number > 0) this.#facts.rememberName(name, number);
    return number;
  }

  nameOf(number: number): string | undefined {
    const known = this.#facts.nameOf(number);
    if (known !== undefined) return known;
    const name = this.value(NAME_OF_NUMBER, number);
    if (typeof name !== 'string') return undefined;
    this.#facts.rememberName(name, number);
    return name;
  }

  /** The same where there may be no name. */
  knownOrNull(name: string | null): number | null {
    return name === null ? null : this.knownNumber(name);
  }

  one<Row extends object>(
    mapper: RowMapper<Row>,
    sql: string,
    ...values: readonly SqlValue[]
  ): Row | undefined {
    const row = this.#guard(() => this.#reader(sql).get(...values));
    return row === undefined ? undefined : mapper.read(rawRow(row), this);
  }

  all<Row extends object>(
    mapper: RowMapper<Row>,
    sql: string,
    ...values: readonly SqlValue[]
  ): readonly Row[] {
    return this.#guard(() => this.#reader(sql).all(...values)).map((row) =>
      mapper.read(rawRow(row), this),
    );
  }

  /** The first column of the first row. */
  value(sql: string, ...values: readonly SqlValue[]): unknown {
    const row = this.#guard(() => this.#reader(sql).get(...values));
    return row === undefined ? undefined : rawRow(row)[0];
  }

  /**
   * Returns the number of rows changed and the last row id. Throws StoreConflict, InvariantError,
   * AppError.
   */
  run(
    sql: string,
    ...values: readonly SqlValue[]
  ): { readonly changes: number; readonly seq: number } {
    const { statement, settledTable } = this.#statement(sql);
    const outcome = this.#guard(() => statement.run(...values));
    if (settledTable !== undefined) this.#facts.changed(settledTable);
    return { changes: outcome.changes, seq: Number(outcome.lastInsertRowid) };
  }

  #reader(sql: string): Database.Statement<SqlValue[]> {
    return this.#statement(sql).statement.raw(true);
  }

  #statement(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare<SqlValue[]>(sql);
    const prepared = { statement, settledTable: settledTableOf(sql) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw translateError(error);
    }
  }
}

const NEW_NAME = 'INSERT INTO names (name) VALUES (?)';
const NUMBER_OF_NAME = 'SELECT number FROM names WHERE name = ?';
const NAME_OF_NUMBER = 'SELECT name FROM names WHERE number = ?';

function rawRow(row: unknown): readonly unknown[] {
  if (!Array.isArray(row)) throw new InvariantError('a raw statement returns arrays');
  return row;
}

const CONFLICT_CODES = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_TRIGGER',
]);

/** True for what the disk, the file or another program did; false for what a statement did. */
function isStorageCode(code: string): boolean {
  return (
    !code.startsWith('SQLITE_CONSTRAINT') &&
    code !== 'SQLITE_MISMATCH' &&
    code !== 'SQLITE_ERROR' &&
    code !== 'SQLITE_RANGE'
  );
}

/**
 * True when the storage failed under a statement, however the error was wrapped since: its
 * transaction cannot go on.
 */
export function isStorageFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && isStorageCode(code);
}

/** What SQLite threw, as an error of this program. Anything else is returned as it is. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const code = error.code;
  if (CONFLICT_CODES.has(code)) return new StoreConflict(error.message, { cause: error });
  if (!isStorageCode(code))
    return new InvariantError(`the database refused a row: ${error.message}`, { cause: error });
  return new AppError('storage_failed', storageSentence(code), {
    cause: error,
    hint: storageHint(code),
  });
}

/**
 * The error behind a failed storage call, whichever way it was wrapped: SQLite's own code, for the
 * log.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (error instanceof Database.SqliteError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqliteCode(error.cause) : undefined;
}

function storageSentence(code: string): string {
  if (code === 'SQLITE_FULL') return 'The disk is full: nothing more can be recorded.';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return 'Another program holds the database.';
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_PERM'))
    return 'The database cannot be written: the disk or file is read-only.';
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return 'The database is damaged.';
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CANTOPEN'))
    return 'The disk did not take it or give it back.';
  return 'The database did not take it.';
}

function storageHint(code: string): string {
  if (code === 'SQLITE_FULL')
    return 'Free some space on the disk of the data folder; the hub goes on by itself.';
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return 'Stop the hub and start it again: it then says what can be done.';
  return 'Check the disk of the data folder and the permissions of hub.db.';
}
