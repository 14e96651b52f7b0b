// The audit's chain: whatever is done to any row or column of it, by a program with the database
// open and the guards taken off, shows.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { CHAIN_START } from '../../../../main/ports/audit.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import { auditRow, keyOf } from '../../../fakes/sample-rows.ts';
import { rounds } from '../../../support/counts.ts';
import { verifyAudit } from '../../../support/verify-audit.ts';

const CHANGES = rounds('changes to a random row of the audit', { short: 300, long: 20_000 });
const ROWS = 40;
const COLUMNS = [
  'seq',
  'at',
  'monotonic_ms',
  'actor',
  'surface',
  'action',
  'object',
  'rule',
  'digest',
  'detail',
  'chain',
] as const;

const open: TemporaryStore[] = [];
const connections: Database.Database[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  for (const store of open.splice(0)) await store.close();
});

async function filledStore(rows = ROWS, clock = new ManualClock()): Promise<TemporaryStore> {
  const store = openTemporaryStore(clock);
  open.push(store);
  await store.write((tables) => {
    for (let index = 0; index < rows; index++) {
      const more = {
        rule: index % 3 === 0 ? `rule-${index}` : null,
        digest: index % 4 === 0 ? null : keyOf(`view ${index}`),
      };
      tables.appendAudit(
        auditRow({
          object: `approval-${index}`,
          detail: JSON.stringify({ index, who: 'Müller 🦊' }),
          ...more,
        }),
      );
    }
  });
  return store;
}

/** A program with a connection of its own, after it took the guards off. */
function foreign(store: TemporaryStore): Database.Database {
  const db = new Database(join(store.folder, 'hub.db'));
  connections.push(db);
  db.pragma('synchronous = OFF');
  db.exec(
    'DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept; DROP TRIGGER audit_in_order; CREATE TEMP TABLE kept AS SELECT * FROM audit',
  );
  return db;
}

const seq = fc.integer({ min: 1, max: ROWS });
const textValue = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc.constant(null),
);
const editOf = (
  column: (typeof COLUMNS)[number],
  value: fc.Arbitrary<string | number | null | Uint8Array>,
) => fc.record({ kind: fc.constant('edit' as const), seq, column: fc.constant(column), value });
const valueOf = (
  column: (typeof COLUMNS)[number],
): fc.Arbitrary<string | number | null | Uint8Array> => {
  if (column === 'chain') return fc.uint8Array({ minLength: 32, maxLength: 32 });
  return column === 'seq' || column === 'at' || column === 'monotonic_ms'
    ? fc.integer()
    : textValue;
};
/** Each way to tamper with the audit, by its name. */
const TAMPERINGS = [
  ...COLUMNS.map((column) => [`a change of ${column}`, editOf(column, valueOf(column))] as const),
  ['a removal', fc.record({ kind: fc.constant('delete' as const), seq })] as const,
  [
    'an exchange',
    fc.record({ kind: fc.constant('swap' as const), seq, other: seq, withChain: fc.boolean() }),
  ] as const,
];

type Tampering = (typeof TAMPERINGS)[number][1] extends fc.Arbitrary<infer T> ? T : never;

const TEXTS = COLUMNS.filter(
  (column) => !['seq', 'at', 'monotonic_ms', 'chain'].includes(column),
).join(', ');

/** @returns false when the database itself did not take it, or it changed nothing */
function tamper(db: Database.Database, what: Tampering): boolean {
  const dump = (): string =>
    JSON.stringify(db.prepare('SELECT *, hex(chain) FROM audit ORDER BY seq').raw(true).all());
  const before = dump();
  try {
    if (what.kind === 'edit')
      db.prepare(`UPDATE audit SET ${what.column} = ? WHERE seq = ?`).run(what.value, what.seq);
    else if (what.kind === 'delete') db.prepare('DELETE FROM audit WHERE seq = ?').run(what.seq);
    else {
      const columns = what.withChain
        ? `${TEXTS}, at, monotonic_ms, chain`
        : `${TEXTS}, at, monotonic_ms`;
      const rowOf = db
        .prepare<[number], unknown[]>(`SELECT ${columns} FROM audit WHERE seq = ?`)
        .raw(true);
      const [one, two] = [rowOf.get(what.seq) ?? [], rowOf.get(what.other) ?? []];
      const put = db.prepare(
        `UPDATE audit SET ${columns
          .split(', ')
          .map((name) => `${name} = ?`)
          .join(', ')} WHERE seq = ?`,
      );
      put.run(...one, what.other);
      put.run(...two, what.seq);
    }
  } catch {
    return false;
  }
  return dump() !== before;
}

describe('the chain of the audit', () => {
  test.each(TAMPERINGS)(
    'shows %s in any row, and fits again when that is undone',
    { timeout: 300_000 },
    async (_name, tampering: fc.Arbitrary<Tampering>) => {
      const store = await filledStore();
      const db = foreign(store);
      let changes = 0;
      fc.assert(
        fc.property(tampering, (what) => {
          if (!tamper(db, what)) return;
          changes += 1;
          expect(verifyAudit(store.read).brokenSeq).not.toBeNull();
          db.exec(
            `DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; UPDATE sqlite_sequence SET seq = ${ROWS} WHERE name = 'audit'`,
          );
        }),
        { numRuns: Math.ceil(CHANGES / TAMPERINGS.length) },
      );
      expect(changes).toBeGreaterThan(0);
      expect(verifyAudit(store.read)).toEqual({ rows: ROWS, brokenSeq: null });
    },
  );

  test('covers the bytes: text that only reads the same is another', async () => {
    const store = await filledStore(3);
    await store.write((tables) => tables.appendAudit(auditRow({ object: 'a\ufffdb' })));
    foreign(store).exec("UPDATE audit SET object = CAST(x'61ff62' AS TEXT) WHERE seq = 4");
    expect(store.read.audit({ limit: 1 })[0]?.object).toBe('a\ufffdb');
    expect(verifyAudit(store.read)).toEqual({ rows: 4, brokenSeq: 4 });
  });

  test('keeps the gap where the newest rows were taken away, whatever is written after', async () => {
    const store = await filledStore(5);
    foreign(store).exec('DELETE FROM audit WHERE seq >= 4');
    await store.write((tables) => tables.appendAudit(auditRow()));
    expect(store.read.audit({ limit: 9 }).map((row) => row.seq)).toEqual([6, 3, 2, 1]);
    expect(verifyAudit(store.read).brokenSeq).toBe(4);
  });

  test('can be walked in pieces of any size, from any place', async () => {
    const store = await filledStore();
    for (const limit of [1, 7, ROWS - 1, ROWS, ROWS + 1]) {
      let position = CHAIN_START;
      while (position.seq < ROWS) {
        const walked = store.read.walkAudit(position, ROWS, limit);
        expect(walked.mismatch).toBeNull();
        expect(walked.position.seq).toBe(Math.min(position.seq + limit, ROWS));
        ({ position } = walked);
      }
      expect(position).toEqual({ seq: ROWS, chain: store.read.auditHead().chain });
    }
  });

  test('a row says when it was written by a clock that nobody sets, too', async () => {
    const clock = new ManualClock();
    const store = await filledStore(1, clock);
    await clock.advance(1_500);
    await store.write((tables) => tables.appendAudit(auditRow()));
    const [second, first] = store.read.audit({ limit: 2 });
    expect(Number(second?.monotonicMs) - Number(first?.monotonicMs)).toBe(1_500);
  });
});
