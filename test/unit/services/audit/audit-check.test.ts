// Checking the audit log: whatever was changed, removed, moved, cut off or chained anew is found,
// and the first row that does not fit is named; a check takes its time in pieces and can be called
// off.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainOf } from '../../../../main/adapters/sqlite/audit-bytes.ts';
import { AuditCheck } from '../../../../main/services/audit/audit-check.ts';
import { WALK_ROWS_MAX } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';
import { auditRow } from '../../../fakes/sample-rows.ts';
import { LOOSE_ROWS, LOOSE_SIGNATURES } from '../../../fakes/tampering.ts';
import { rounds } from '../../../support/counts.ts';

const CHANGES = rounds('changes to a signed audit', { short: 60, long: 5_000 });
/** One above the highest whole number that this program reads. */
const OUT_OF_RANGE = '9007199254740993';
let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

describe('the check of a whole audit log', () => {
  it('finds nothing, says up to where it is signed and that it was counted, and is written down', async () => {
    await house.signThrice();
    expect(await house.verify()).toMatchObject({
      state: 'done',
      finding: null,
      signed_seq: 12,
      signatures: 3,
      counted: true,
      problem: null,
    });
    const [row] = house.store.read.audit({ limit: 1 });
    expect(row).toMatchObject({
      action: 'audit.checked',
      detail: '{"finding":null,"row":null}',
      ...PERSON,
    });
  });

  it.each([
    ['a changed row', "UPDATE audit SET actor = 'somebody else' WHERE seq = 6", 'changed', 6, 8],
    ['a removed row', 'DELETE FROM audit WHERE seq = 6', 'missing', 6, 8],
    [
      'an unsigned row that was changed',
      "UPDATE audit SET detail = '[]' WHERE seq = 14",
      'changed',
      14,
      0,
    ],
    ['an unsigned last row that was removed', 'DELETE FROM audit WHERE seq = 14', 'missing', 14, 0],
    [
      'a row of which the chain alone was changed',
      'UPDATE audit SET chain = zeroblob(32) WHERE seq = 10',
      'changed',
      10,
      4,
    ],
    [
      'several changed rows, by the first',
      "UPDATE audit SET actor = 'x' WHERE seq IN (3, 9, 13)",
      'changed',
      3,
      11,
    ],
    [
      'two exchanged rows',
      'UPDATE audit SET seq = 99 WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = 6; UPDATE audit SET seq = 6 WHERE seq = 99',
      'changed',
      5,
      9,
    ],
    [
      'a changed signature',
      'UPDATE audit_signatures SET signature = zeroblob(64) WHERE counter = 2',
      'signature',
      5,
      9,
    ],
    [
      'a changed moment of signing',
      'UPDATE audit_signatures SET at = at + 1 WHERE counter = 2',
      'signature',
      5,
      9,
    ],
    [
      'a moment out of range',
      `${LOOSE_SIGNATURES} UPDATE audit_signatures SET at = -${OUT_OF_RANGE} WHERE counter = 2`,
      'signature',
      5,
      9,
    ],
    [
      'a row count out of range',
      `${LOOSE_SIGNATURES} UPDATE audit_signatures SET seq = ${OUT_OF_RANGE} WHERE counter = 3`,
      'signature',
      9,
      5,
    ],
    ['a removed signature', 'DELETE FROM audit_signatures WHERE counter = 2', 'signature', 5, 9],
    [
      'a first signature that was removed',
      'DELETE FROM audit_signatures WHERE counter = 1',
      'signature',
      1,
      13,
    ],
    [
      'a last signature that was removed',
      'DELETE FROM audit_signatures WHERE counter = 3',
      'older_copy',
      14,
      0,
    ],
    [
      'a time out of range',
      `${LOOSE_ROWS} UPDATE audit SET at = ${OUT_OF_RANGE} WHERE seq = 7`,
      'changed',
      7,
      7,
    ],
    [
      'a number with a fraction',
      plain('UPDATE audit SET seq = 2.5 WHERE seq = 2'),
      'changed',
      2,
      13,
    ],
    ['a number twice', plain('UPDATE audit SET seq = 3 WHERE seq = 2'), 'missing', 2, 13],
    [
      'an end that was cut off',
      "DELETE FROM audit WHERE seq > 7; UPDATE sqlite_sequence SET seq = 7 WHERE name = 'audit'",
      'missing',
      8,
      0,
    ],
    [
      'an end that was cut off with its signatures',
      "DELETE FROM audit WHERE seq > 4; DELETE FROM audit_signatures WHERE counter > 1; UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'",
      'older_copy',
      4,
      0,
    ],
    [
      'a log of which nothing is left',
      "DELETE FROM audit; DELETE FROM audit_signatures; DELETE FROM sqlite_sequence WHERE name = 'audit'",
      'older_copy',
      0,
      0,
    ],
  ])(
    'finds %s, names the first row and says how many follow',
    async (_what, sql, kind, row, following) => {
      await house.signThrice();
      house.tamper(sql);
      const { state, finding } = await house.verify();
      expect([state, finding?.kind, finding?.row, finding?.following]).toEqual([
        'done',
        kind,
        row,
        following,
      ]);
    },
  );

  it('finds rows that were chained anew to fit, by the signature over them', async () => {
    await house.signThrice();
    const [before] = house.store.read.auditAfter(6, 7, 1);
    const [row] = house.store.read.auditAfter(7, 8, 1);
    if (before === undefined || row === undefined) throw new Error('there are no such rows');
    const values = [
      row.seq,
      row.at,
      row.monotonicMs,
      'nobody',
      row.surface,
      row.action,
      row.object,
      row.rule,
      row.digest,
      row.detail,
    ];
    const columns = values.map((value, index) => ({
      kind: index < 3 ? ('integer' as const) : ('text' as const),
      bytes: value === null ? null : Buffer.from(String(value)),
    }));
    const chain = Buffer.from(chainOf(before.chain, columns)).toString('hex');
    house.tamper(`UPDATE audit SET actor = 'nobody', chain = X'${chain}' WHERE seq = 8`);
    expect((await house.verify()).finding).toMatchObject({ kind: 'rechained', row: 5, up_to: 8 });
  });

  it('lets no rule act for what it found in what was signed long ago, over a restart, until the owner has acknowledged it once', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 2");
    for (let start = 0; start < 2; start++) {
      expect((await house.verify()).finding).toMatchObject({ kind: 'changed', row: 2 });
      expect([house.audit.state, house.audit.rulesMayAct, house.audit.isOpen]).toEqual([
        'tampered',
        false,
        true,
      ]);
      await house.decide();
      await house.minute();
      expect(house.store.read.lastAuditSignature()?.seq).toBe(12);
      await house.stop();
      await house.startAgain();
    }
    expect(house.actions().filter((action) => action === 'audit.tampered')).toHaveLength(1);
    await house.acknowledge();
    const [row] = house.store.read.audit({ limit: 1 });
    expect(row).toMatchObject({ action: 'audit.acknowledged', ...PERSON });
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({ row: 2, kind: 'changed' });
    for (let start = 0; start < 2; start++) {
      const { finding, acknowledged } = await house.verify();
      expect([finding, acknowledged]).toEqual([
        null,
        [{ row: 2, acknowledged_row: row?.seq, at: row?.at, by: PERSON.actor }],
      ]);
      expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['ok', true]);
      await house.stop();
      await house.startAgain();
    }
  });

  it('finds what comes after what was acknowledged, and what was changed before it', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 7");
    await house.verify();
    await house.acknowledge();
    await house.act(3);
    await house.minute();
    const later = house.store.read.auditHead().seq - 1;
    house.tamper(`UPDATE audit SET actor = 'somebody' WHERE seq = ${later}`);
    expect(await house.verify()).toMatchObject({
      finding: { kind: 'changed', row: later },
      acknowledged: [{ row: 7 }],
    });
    await house.acknowledge();
    expect(await house.verify()).toMatchObject({
      finding: null,
      acknowledged: [{ row: 7 }, { row: later }],
    });
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 3");
    expect(await house.verify()).toMatchObject({
      finding: { kind: 'changed', row: 3 },
      acknowledged: [],
    });
    expect(house.audit.state).toBe('tampered');
  });

  it('whose end was removed, so that its numbers are given again, is acknowledged once', async () => {
    await house.signThrice();
    await house.stop();
    house.tamper('DELETE FROM audit WHERE seq > (SELECT max(seq) - 3 FROM audit)');
    house.tamper(
      "UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM audit) WHERE name = 'audit'",
    );
    await house.startAgain();
    expect(house.audit.state).toBe('tampered');
    await house.acknowledge();
    await house.act(5);
    await house.minute();
    expect(await house.verify()).toMatchObject({ finding: null, acknowledged: [{}] });
    expect(house.audit.state).toBe('ok');
  });

  it('takes no row that the hub did not sign by itself for an acknowledgement', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 2");
    await house.store.write((tables) =>
      tables.appendAudit(auditRow({ action: 'audit.acknowledged', detail: '{"row":2}' })),
    );
    await house.minute();
    expect([
      house.audit.state,
      house.audit.finding?.row,
      house.store.read.lastAuditSignature()?.seq,
    ]).toEqual(['tampered', 15, 12]);
    expect((await house.verify()).finding).toMatchObject({ row: 2 });
  });

  it(
    'finds any removal, change or exchange among signed rows and signatures',
    { timeout: 30_000 + CHANGES * 20 },
    async () => {
      await house.signThrice();
      const rows = fc.integer({ min: 1, max: 14 });
      const text = fc.constantFrom(
        'actor',
        'surface',
        'action',
        'object',
        'rule',
        'digest',
        'detail',
      );
      const ofRow = (arbitrary: fc.Arbitrary<readonly [number, string]>) =>
        arbitrary.map(([seq, sql]) => [sql, seq] as const);
      const tampering: fc.Arbitrary<readonly [sql: string, first: number]> = fc.oneof(
        ofRow(rows.map((seq) => [seq, `DELETE FROM audit WHERE seq = ${seq}`])),
        ofRow(
          fc
            .tuple(rows, text)
            .map(([seq, column]) => [
              seq,
              `UPDATE audit SET ${column} = coalesce(${column}, '') || ' ' WHERE seq = ${seq}`,
            ]),
        ),
        ofRow(
          fc
            .tuple(rows, fc.constantFrom('at', 'monotonic_ms'))
            .map(([seq, column]) => [
              seq,
              `UPDATE audit SET ${column} = ${column} + 1 WHERE seq = ${seq}`,
            ]),
        ),
        ofRow(
          rows.map((seq) => [seq, `UPDATE audit SET chain = randomblob(32) WHERE seq = ${seq}`]),
        ),
        ofRow(
          fc
            .tuple(rows, rows)
            .filter(([one, two]) => one !== two)
            .map(([one, two]) => [Math.min(one, two), exchange(one, two)]),
        ),
        ofRow(
          fc
            .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('at', 'seq', 'counter'))
            .map(([counter, column]) => [
              counter * 4 - 3,
              `UPDATE audit_signatures SET ${column} = ${column} + 10 WHERE counter = ${counter}`,
            ]),
        ),
      );
      // As a hub that has just started looks, which remembers nothing of its own.
      const check = new AuditCheck({
        store: house.store,
        clock: house.clock,
        keyHex: () => house.store.read.getMeta('identity_key') ?? null,
        databaseId: () => house.store.read.getMeta('database_id') ?? '',
        keptCount: () => house.counter.mark?.value ?? null,
      });
      house.tamper(
        'CREATE TABLE kept AS SELECT * FROM audit; CREATE TABLE kept_signatures AS SELECT * FROM audit_signatures',
      );
      await fc.assert(
        fc.asyncProperty(tampering, async ([sql, first]) => {
          house.tamper(sql);
          expect((await check.whole()).finding?.row).toBe(first);
          house.tamper(
            "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; UPDATE sqlite_sequence SET seq = 14 WHERE name = 'audit'; DELETE FROM audit_signatures; INSERT INTO audit_signatures SELECT * FROM kept_signatures",
          );
        }),
        { numRuns: CHANGES },
      );
      expect((await check.whole()).finding).toBeNull();
    },
  );

  it('that cannot be read to its end lets no rule act, until the owner has acknowledged that', async () => {
    await house.signThrice();
    house.tamper('ALTER TABLE audit_signatures RENAME COLUMN key TO other');
    expect((await house.verify()).state).toBe('failed');
    expect([house.audit.state, house.audit.finding?.kind]).toEqual(['tampered', 'unreadable']);
    house.tamper('ALTER TABLE audit_signatures RENAME COLUMN other TO key');
    await house.minute();
    expect(house.audit.rulesMayAct).toBe(false);
    await house.acknowledge();
    expect([house.audit.state, (await house.verify()).finding]).toEqual(['ok', null]);
  });

  it('goes on in pieces, says how far it is, and can be called off', async () => {
    await house.act(WALK_ROWS_MAX * 3);
    house.audit.verify(PERSON);
    const seen = new Set<number>();
    while (house.audit.verification().checked < WALK_ROWS_MAX * 2) {
      seen.add(house.audit.verification().checked);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen.size).toBeGreaterThan(1);
    expect(house.audit.verify(PERSON)).toMatchObject({ state: 'running', rows: WALK_ROWS_MAX * 3 });
    expect(await house.audit.cancelVerification()).toMatchObject({
      state: 'cancelled',
      finding: null,
    });
    expect(await house.verify()).toMatchObject({ state: 'done', finding: null });
  });

  it('says so when the count could not be asked', async () => {
    await house.act();
    await house.stop();
    house.counter.trouble = 'locked';
    await house.startAgain();
    expect(await house.verify()).toMatchObject({ state: 'done', finding: null, counted: false });
    house.counter.trouble = undefined;
  });
});

describe('the highest number that was given, as SQLite notes it,', () => {
  it.each([
    ['out of range', "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'audit'"],
    ['a word', "UPDATE sqlite_sequence SET seq = 'many' WHERE name = 'audit'"],
    ['away', "DELETE FROM sqlite_sequence WHERE name = 'audit'"],
  ])(
    '%s, keeps no row from being written and signed, and an end that is taken away after that shows',
    async (_how, sql) => {
      await house.signThrice();
      house.tamper(sql);
      await house.decide();
      await house.minute();
      expect([house.audit.state, house.store.read.lastAuditSignature()?.seq]).toEqual(['ok', 15]);
      await house.decide();
      await house.crash();
      house.tamper('DELETE FROM audit WHERE seq = 16');
      await house.startAgain();
      expect((await house.verify()).finding).toMatchObject({ kind: 'missing', row: 16 });
    },
  );
});

function exchange(one: number, two: number): string {
  return `UPDATE audit SET seq = 0 WHERE seq = ${one}; UPDATE audit SET seq = ${one} WHERE seq = ${two}; UPDATE audit SET seq = ${two} WHERE seq = 0`;
}

/** In a table that takes any number, twice as well. */
function plain(sql: string): string {
  return `CREATE TABLE plain AS SELECT * FROM audit; DROP TABLE audit; ALTER TABLE plain RENAME TO audit; ${sql}`;
}
