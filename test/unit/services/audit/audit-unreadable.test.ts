// Values that no hub writes and SQLite takes: a number out of range in a row or a signature ends no check, and is named like any other
// change.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainOf } from '../../../../main/adapters/sqlite/audit-chain.ts';
import { AUDIT_NUMBER_MAX } from '../../../../main/ports/audit.ts';
import { AuditHouse } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
  await house.signThrice();
});
afterEach(() => house.close());

/** One above the highest whole number that this program reads. */
const OUT_OF_RANGE = '9007199254740993';

async function places() {
  const { state, flaws } = await house.verify();
  await house.clock.settle();
  return [state, ...flaws.map(({ kind, seq, meant }) => [kind, seq, meant])];
}

describe('a row with a time out of range', () => {
  it.each([
    ['before a signed one', 3],
    ['that is signed itself', 4],
    ['behind a signed one', 5],
    ['before the last signed one', 11],
    ['that was signed last', 12],
    ['behind the last signature', 13],
    ['at the end', 14],
  ])('is named by a check, leaves the record in doubt and is meant by the owner’s word: %s', async (_where, seq) => {
    house.tamper(`UPDATE audit SET at = ${OUT_OF_RANGE}, monotonic_ms = -${OUT_OF_RANGE} WHERE seq = ${seq}`);
    expect(await places()).toEqual(['done', ['row_changed', seq, false]]);
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    await house.confirm();
    expect(await places()).toEqual(['done', ['row_changed', seq, true]]);
    await house.decide();
    await house.minute();
    expect([house.audit.state, house.store.read.lastAuditSeal()?.seq]).toEqual(['current', house.store.read.auditHead().seq]);
  });

  it('that was signed holds no later signature up', async () => {
    house.tamper(`UPDATE audit SET at = ${OUT_OF_RANGE} WHERE seq = 12`);
    await house.minute();
    expect(house.store.read.lastAuditSeal()?.seq).toBe(14);
  });

  it('that nobody signed keeps no hub from starting, which says what was not signed and not when it began', async () => {
    await house.crash();
    house.tamper(`UPDATE audit SET at = ${OUT_OF_RANGE} WHERE seq = 13`);
    await house.startAgain();
    expect(house.audit.verification().unsigned_end).toEqual({ rows: 2, from_seq: 13, from_at: null, ends: 1 });
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    expect(await places()).toEqual(['done', ['row_changed', 13, false]]);
  });

  it('that fits and reads like an end of the hub ends no check either', async () => {
    const values = [
      '15',
      OUT_OF_RANGE,
      null,
      'hub',
      'hub',
      'hub.ended_unexpectedly',
      'hub',
      null,
      null,
      '{"rows":2,"from_row":13}',
    ] as const;
    const bytes = values.map((value) => (value === null ? null : Buffer.from(value)));
    const chain = chainOf(
      house.store.read.auditHead().chain,
      bytes.map((one, index) => ({ kind: index < 3 ? 'integer' : 'text', bytes: one })),
    );
    const columns = values.map((value) => (value === null ? 'NULL' : `'${value}'`)).join(', ');
    house.tamper(
      `INSERT INTO audit (seq, at, monotonic_ms, actor, surface, action, object, rule, digest, detail, chain)
       VALUES (${columns}, X'${Buffer.from(chain).toString('hex')}')`,
    );
    expect(await places()).toEqual(['done', ['row_added', 15, false]]);
    expect(house.audit.verification().unsigned_end).toEqual({ rows: 2, from_seq: 13, from_at: null, ends: 1 });
  });
});

describe('a signature with a number out of range', () => {
  it.each([
    ['the moment of the last one', 'at', 4, ['seal_changed', 14, false]],
    ['the moment of one before', 'at', 2, ['seal_changed', 8, false]],
    ['the one before it', 'previous', 2, ['seal_changed', 8, false]],
  ])('is named by a check, keeps no hub from starting and is meant by the owner’s word: %s', async (_what, column, counter, flaw) => {
    await house.stop();
    house.tamper(`UPDATE audit_seals SET ${column} = -${OUT_OF_RANGE} WHERE counter = ${counter}`);
    await house.startAgain();
    expect(await places()).toEqual(['done', flaw]);
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    await house.confirm();
    await house.decide();
    await house.minute();
    expect([house.audit.state, house.store.read.lastAuditSeal()?.seq]).toEqual(['current', house.store.read.auditHead().seq]);
    expect(await places()).toEqual(['done', [...flaw.slice(0, 2), true]]);
  });

  it('of the last row that it covers is named by a check, and leaves the record in doubt', async () => {
    house.tamper(`UPDATE audit_seals SET seq = ${OUT_OF_RANGE} WHERE counter = 3`);
    const [state, ...found] = await places();
    expect([state, found]).toEqual(['done', expect.arrayContaining([['seal_changed', Number.MAX_SAFE_INTEGER, false]])]);
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
  });
});

describe('the highest number that was given, as SQLite notes it,', () => {
  it.each([
    ['out of range', "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'audit'"],
    ['below all', "UPDATE sqlite_sequence SET seq = -9223372036854775807 WHERE name = 'audit'"],
    ['a word', "UPDATE sqlite_sequence SET seq = 'many' WHERE name = 'audit'"],
    ['nothing', "UPDATE sqlite_sequence SET seq = NULL WHERE name = 'audit'"],
    ['away', "DELETE FROM sqlite_sequence WHERE name = 'audit'"],
  ])('%s, keeps no row from being written and signed, and an end that is taken away after that shows', async (_how, sql) => {
    house.tamper(sql);
    await house.decide();
    await house.minute();
    const { seq } = house.store.read.auditHead();
    expect([house.audit.state, seq, house.store.read.lastAuditSeal()?.seq]).toEqual(['current', 15, 15]);
    await house.decide();
    await house.crash();
    house.tamper('DELETE FROM audit WHERE seq = 16');
    await house.startAgain();
    expect((await house.places())[0]?.slice(0, 2)).toEqual(['row_missing', 16]);
  });
});

it('a row under the highest number that a hub gives leaves none for the next, which is said', async () => {
  house.tamper(
    `INSERT INTO audit SELECT ${AUDIT_NUMBER_MAX}, at, actor, surface, action, object, digest, detail, chain, monotonic_ms, rule FROM audit WHERE seq = 2`,
  );
  await expect(house.decide()).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringContaining(`another program put row ${AUDIT_NUMBER_MAX} there`),
  });
  expect(await house.places()).toContainEqual(['row_missing', 15, false]);
  expect(house.audit.rulesMayAct).toBe(false);
});
