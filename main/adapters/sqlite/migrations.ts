// The numbered steps from an empty file to the newest schema, and the one way to run them: each step in its own transaction together
// with its number in user_version, so that a step is done whole or not at all. A step that was released is never edited.
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Connection } from './statements.ts';
import { rechainAudit } from './rechain-audit.ts';
import initial from './migrations/0001-initial.sql?raw';
import ownTime from './migrations/0002-own-time.sql?raw';
import rules from './migrations/0003-rules.sql?raw';
import ruleTrust from './migrations/0004-rule-trust.sql?raw';
import takingBack from './migrations/0005-taking-back.sql?raw';
import attention from './migrations/0006-attention.sql?raw';
import audit from './migrations/0007-audit.sql?raw';
import waiting from './migrations/0008-waiting.sql?raw';
import answered from './migrations/0009-answered.sql?raw';
import introduced from './migrations/0010-introduced.sql?raw';
import role from './migrations/0011-role.sql?raw';
import retention from './migrations/0012-retention.sql?raw';
import auditNumbers from './migrations/0013-audit-numbers.sql?raw';
import lookedThrough from './migrations/0014-looked-through.sql?raw';

export interface Migration {
  /** The schema's number after this step; steps count from 1 without a gap. */
  readonly version: number;
  /** What SQL alone cannot do, before it, in the same transaction. @param nowMs wall clock */
  readonly prepare?: (connection: Connection, nowMs: number) => void;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: initial },
  { version: 2, sql: ownTime },
  { version: 3, sql: rules },
  { version: 4, sql: ruleTrust },
  { version: 5, sql: takingBack },
  { version: 6, sql: attention },
  { version: 7, prepare: rechainAudit, sql: audit },
  { version: 8, sql: waiting },
  { version: 9, sql: answered },
  { version: 10, sql: introduced },
  { version: 11, sql: role },
  { version: 12, sql: retention },
  { version: 13, sql: auditNumbers },
  { version: 14, sql: lookedThrough },
];

export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The schema number stored in the file; 0 for an empty database. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

/**
 * Runs what is missing; `nowMs` is the wall clock. Throws AppError `storage_failed` when a step fails; the steps before it stay, the failed
 * one leaves nothing.
 */
export function migrate(connection: Connection, migrations: readonly Migration[], nowMs: number): void {
  const from = schemaVersion(connection);
  for (const [index, { version, prepare, sql }] of migrations.entries()) {
    assert(version === index + 1, 'migrations are numbered from 1 without a gap');
    if (version <= from) continue;
    try {
      connection
        .transaction(() => {
          prepare?.(connection, nowMs);
          connection.exec(sql);
          connection.pragma(`user_version = ${version}`);
        })
        .immediate();
    } catch (error) {
      throw new AppError('storage_failed', `The database could not be brought to version ${version}; it stays at version ${version - 1}.`, {
        hint: 'Check the free space and the disk of the data folder, then start again.',
        cause: error,
      });
    }
  }
}
