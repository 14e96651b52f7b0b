// The row that says which doubt there is: there is one whenever a record is in doubt, it is one that the hub wrote, and nobody means the record
// without having read it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.signed();
});
afterEach(() => house.close());

const FORGED_FIRST = `INSERT INTO audit (seq, at, monotonic_ms, actor, surface, action, object, rule, digest, detail, chain)
  SELECT 0, at, monotonic_ms, 'hub', 'hub', 'audit.doubted', 'audit', NULL, NULL, '{"why":"broken","row":9}', chain FROM audit WHERE seq = 2`;

const doubts = () => house.store.read.audit({ limit: 20 }).filter(({ action }) => action === 'audit.doubted');

async function doubted(): Promise<void> {
  await house.addForeign();
  await house.decide();
  await house.minute();
  expect([house.audit.state, doubts().length]).toEqual(['broken', 1]);
}

describe('the row about a doubt', () => {
  it('is no row below the first, whatever that reads like', async () => {
    house.tamper(FORGED_FIRST);
    expect([house.audit.state, house.audit.doubt]).toEqual(['current', undefined]);
    expect(house.store.read.auditAfter(-1, 1, 9).map(({ seq }) => seq)).toEqual([1]);
  });

  it.each([
    ['before the rows had numbers there', "SET value = replace(value, ' ' || ? || ' {', ' {')"],
    ['as no row', "SET value = replace(value, ' ' || ? || ' {', ' 0 {')"],
  ])('is written anew where the one before it was remembered %s, and names all of the doubt', async (_how, change) => {
    await doubted();
    const [first] = doubts();
    await house.stop();
    house.tamper(`UPDATE meta ${change.replace('?', String(first?.seq))} WHERE name = 'audit_doubt'`);
    await house.startAgain();
    const [second] = doubts();
    expect(second?.seq).toBeGreaterThan(first?.seq ?? 0);
    expect(JSON.parse(second?.detail ?? '')).toMatchObject({ why: 'broken', row: expect.any(Number), added: [[5, 5]] });
    expect(house.audit.doubt?.seq).toBe(second?.seq);
    await expect(house.audit.confirm(PERSON, 0)).rejects.toMatchObject({ code: 'conflict' });
    expect(house.audit.state).toBe('broken');
    await house.audit.confirm(PERSON, second?.seq ?? 0);
    expect([house.audit.state, house.audit.doubt]).toEqual(['current', undefined]);
  });

  describe('over a copy that was put back', () => {
    beforeEach(async () => {
      await house.stop();
      house.keepAs('copy');
      await house.startAgain();
      await house.decide();
      await house.minute();
      await house.stop();
      house.putBack('copy');
    });

    const mean = async () => {
      await expect(house.audit.confirm(PERSON, 0)).rejects.toMatchObject({ code: 'conflict' });
      expect([house.audit.state, house.audit.doubt?.detail]).toMatchObject(['older_copy', { why: 'older_copy' }]);
      await house.confirm();
      expect(house.audit.state).toBe('current');
    };

    it('is written anew where it was remembered before it had a number', async () => {
      await house.startAgain();
      const first = house.audit.doubt?.seq ?? 0;
      expect([house.audit.state, doubts().length]).toEqual(['older_copy', 1]);
      await house.stop();
      house.tamper(`UPDATE meta SET value = replace(value, ' ${first} {', ' {') WHERE name = 'audit_doubt'`);
      await house.startAgain();
      expect(doubts()).toHaveLength(2);
      await mean();
    });

    it('that another program removed is written anew once the owner wants to mean the record, or at the next start', async () => {
      await house.startAgain();
      house.tamper("DELETE FROM audit WHERE action = 'audit.doubted'");
      await house.stop();
      await house.startAgain();
      expect(doubts()).toHaveLength(1);
      house.tamper("DELETE FROM audit WHERE action = 'audit.doubted'");
      expect(house.audit.doubt).toBeUndefined();
      await expect(house.audit.confirm(PERSON, 0)).rejects.toMatchObject({ code: 'conflict' });
      expect(house.audit.doubt).toMatchObject({ action: 'audit.doubted', detail: { why: 'older_copy' } });
    });

    it('that could not be written is once the owner wants to mean the record, and they read it first', async () => {
      house.tamper(
        "CREATE TRIGGER full BEFORE INSERT ON audit WHEN NEW.action = 'audit.doubted' BEGIN SELECT RAISE(ABORT, 'no room'); END",
      );
      await house.startAgain();
      expect([house.audit.state, house.audit.doubt]).toEqual(['older_copy', undefined]);
      house.tamper('DROP TRIGGER full');
      await mean();
    });
  });
});
