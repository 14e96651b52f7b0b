// What another program of this user can do to the records of a hub: take the guards off, change
// what it likes, and put them back so that the hub has to write under them.
import Database from 'better-sqlite3';

/** @param file of a database that a hub may have open @param sql one statement or many */
export function tamperWith(file: string, sql: string): void {
  const db = new Database(file);
  const guards = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
    )
    .all();
  for (const { name } of guards) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  for (const guard of guards) db.exec(guard.sql);
  db.close();
}

/** Makes the table of the rows anew, so that it takes any value in any column but the number. */
export const LOOSE_ROWS: string = loose(
  'audit',
  'seq INTEGER PRIMARY KEY AUTOINCREMENT, at, actor, surface, action, object, digest, detail, chain, monotonic_ms, rule',
);

/** The same of the signatures. */
export const LOOSE_SIGNATURES = loose(
  'audit_signatures',
  'counter INTEGER PRIMARY KEY, previous, seq, chain, at, key, signature',
);

function loose(table: string, columns: string): string {
  return `CREATE TABLE loose (${columns}); INSERT INTO loose SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table};`;
}
