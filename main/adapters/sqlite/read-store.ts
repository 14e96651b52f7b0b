// The database of a hub that does not run, opened to be read and never written: what a check looks
// at while nothing changes it.
import { resolve } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../../lib/app-error.ts';
import type { Reads } from '../../ports/store.ts';
import { checkPrivateFile, COMPANION_SUFFIXES } from './file-privacy.ts';
import { MIGRATIONS, newestVersion, schemaVersion } from './migrations.ts';
import { APPLICATION_ID, guarded } from './open-database.ts';
import { Statements } from './statements.ts';
import { allReads } from './tables/all-tables.ts';

interface ReadStore {
  readonly read: Reads;
  close(): void;
}

/**
 * Throws AppError `not_found` when there is no database, `storage_failed` when it is another
 * program's, damaged, or of another schema.
 */
export function openReadStore(file: string): ReadStore {
  const path = resolve(file);
  for (const suffix of COMPANION_SUFFIXES) checkPrivateFile(`${path}${suffix}`);
  if (!checkPrivateFile(path))
    throw new AppError('not_found', `There is no database at "${path}".`, { failedBy: 'input' });
  return guarded(path, () => {
    const connection = new Database(path, { readonly: true, fileMustExist: true });
    try {
      if (connection.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
        throw new AppError('storage_failed', `"${path}" is a database of another program.`);
      }
      const version = schemaVersion(connection);
      const newest = newestVersion(MIGRATIONS);
      if (version !== newest) {
        throw new AppError(
          'storage_failed',
          `"${path}" was written by ${version < newest ? 'an older' : 'a newer'} AXON Hub.`,
          {
            hint:
              version < newest
                ? 'Start the hub once: it upgrades the database.'
                : 'Check it with the newer version.',
          },
        );
      }
      return { read: allReads(new Statements(connection)), close: () => connection.close() };
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}
