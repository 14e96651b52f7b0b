// From a path to a connection that may be trusted: private files, the right kind and version of
// database, an intact one, with the settings that durability rests on. Refuses with a sentence
// whatever is not so; never repairs, empties or replaces a file by itself.
import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
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
} from './file-privacy.ts';
import {
  BUSY_TIMEOUT_MS,
  CACHE_SIZE_KIB,
  CHECKED_ALWAYS_MAX_BYTES,
  DAMAGE_LINES_MAX,
  WAL_SIZE_MAX_BYTES,
} from './limits.ts';
import { migrate, newestVersion, schemaVersion, type Migration } from './migrations.ts';
import { sqliteCode, translateError, type Connection } from './statements.ts';

/** "AXON" in ASCII, in the file's header: tells our database from any other SQLite file. */
export const APPLICATION_ID = 0x41584f4e;

/** How SQLite says that a value in the audit is none that its table is for. */
const VALUE_IN_AUDIT =
  /^(?:CHECK constraint failed|(?:NULL|NUMERIC|TEXT|non-[A-Z]+) value) in audit(?:_signatures)?(?:\.|$)/;

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
  const { size } = lstatSync(path);
  if (size === 0) throw damaged(path, 'it is empty');
  // The log is gone once a hub has stopped in order.
  const isChecked = size <= CHECKED_ALWAYS_MAX_BYTES || existsSync(`${path}-wal`);
  const connection = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    verifyKind(connection, path, newestVersion(migrations));
    configure(connection);
    const startedAt = deps.clock.monotonicMs();
    const damage = isChecked ? damageIn(connection) : undefined;
    if (damage !== undefined) throw damaged(path, damage);
    const ms = Math.round(deps.clock.monotonicMs() - startedAt);
    if (isChecked) deps.log.debug('database checked', { ms });
    upgrade(connection, path, migrations, deps);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
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
        hint: 'Start the newer version again, or restore the copy in the folder "snapshots" that was made before the upgrade.',
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

/**
 * The first thing that is damaged. What another program wrote into the audit is no damage: the hub
 * starts, and names it.
 */
function damageIn(connection: Connection): string | undefined {
  const lines = connection
    .prepare<[], string>(`PRAGMA quick_check(${DAMAGE_LINES_MAX})`)
    .pluck()
    .all();
  const others = lines.filter((line) => line !== 'ok' && !VALUE_IN_AUDIT.test(line));
  return others[0] ?? (lines.length >= DAMAGE_LINES_MAX ? lines[0] : undefined);
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
    {
      hint: `Keep a copy of the file, put the newest copy from "${join(dirname(path), 'snapshots')}" in its place, and start again.`,
    },
  );
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
    const translated = translateError(error);
    const sentence = translated instanceof AppError ? translated.message : 'It cannot be opened.';
    throw new AppError('storage_failed', `The database "${path}" cannot be used. ${sentence}`, {
      hint: 'Check that the disk has space and that the data folder belongs to you.',
      cause: error,
    });
  }
}
