// Rows that are missing from the audit: how far a gap reaches, what vouches for the row behind it, how the record goes on behind a cut end, and
// that a gap which the owner has meant is asked about again as soon as it grows or the row behind it is changed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditHouse } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
  await house.signThrice();
});
afterEach(() => house.close());

const FORGED = "UPDATE audit SET actor = 'Mum', action = 'approval.declined' WHERE seq =";

async function checked() {
  const { flaws } = await house.verify();
  await house.clock.settle();
  return flaws;
}

/** The owner means all that is named, by one word. */
async function mean(): Promise<void> {
  await checked();
  await house.confirm();
}

describe('a gap in the record', () => {
  it.each([
    ['one row', 'DELETE FROM audit WHERE seq = 6', 6, 'Row 6 is missing', 'row 7'],
    ['several rows', 'DELETE FROM audit WHERE seq IN (5, 6)', 5, 'Rows 5 to 6 are missing', 'row 7'],
    ['rows over a signature', 'DELETE FROM audit WHERE seq BETWEEN 3 AND 9', 3, 'Rows 3 to 9 are missing', 'row 10'],
    ['rows over two signatures', 'DELETE FROM audit WHERE seq BETWEEN 2 AND 12', 2, 'Rows 2 to 12 are missing', null],
    ['rows up to a signed one', 'DELETE FROM audit WHERE seq IN (7, 8)', 7, 'Rows 7 to 8 are missing', null],
    ['a row, the next one changed', `DELETE FROM audit WHERE seq = 4; ${FORGED} 5`, 4, 'Row 4 is missing', 'row 5'],
  ])('is one place, and says which row nothing vouches for: %s', async (_what, sql, seq, sentence, unvouched) => {
    house.tamper(sql);
    const flaws = await checked();
    expect(flaws.map((flaw) => [flaw.kind, flaw.seq, flaw.meant])).toEqual([['row_missing', seq, false]]);
    expect(flaws[0]?.sentence).toContain(sentence);
    if (unvouched === null) expect(flaws[0]?.sentence).not.toContain('vouched');
    else expect(flaws[0]?.sentence).toContain(`what ${unvouched} says cannot be vouched for`);
  });

  it.each([
    ['it grows', 'DELETE FROM audit WHERE seq = 7'],
    ['the row behind it is changed', `${FORGED} 7`],
    ['it grows, and the row behind it is changed', `DELETE FROM audit WHERE seq IN (7, 8, 9); ${FORGED} 10`],
    ['it grows to the front', 'DELETE FROM audit WHERE seq = 5'],
  ])('that was meant is asked about again when %s', async (_how, sql) => {
    house.tamper('DELETE FROM audit WHERE seq = 6');
    await mean();
    for (let start = 0; start < 2; start++) {
      expect(await house.places()).toEqual([['row_missing', 6, true]]);
      expect(house.audit.state).toBe('current');
      await house.stop();
      await house.startAgain();
    }
    house.tamper(sql);
    expect(await house.places()).toContainEqual(['row_missing', sql.endsWith('seq = 5') ? 5 : 6, false]);
    expect(house.audit.state).toBe('broken');
    await house.confirm();
    expect((await house.places()).filter(([, , meant]) => meant === false)).toEqual([]);
  });

  it('among unsigned rows that was meant is asked about again when it grows and the row behind it is changed', async () => {
    await house.act(2);
    house.tamper('DELETE FROM audit WHERE seq = 13');
    await mean();
    expect(await house.places()).toEqual([['row_missing', 13, true]]);
    const word = house.store.read.audit({ limit: 50 }).find(({ action }) => action === 'audit.confirmed')?.seq ?? 0;
    house.tamper(`DELETE FROM audit WHERE seq > 13 AND seq < ${word - 1}; ${FORGED} ${word - 1}`);
    expect(await house.places()).toContainEqual(['row_missing', 13, false]);
  });
});

describe('an end that was cut off with the row that was signed', () => {
  it.each([
    ['the signed row', 12],
    ['rows and the signed one', 10],
    ['two signed rows', 7],
  ])('accuses no row that the hub wrote behind it, and takes one word: %s', async (_what, from) => {
    house.tamper(`DELETE FROM audit WHERE seq >= ${from}`);
    expect(await house.places()).toEqual([['end_missing', from, false]]);
    await house.decide();
    await house.confirm();
    for (let start = 0; start < 2; start++) {
      expect(await house.places()).toEqual([['row_missing', from, true]]);
      expect(house.audit.state).toBe('current');
      await house.decide();
      await house.minute();
      expect(house.store.read.lastAuditSeal()?.seq).toBe(house.store.read.auditHead().seq);
      await house.stop();
      await house.startAgain();
    }
    house.tamper(`${FORGED} 15`);
    expect((await house.places()).filter(([, , meant]) => meant === false).length).toBeGreaterThan(0);
  });

  it('is one word too where nobody checked, and the hub came upon it', async () => {
    house.tamper('DELETE FROM audit WHERE seq >= 12');
    await house.decide();
    await house.minute();
    expect(house.audit.state).toBe('broken');
    await checked();
    await house.confirm();
    expect((await house.places()).filter(([, , meant]) => meant === false)).toEqual([]);
  });
});
