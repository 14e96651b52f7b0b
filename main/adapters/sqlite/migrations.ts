// The numbered steps from an empty file to the newest schema. Each runs in its own transaction
// together with its number in user_version. A step that was in use is never edited; one is added.
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Connection } from './statements.ts';
import initial from './migrations/0001-initial.sql?raw';
import exchange from './migrations/0002-exchange.sql?raw';

export interface Migration {
  /** The schema's number after this step; steps count from 1 without a gap. */
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: initial },
  { version: 2, sql: exchange },
];

/**
 * Of a database that all of them made, by which a start knows an intact one. A test says what it
 * becomes when a step is added.
 */
export const NEWEST_SCHEMA_SHA256 =
  '89eb50a64c409af8d4f968e94f3ba7d134eef987a489651b9a2dffea636ed904';

export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The schema number stored in the file; 0 for an empty database. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

/**
 * Runs what is missing. Throws AppError `storage_failed` when a step fails; the steps before it
 * stay, the failed one leaves nothing.
 */
export function migrate(connection: Connection, migrations: readonly Migration[]): void {
  const from = schemaVersion(connection);
  for (const [index, { version, sql }] of migrations.entries()) {
    assert(version === index + 1, 'migrations are numbered from 1 without a gap');
    if (version <= from) continue;
    try {
      connection
        .transaction(() => {
          connection.exec(sql);
          connection.pragma(`user_version = ${version}`);
        })
        .immediate();
    } catch (error) {
      throw new AppError(
        'storage_failed',
        `The database could not be brought to version ${version}; it stays at version ${version - 1}.`,
        {
          hint: 'Check the free space and the disk of the data folder, then start again.',
          cause: error,
        },
      );
    }
  }
}
