// Checking the audit: what was changed, removed, put elsewhere, cut off or made anew is found, with a sentence that says where; a check takes
// its time in pieces and can be called off.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainOf } from '../../../../main/adapters/sqlite/audit-chain.ts';
import { AuditCheck } from '../../../../main/services/audit/audit-check.ts';
import { FLAWS_MAX, WALK_ROWS_MAX } from '../../../../main/services/audit/limits.ts';
import { WrittenRows } from '../../../../main/services/audit/written-rows.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';
import { auditRow } from '../../../fakes/sample-rows.ts';
import { rounds } from '../../../support/counts.ts';
import { verifyAudit } from '../../../support/verify-audit.ts';

const CHANGES = rounds('changes to a signed audit', { short: 60, long: 5_000 });
let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

/** What a row about a doubt says of the chain where it does not fit. */
const MARK: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);

describe('the check of a whole audit', () => {
  it('finds nothing, and says up to where it is signed and that it was counted', async () => {
    await house.signThrice();
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: null, signed_seq: 12, seals: 3, counted: true, problem: null });
    await house.clock.settle();
    expect(house.store.read.audit({ limit: 1 })[0]).toMatchObject({
      action: 'audit.checked',
      detail: '{"flaw":null,"row":null}',
      ...PERSON,
    });
  });

  it.each([
    ['a changed row', "UPDATE audit SET actor = 'somebody else' WHERE seq = 6", 'row_changed', 6],
    ['a removed row', 'DELETE FROM audit WHERE seq = 6', 'row_missing', 6],
    ['an unsigned row that was changed', "UPDATE audit SET detail = '[]' WHERE seq = 14", 'row_changed', 14],
    ['an unsigned last row that was removed', 'DELETE FROM audit WHERE seq = 14', 'end_missing', 14],
    [
      'two exchanged rows',
      'UPDATE audit SET seq = 99 WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = 6; UPDATE audit SET seq = 6 WHERE seq = 99',
      'row_changed',
      5,
    ],
    ['a changed signature', 'UPDATE audit_seals SET signature = zeroblob(64) WHERE counter = 2', 'seal_changed', 8],
    ['a changed moment of signing', 'UPDATE audit_seals SET at = at + 1 WHERE counter = 2', 'seal_changed', 8],
    ['a removed signature', 'DELETE FROM audit_seals WHERE counter = 2', 'seal_missing', 12],
    ['a first signature that was removed', 'DELETE FROM audit_seals WHERE counter = 1', 'seal_missing', 8],
    ['a last signature that was removed', 'DELETE FROM audit_seals WHERE counter = 3', 'older_copy', 14],
    [
      'an end that was cut off',
      "DELETE FROM audit WHERE seq > 7; UPDATE sqlite_sequence SET seq = 7 WHERE name = 'audit'",
      'end_missing',
      8,
    ],
    [
      'an end that was cut off with its signatures',
      "DELETE FROM audit WHERE seq > 4; DELETE FROM audit_seals WHERE counter > 1; UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'",
      'older_copy',
      4,
    ],
    [
      'a record of which nothing is left',
      "DELETE FROM audit; DELETE FROM audit_seals; DELETE FROM sqlite_sequence WHERE name = 'audit'",
      'older_copy',
      0,
    ],
  ])('finds %s, and says where', async (_what, sql, kind, seq) => {
    await house.signThrice();
    house.tamper(sql);
    const { state, flaw } = await house.verify();
    expect([state, flaw?.kind, flaw?.seq]).toEqual(['done', kind, seq]);
    expect(flaw?.sentence).toContain(seq === 0 ? 'no row' : String(seq));
  });

  it('finds a chain that was made anew to fit, by what was signed', async () => {
    await house.signThrice();
    house.tamper("DELETE FROM audit WHERE seq > 5; UPDATE sqlite_sequence SET seq = 5 WHERE name = 'audit'");
    await house.act(9, 'approval.declined');
    expect(verifyAudit(house.store.read).brokenSeq).toBeNull();
    const { flaw } = await house.verify();
    expect([flaw?.kind, flaw?.seq]).toEqual(['chain_remade', 8]);
    expect(flaw?.sentence).toContain('rows 5 to 8');
  });

  it('names every place that does not fit, and goes on behind each', async () => {
    await house.signThrice();
    house.tamper(
      `UPDATE audit SET actor = 'somebody' WHERE seq IN (2, 3);
       DELETE FROM audit WHERE seq IN (6, 8);
       UPDATE audit SET chain = zeroblob(32) WHERE seq = 10;
       UPDATE audit_seals SET signature = zeroblob(64) WHERE counter = 3;
       UPDATE audit SET detail = '[]' WHERE seq = 13`,
    );
    const { flaw, flaws } = await house.verify();
    expect(flaws.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['row_changed', 2],
      ['row_changed', 3],
      ['row_missing', 6],
      ['row_missing', 8],
      ['row_changed', 10],
      ['seal_changed', 12],
      ['row_changed', 13],
    ]);
    expect(flaw).toEqual(flaws[0]);
  });

  it('accuses no row behind one of which the chain alone was changed, where it goes on in another piece', async () => {
    await house.act(WALK_ROWS_MAX + 100);
    await house.minute();
    house.tamper(`UPDATE audit SET chain = zeroblob(32) WHERE seq = ${WALK_ROWS_MAX}`);
    expect((await house.verify()).flaws.map(({ kind, seq }) => [kind, seq])).toEqual([['row_changed', WALK_ROWS_MAX]]);
  });

  it('ends where more does not fit than is worth naming', async () => {
    await house.act(FLAWS_MAX * 2);
    await house.minute();
    house.tamper("UPDATE audit SET actor = 'somebody'");
    expect((await house.verify()).flaws.map(({ seq }) => seq)).toEqual(Array.from({ length: FLAWS_MAX }, (_, row) => row + 1));
    expect(house.audit.state).toBe('broken');
  });

  it('leaves the record in doubt for what was signed and does not fit, until the owner has meant it, and names it for ever', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq IN (2, 3)");
    expect((await house.verify()).flaws.map(({ seq, meant }) => [seq, meant])).toEqual([
      [2, false],
      [3, false],
    ]);
    await house.clock.settle();
    const doubts = () => house.store.read.audit({ limit: 50 }).filter(({ action }) => action === 'audit.doubted');
    const named = {
      row: 2,
      flaw: 'changed',
      flaws: [
        [2, 'changed', MARK],
        [3, 'changed', MARK],
      ],
    };
    for (let start = 0; start < 2; start++) {
      expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
      await house.decide();
      await house.minute();
      expect(house.store.read.lastAuditSeal()?.seq).toBe(12);
      expect(doubts().map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([{ why: 'broken', counted: 3, kept: 3, ...named }]);
      await house.verify();
      await house.stop();
      await house.startAgain();
    }
    await house.confirm();
    expect(JSON.parse(house.store.read.audit({ limit: 1 })[0]?.detail ?? '')).toMatchObject({ why: 'broken', ...named });
    for (let start = 0; start < 2; start++) {
      expect((await house.verify()).flaws.map(({ seq, meant }) => [seq, meant])).toEqual([
        [2, true],
        [3, true],
      ]);
      await house.clock.settle();
      expect([house.audit.state, house.audit.rulesMayAct, doubts().length]).toEqual(['current', true, 1]);
      await house.stop();
      await house.startAgain();
    }
    // What comes after what was meant is asked about by itself.
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 7");
    expect((await house.verify()).flaws.map(({ seq, meant }) => [seq, meant])).toEqual([
      [2, true],
      [3, true],
      [7, false],
    ]);
    await house.clock.settle();
    expect([house.audit.state, doubts().length]).toEqual(['broken', 2]);
    expect(JSON.parse(doubts()[0]?.detail ?? '')).toMatchObject({ row: 7, flaw: 'changed' });
    await house.confirm();
    await house.verify();
    await house.clock.settle();
    expect(house.audit.state).toBe('current');
  });

  it('leaves the record in doubt once more for a row before one that was meant, and for that one changed again', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 7");
    await house.verify();
    await house.clock.settle();
    await house.confirm();
    expect((await house.verify()).flaws.map(({ seq, meant }) => [seq, meant])).toEqual([[7, true]]);
    // A row that fits the one before, in front of one that does not fit anyway.
    const [before] = house.store.read.auditAfter(4, 5, 1);
    const [row] = house.store.read.auditAfter(5, 6, 1);
    if (before === undefined || row === undefined) throw new Error('there are no such rows');
    const columns = [row.seq, row.at, row.monotonicMs, 'nobody', row.surface, row.action, row.object, row.rule, row.digest, row.detail];
    const chain = chainOf(
      before.chain,
      columns.map((value, index) => ({ kind: index < 3 ? 'integer' : 'text', bytes: value === null ? null : Buffer.from(String(value)) })),
    );
    house.tamper(`UPDATE audit SET actor = 'nobody', chain = X'${Buffer.from(chain).toString('hex')}' WHERE seq = 6`);
    expect((await house.verify()).flaws.map(({ seq, meant }) => [seq, meant])).toEqual([[7, false]]);
    await house.clock.settle();
    expect(house.audit.state).toBe('broken');
    await house.confirm();
    house.tamper("UPDATE audit SET actor = 'somebody else' WHERE seq = 7");
    expect((await house.verify()).flaw).toMatchObject({ seq: 7, meant: false });
  });

  it('says of itself no more that it found anything, once the owner has said that the record is meant', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 7");
    await house.verify();
    await house.clock.settle();
    expect(house.audit.verification()).toMatchObject({ state: 'done', flaw: { seq: 7, meant: false } });
    await house.confirm();
    expect(house.audit.verification()).toMatchObject({ state: 'none', flaw: null, flaws: [] });
    expect((await house.verify()).flaw).toMatchObject({ seq: 7, meant: true });
  });

  it('takes no row that nobody signed for the owner’s word', async () => {
    await house.signThrice();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 2");
    await house.store.write((tables) => tables.appendAudit(auditRow({ action: 'audit.confirmed', detail: '{"row":2,"flaw":"changed"}' })));
    expect((await house.verify()).flaw).toMatchObject({ seq: 2, meant: false });
    await house.clock.settle();
    expect(house.audit.state).toBe('broken');
  });

  it('that finds something while another doubt stands lets that doubt be ended only once more', async () => {
    await house.signThrice();
    await house.stop();
    house.counter.mark = undefined;
    await house.startAgain();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 2");
    await house.verify();
    await house.clock.settle();
    expect(house.audit.state).toBe('counter_lost');
    await expect(house.confirm()).rejects.toMatchObject({ code: 'conflict' });
    expect(house.audit.state).toBe('counter_lost');
    await house.confirm();
    expect([house.audit.state, (await house.verify()).flaw]).toMatchObject(['current', { seq: 2, meant: true }]);
  });

  it('finds any removal, change or exchange among signed rows and signatures', { timeout: 30_000 + CHANGES * 20 }, async () => {
    await house.signThrice();
    const rows = fc.integer({ min: 1, max: 14 });
    const text = fc.constantFrom('actor', 'surface', 'action', 'object', 'rule', 'digest', 'detail');
    const tampering = fc.oneof(
      rows.map((seq) => `DELETE FROM audit WHERE seq = ${seq}`),
      fc.tuple(rows, text).map(([seq, column]) => `UPDATE audit SET ${column} = coalesce(${column}, '') || ' ' WHERE seq = ${seq}`),
      fc
        .tuple(rows, fc.constantFrom('at', 'monotonic_ms'))
        .map(([seq, column]) => `UPDATE audit SET ${column} = ${column} + 1 WHERE seq = ${seq}`),
      rows.map((seq) => `UPDATE audit SET chain = randomblob(32) WHERE seq = ${seq}`),
      fc
        .tuple(rows, rows)
        .filter(([one, two]) => one !== two)
        .map(([one, two]) => exchange(one, two)),
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('at', 'seq', 'counter'))
        .map(([counter, column]) => `UPDATE audit_seals SET ${column} = ${column} + 10 WHERE counter = ${counter}`),
    );
    // As a hub that has just started looks, which remembers nothing of its own.
    const check = new AuditCheck({
      store: house.store,
      clock: house.clock,
      keyHex: () => house.store.read.getMeta('identity_key') ?? null,
      databaseId: () => house.store.read.getMeta('database_id') ?? '',
      keptCount: () => house.counter.mark?.value ?? null,
      written: new WrittenRows(),
      leftUnsigned: () => null,
    });
    house.tamper('CREATE TABLE kept AS SELECT * FROM audit; CREATE TABLE kept_seals AS SELECT * FROM audit_seals');
    await fc.assert(
      fc.asyncProperty(tampering, async (sql) => {
        house.tamper(sql);
        expect((await check.whole()).flaw).not.toBeNull();
        house.tamper(
          "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; UPDATE sqlite_sequence SET seq = 14 WHERE name = 'audit'; DELETE FROM audit_seals; INSERT INTO audit_seals SELECT * FROM kept_seals",
        );
      }),
      { numRuns: CHANGES },
    );
    expect((await check.whole()).flaw).toBeNull();
  });

  it('says of a hub that was ended again before it had signed all that is not signed, and not what the end before left', async () => {
    await house.act(2);
    await house.crash();
    await house.startAgain();
    await house.act(3);
    const check = new AuditCheck({
      store: house.store,
      clock: house.clock,
      keyHex: () => null,
      databaseId: () => '',
      keptCount: () => null,
      written: new WrittenRows(),
      leftUnsigned: () => ({ rows: 6, fromSeq: 1, fromAt: null }),
    });
    expect(await check.whole()).toMatchObject({ flaw: null, unsigned_end: { rows: 6, from_seq: 1, ends: 2 } });
  });

  it('that cannot be read to its end lets no rule act, until the owner has said that the record is meant', async () => {
    await house.signThrice();
    house.tamper('ALTER TABLE audit_seals RENAME COLUMN key TO other');
    expect((await house.verify()).state).toBe('failed');
    await house.clock.settle();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    house.tamper('ALTER TABLE audit_seals RENAME COLUMN other TO key');
    await house.minute();
    expect(house.audit.rulesMayAct).toBe(false);
    // No row could be written about it: it is now, and read first.
    await expect(house.confirm()).rejects.toMatchObject({ code: 'conflict' });
    expect(house.audit.doubt).toMatchObject({ action: 'audit.doubted', detail: { why: 'broken' } });
    await house.confirm();
    expect([house.audit.state, (await house.verify()).flaw]).toEqual(['current', null]);
  });

  it.each([
    ['rows with fractions', 'audit', 'UPDATE audit SET seq = 2.5 WHERE seq = 2'],
    ['rows twice under one number', 'audit', 'UPDATE audit SET seq = 3 WHERE seq = 2'],
    ['rows under words', 'audit', "UPDATE audit SET seq = 'two' WHERE seq = 2"],
    ['signatures with fractions', 'audit_seals', 'UPDATE audit_seals SET counter = 3.5 WHERE counter = 3'],
    ['signatures twice under one number', 'audit_seals', 'UPDATE audit_seals SET counter = 2 WHERE counter = 3'],
  ])('comes to an end where the numbers of a table are none, and no rule acts over a restart: %s', async (_what, table, sql) => {
    await house.signThrice();
    house.tamper(`CREATE TABLE plain AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE plain RENAME TO ${table}; ${sql}`);
    expect(await house.verify()).toMatchObject({ state: 'failed', problem: expect.stringContaining('made a table of the record anew') });
    await house.clock.settle();
    expect(house.audit.rulesMayAct).toBe(false);
    await house.stop();
    await house.startAgain();
    await house.minute();
    expect(house.audit.rulesMayAct).toBe(false);
    expect((await house.verify()).state).toBe('failed');
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
    expect(await house.audit.cancelVerification()).toMatchObject({ state: 'cancelled', flaw: null });
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: null });
  });

  it('looks at no more rows in one turn over many signatures than within one', async () => {
    const between = Math.ceil(WALK_ROWS_MAX / 4);
    for (let seal = 0; seal < 12; seal++) {
      await house.act(between);
      await house.minute();
    }
    house.audit.verify(PERSON);
    const looked: number[] = [];
    for (let before = 0; house.audit.verification().state === 'running'; before = house.audit.verification().checked) {
      await new Promise((resolve) => setImmediate(resolve));
      looked.push(house.audit.verification().checked - before);
    }
    expect(house.audit.verification()).toMatchObject({ state: 'done', flaw: null, seals: 12, checked: between * 12 });
    expect(Math.max(...looked)).toBeLessThanOrEqual(WALK_ROWS_MAX);
  });

  it('says so when the count could not be asked', async () => {
    await house.act();
    await house.stop();
    house.counter.trouble = 'locked';
    await house.startAgain();
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: null, counted: false });
    house.counter.trouble = undefined;
  });
});

function exchange(one: number, two: number): string {
  return `UPDATE audit SET seq = 0 WHERE seq = ${one}; UPDATE audit SET seq = ${one} WHERE seq = ${two}; UPDATE audit SET seq = ${two} WHERE seq = 0`;
}
