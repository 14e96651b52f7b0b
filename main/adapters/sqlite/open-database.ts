// From a path to a connection that may be trusted: private files, the right kind and version of
// database, an intact one, with the settings that durability rests on. Refuses with a sentence
// whatever is not so; never repairs, empties or replaces a file by itself.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import {
  checkPrivateFile,
  checkWritable,
  COMPANION_SUFFIXES,
  createPrivateFile,
  makePrivateFolder,
  syncPath,
  whyNot,
} from './file-privacy.ts';
import {
  BUSY_TIMEOUT_MS,
  CACHE_SIZE_KIB,
  DAMAGE_LINES_MAX,
  READ_THROUGH_ALWAYS_MAX_BYTES,
  WAL_SIZE_MAX_BYTES,
} from './limits.ts';
import {
  migrate,
  NEWEST_SCHEMA_SHA256,
  newestVersion,
  schemaVersion,
  type Migration,
} from './migrations.ts';
import { sqliteCode, translateError, type Connection } from './statements.ts';

/** "AXON" in ASCII, in the file's header: tells our database from any other SQLite file. */
export const APPLICATION_ID = 0x41584f4e;

/** How SQLite says that a value in the audit is none that its table is for. */
const VALUE_IN_AUDIT =
  /^(?:CHECK constraint failed|(?:NULL|NUMERIC|TEXT|non-[A-Z]+) value) in audit(?:_signatures)?(?:\.|$)/;

/** What another program did to these is told by the check of the audit log. */
const AUDIT_TABLE = /^audit(?:_signatures)?$/;
/** A copy that `upgrade` makes. */
const SNAPSHOT = /^hub-schema-\d+-before-\d+-(\d{1,15})\.db$/;
/** SQLite's file format, 1.3: the byte that says how the file may be written, 1 or 2. */
const HEADER_BYTES = 100;
const WRITE_FORMAT_OFFSET = 18;
const FILE_FORMATS: readonly number[] = [1, 2];

/** What SQLite needs beside the database as soon as it is opened. */
const LOG_INDEX_BYTES = 32_768;

interface OpenDatabaseDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the database at an absolute path, or makes it. Throws AppError `storage_failed`. */
export function openDatabase(
  path: string,
  migrations: readonly Migration[],
  deps: OpenDatabaseDeps,
): Connection {
  makePrivateFolder(dirname(path));
  checkWritable(dirname(path));
  for (const suffix of COMPANION_SUFFIXES) checkPrivateFile(`${path}${suffix}`);
  if (checkPrivateFile(path)) checkWritable(path);
  else createDatabase(path, migrations);
  return guarded(path, () => connectExisting(path, migrations, deps));
}

/**
 * Builds the database under another name and renames it when it is whole: an empty hub.db is
 * therefore always a damaged one.
 */
function createDatabase(path: string, migrations: readonly Migration[]): void {
  const orphan = COMPANION_SUFFIXES.map((suffix) => `${path}${suffix}`).find((companion) =>
    existsSync(companion),
  );
  if (orphan !== undefined) {
    throw new AppError(
      'storage_failed',
      `"${path}" is missing, but "${orphan}" that belongs to it is there.`,
      {
        hint: 'Put the database back beside it, or move that file away to start with an empty database.',
      },
    );
  }
  const draft = `${path}.new`;
  for (const left of [draft, ...COMPANION_SUFFIXES.map((suffix) => `${draft}${suffix}`)])
    rmSync(left, { force: true });
  guarded(path, () => {
    createPrivateFile(draft);
    const connection = new Database(draft, { timeout: BUSY_TIMEOUT_MS });
    try {
      configure(connection);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      migrate(connection, migrations);
    } finally {
      connection.close();
    }
    syncPath(draft);
    renameSync(draft, path);
    syncPath(dirname(path));
  });
}

function connectExisting(
  path: string,
  migrations: readonly Migration[],
  deps: OpenDatabaseDeps,
): Connection {
  lookThrough(path, migrations, deps);
  const connection = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    configure(connection);
    proveWritable(connection);
    upgrade(connection, path, migrations, deps);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Refuses what is not this hub's intact database. Read only: a database that is refused stays as it
 * is, and its log beside it, which another connection would copy into it when it closes.
 */
function lookThrough(
  path: string,
  migrations: readonly Migration[],
  { clock, log }: OpenDatabaseDeps,
): void {
  const { size } = lstatSync(path);
  if (size === 0) throw damaged(path, 'it is empty');
  const isLarge = size > READ_THROUGH_ALWAYS_MAX_BYTES;
  // The log is gone once a hub has stopped in order.
  const isReadThrough = !isLarge || existsSync(`${path}-wal`);
  if (isLarge && isReadThrough)
    log.info('the database is read through, which takes a moment', { size_bytes: size });
  const connection = new Database(path, { readonly: true, fileMustExist: true });
  try {
    connection.pragma('trusted_schema = OFF');
    connection.pragma('cell_size_check = ON');
    connection.pragma(`cache_size = -${CACHE_SIZE_KIB}`);
    verifyKind(connection, path, newestVersion(migrations));
    const startedAt = clock.monotonicMs();
    const damage =
      headerDamage(path) ??
      (isReadThrough ? damageIn(connection) : undefined) ??
      missingIn(connection, migrations);
    if (damage !== undefined) throw damaged(path, damage);
    log.debug('database checked', {
      read_through: isReadThrough,
      ms: Math.round(clock.monotonicMs() - startedAt),
    });
  } finally {
    connection.close();
  }
}

function verifyKind(connection: Connection, path: string, newest: number): void {
  if (connection.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new AppError(
      'storage_failed',
      `"${path}" is a database of another program; the hub does not touch it.`,
      {
        hint: 'Choose another data folder with --home or AXON_HOME, or move that file away.',
      },
    );
  }
  const version = schemaVersion(connection);
  if (version > newest) {
    throw new AppError(
      'storage_failed',
      `"${path}" was written by a newer AXON Hub (its schema is ${version}, this program knows ${newest}); nothing was changed.`,
      {
        hint: `Start the newer version again, or go back to a copy from before it. ${remedy(path)}`,
      },
    );
  }
}

function configure(connection: Connection): void {
  connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cell_size_check = ON');
  connection.pragma('mmap_size = 0');
  const mode = connection.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') {
    throw new AppError(
      'storage_failed',
      `The disk of the data folder does not allow the database's log (WAL); it offered "${String(mode)}".`,
      {
        hint: 'Use a data folder on a local disk, not on a network share.',
      },
    );
  }
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('recursive_triggers = ON');
  connection.pragma('secure_delete = ON');
  connection.pragma(`cache_size = -${CACHE_SIZE_KIB}`);
  connection.pragma(`journal_size_limit = ${WAL_SIZE_MAX_BYTES}`);
}

/** A file format that SQLite does not write: it would then only read the file. */
function headerDamage(path: string): string | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  return FILE_FORMATS.includes(header[WRITE_FORMAT_OFFSET] ?? 0)
    ? undefined
    : 'its header is damaged';
}

/**
 * The first thing that is damaged. What another program wrote into the audit is no damage: the hub
 * starts, and names it.
 */
function damageIn(connection: Connection): string | undefined {
  const lines = connection
    .prepare<[], string>(`PRAGMA integrity_check(${DAMAGE_LINES_MAX})`)
    .pluck()
    .all();
  const others = lines.filter((line) => line !== 'ok' && !VALUE_IN_AUDIT.test(line));
  const first = others[0] ?? (lines.length >= DAMAGE_LINES_MAX ? lines[0] : undefined);
  // Some come with a heading.
  return first?.split('\n').at(-1);
}

/**
 * The first table, index or trigger that a database of this version has and this one has not, or
 * has otherwise. Of the audit only its tables are asked for: another program may have made them
 * anew or taken their guards off.
 */
function missingIn(connection: Connection, migrations: readonly Migration[]): string | undefined {
  const version = schemaVersion(connection);
  if (version < 1) return 'its version is missing';
  // To make a fresh one takes as long as all the rest of opening.
  if (schemaSha256(connection) === NEWEST_SCHEMA_SHA256) return undefined;
  const fresh = new Database(':memory:');
  try {
    migrate(
      fresh,
      migrations.filter((migration) => migration.version <= version),
    );
    const found = new Map(objectsOf(connection).map((object) => [object.name, object]));
    const lost = objectsOf(fresh).find(({ type, name, table, sql }) => {
      const is = found.get(name);
      if (AUDIT_TABLE.test(table)) return type === 'table' && is?.type !== type;
      return is?.type !== type || is.sql !== sql;
    });
    if (lost === undefined) return undefined;
    const how = found.get(lost.name)?.type === lost.type ? 'was changed' : 'is missing';
    return `its ${lost.type} "${lost.name}" ${how}`;
  } finally {
    fresh.close();
  }
}

/** Of everything that stands in the schema, with its number: the same for every intact database. */
export function schemaSha256(connection: Connection): string {
  const schema = [schemaVersion(connection), ...objectsOf(connection)];
  return createHash('sha256').update(JSON.stringify(schema)).digest('hex');
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table it belongs to. */
  readonly table: string;
  readonly sql: string | null;
}

function objectsOf(connection: Connection): readonly SchemaObject[] {
  return connection
    .prepare<[], SchemaObject>(
      'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema ORDER BY type, name',
    )
    .all();
}

/** One real write, through the log into the file, before the hub promises anybody anything. */
function proveWritable(connection: Connection): void {
  const version = schemaVersion(connection);
  connection.exec(
    `BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE);`,
  );
}

/** Brings an older database up, after a private copy of it was made. */
function upgrade(
  connection: Connection,
  path: string,
  migrations: readonly Migration[],
  deps: OpenDatabaseDeps,
): void {
  const from = schemaVersion(connection);
  const newest = newestVersion(migrations);
  if (from >= newest) return;
  const folder = join(dirname(path), 'snapshots');
  makePrivateFolder(folder);
  const copy = join(folder, `hub-schema-${from}-before-${newest}-${deps.clock.wallMs()}.db`);
  createPrivateFile(copy);
  connection.prepare('VACUUM INTO ?').run(copy);
  syncPath(copy);
  syncPath(folder);
  deps.log.info('database copied before its upgrade', { from, to: newest, copy });
  migrate(connection, migrations);
}

function damaged(path: string, detail: string): AppError {
  return new AppError(
    'storage_failed',
    `The database "${path}" is damaged (${detail}); the hub does not start with it and changed nothing.`,
    { hint: `${remedy(path)} ${BEGIN_ANEW}` },
  );
}

/** A copy is named only where there is one: the hub makes none but before an upgrade. */
function remedy(path: string): string {
  const newest = newestSnapshot(join(dirname(path), 'snapshots'));
  const own = 'Put the whole data folder back from a backup of your own.';
  if (newest === undefined) return own;
  const { file, at } = newest;
  return `${own} If you have none: "${file}" is the database as it was before the upgrade on ${at}. Put a copy of it in the place of hub.db, without hub.db-wal and hub.db-shm; what came after that day is lost.`;
}

const BEGIN_ANEW =
  'Without a backup, move the files whose names begin with hub.db to another folder and start again: the hub then begins with an empty database, without its other hubs, agents, rules, messages and audit log.';

function newestSnapshot(
  folder: string,
): { readonly file: string; readonly at: string } | undefined {
  const newest = (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((name) => {
      const atMs = Number(SNAPSHOT.exec(name)?.[1] ?? Number.NaN);
      return Number.isFinite(atMs) ? [{ name, atMs }] : [];
    })
    .toSorted((one, other) => other.atMs - one.atMs)[0];
  return newest === undefined
    ? undefined
    : { file: join(folder, newest.name), at: dayOf(newest.atMs) };
}

function dayOf(atMs: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' }).format(atMs);
}

/** Runs `open` and turns what SQLite or the disk threw into a sentence that names the file. */
export function guarded<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = sqliteCode(error);
    if (code === 'SQLITE_NOTADB') throw damaged(path, 'it is not a database');
    if (code?.startsWith('SQLITE_CORRUPT') === true)
      throw damaged(path, error instanceof Error ? error.message : code);
    throw unusable(path, error, code);
  }
}

/** SQLite does not always say so: the index of its log has no room either. */
function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < LOG_INDEX_BYTES;
  } catch {
    return false;
  }
}

function unusable(path: string, cause: unknown, code: string | undefined): AppError {
  if (code === 'SQLITE_FULL' || (code?.startsWith('SQLITE_IOERR') === true && isDiskFull(path))) {
    return new AppError('storage_failed', `"${path}" cannot be written: its disk is full.`, {
      hint: 'Free some space there, or choose another data folder with --home or AXON_HOME.',
      cause,
    });
  }
  const translated = translateError(cause);
  const sentence =
    translated instanceof AppError
      ? translated.message
      : cause instanceof Error && 'code' in cause
        ? `${whyNot(cause)}.`
        : 'It cannot be opened.';
  return new AppError('storage_failed', `The database "${path}" cannot be used. ${sentence}`, {
    hint: 'Check that the disk has space and that the data folder belongs to you.',
    cause,
  });
}
