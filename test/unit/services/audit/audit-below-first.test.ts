// Rows and signatures with a number below 1, which no hub writes: shown nowhere as rows of the record, named by every check and before the next
// signature, and meant by the owner like any other place.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditHouse } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.signed();
});
afterEach(() => house.close());

const forge = (seq: number, detail = '{}') =>
  `INSERT INTO audit (seq, at, monotonic_ms, actor, surface, action, object, rule, digest, detail, chain)
   SELECT ${seq}, at, monotonic_ms, actor, 'browser', 'approval.allowed', object, rule, digest, '${detail}', chain FROM audit WHERE seq = 2;`;
const forgeSeal = (counter: number) =>
  `INSERT INTO audit_seals (counter, previous, seq, chain, at, key, signature)
   SELECT ${counter}, ${counter - 1}, seq, chain, at, key, signature FROM audit_seals WHERE counter = 1;`;

describe('what stands below the first row', () => {
  it.each([
    ['row -1', forge(-1)],
    ['row 0', forge(0)],
    ['rows -1 and 0', forge(-1) + forge(0)],
    ['a signature', forgeSeal(0)],
    [
      'row -9223372036854775808 and 2 signatures',
      forge(0).replace('SELECT 0', 'SELECT -9223372036854775808') + forgeSeal(-7) + forgeSeal(-1),
    ],
  ])('is named by a check: %s', async (named, sql) => {
    house.tamper(sql);
    const { flaws } = await house.verify();
    expect(flaws.map(({ kind, seq, meant }) => [kind, seq, meant])).toEqual([['row_added', 0, false]]);
    expect(flaws[0]?.sentence).toContain(`${named} that `);
    await house.clock.settle();
    expect(house.audit.state).toBe('broken');
  });

  it('is no row of the record', async () => {
    house.tamper(forge(-1) + forge(0));
    expect(house.store.read.audit({ limit: 9 }).map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    house.tamper('DELETE FROM audit WHERE seq > 0; DELETE FROM audit_seals');
    expect(house.store.read.auditHead().seq).toBe(0);
  });

  it('is come upon before the next signature, and at the next start', async () => {
    house.tamper(forge(-3));
    await house.act();
    await house.minute();
    expect([house.audit.state, house.store.read.lastAuditSeal()?.seq]).toEqual(['broken', 4]);
    await house.stop();
    await house.startAgain();
    expect(house.audit.state).toBe('broken');
  });

  it('is meant by the owner’s word until it is changed or more comes, over a restart too', async () => {
    house.tamper(forge(-3));
    await house.verify();
    await house.clock.settle();
    await house.confirm();
    for (let start = 0; start < 2; start++) {
      expect(await house.places()).toEqual([['row_added', 0, true]]);
      await house.decide();
      await house.minute();
      expect([house.audit.state, house.store.read.lastAuditSeal()?.seq]).toEqual(['current', house.store.read.auditHead().seq]);
      await house.stop();
      await house.startAgain();
    }
    house.tamper("UPDATE audit SET actor = 'somebody else' WHERE seq = -3");
    expect(await house.places()).toEqual([['row_added', 0, false]]);
    await house.clock.settle();
    await house.confirm();
    house.tamper(forge(-2));
    await house.act();
    await house.minute();
    expect(house.audit.state).toBe('broken');
  });
});
