// Rows that another program adds to the audit while the hub runs: every one of them is named, by a check, in the doubt and in the owner's word,
// and none is signed that the owner was not shown.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADDED_RANGES_MAX, ADDED_SAID_MAX } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

const sealed = () => house.store.read.auditSeals(0, 100).map(({ seq }) => seq);
const lastRow = () => house.store.read.audit({ limit: 1 })[0];

describe('a program that adds rows while the hub runs', () => {
  it.each([
    ['at once', false],
    ['when the hub has seen it already', true],
  ])('has every row named that it added, in the doubt, by a check and in the owner’s word, %s', async (_when, isSigningTime) => {
    await house.act(4);
    await house.minute();
    await house.addForeign();
    await house.addForeign();
    await house.act();
    await house.addForeign();
    await house.act();
    await house.minute();
    const doubts = () =>
      house.store.read
        .audit({ limit: 50 })
        .filter(({ action }) => action === 'audit.doubted')
        .map(({ detail }) => JSON.parse(detail) as unknown)
        .toReversed();
    const first = [
      [5, 6],
      [8, 8],
    ];
    expect(doubts()).toEqual([{ why: 'broken', counted: 1, kept: 1, row: 5, flaw: 'added', added: first }]);
    expect((await house.verify()).flaw?.sentence).toContain('Rows 5 to 6 and 8 were not written by this hub');
    const later = (lastRow()?.seq ?? 0) + 1;
    await house.addForeign();
    await house.decide();
    // That is on record a second later, and still more than the owner was told of.
    if (isSigningTime) await house.minute();
    await expect(house.confirm()).rejects.toMatchObject({ code: 'conflict' });
    expect([house.audit.state, sealed()]).toEqual(['broken', [4]]);
    const added = [...first, [later, later]];
    expect(doubts().slice(1)).toEqual([{ why: 'broken', counted: 1, kept: 1, row: later, flaw: 'added', added }]);
    expect((await house.verify()).flaw?.sentence).toContain(`Rows 5 to 6, 8 and ${later} were not written by this hub`);
    await house.confirm();
    expect(lastRow()).toMatchObject({ action: 'audit.confirmed', ...PERSON });
    expect(JSON.parse(lastRow()?.detail ?? '')).toEqual({ why: 'broken', counted: 1, kept: 1, row: 5, flaw: 'added', added });
    expect([house.audit.state, sealed().at(-1)]).toEqual(['current', lastRow()?.seq]);
    expect((await house.verify()).flaw).toBeNull();
  });

  it('has what it added to a record in doubt named before the hub stops, and by the owner’s word after the next start', async () => {
    await house.act(4);
    await house.minute();
    await house.addForeign();
    await house.minute();
    const later = (lastRow()?.seq ?? 0) + 1;
    await house.addForeign();
    await house.stop();
    await house.startAgain();
    const added = [
      [5, 5],
      [later, later],
    ];
    expect((await house.verify()).flaw).toMatchObject({ kind: 'row_added', sentence: expect.stringContaining(`Rows 5 and ${later} were`) });
    expect(house.audit.state).toBe('broken');
    await house.confirm();
    expect(JSON.parse(lastRow()?.detail ?? '')).toMatchObject({ row: 5, flaw: 'added', added });
  });

  it('has more rows that it added than are remembered one by one counted, and none signed unsaid', async () => {
    await house.act(4);
    await house.minute();
    for (let row = 0; row < ADDED_RANGES_MAX + 2; row++) {
      await house.addForeign();
      await house.act();
    }
    await house.minute();
    const told = JSON.parse(lastRow()?.detail ?? '') as { added: unknown[]; added_more: number };
    expect([told.added.length, told.added_more]).toEqual([ADDED_RANGES_MAX, 2]);
    const beside = ADDED_RANGES_MAX + 2 - ADDED_SAID_MAX;
    expect((await house.verify()).flaw?.sentence).toContain('Rows 5, 7, 9, ');
    expect(house.audit.verification().flaw?.sentence).toContain(` and ${beside} more were not written by this hub`);
    await house.addForeign();
    await expect(house.confirm()).rejects.toMatchObject({ code: 'conflict' });
    expect(JSON.parse(lastRow()?.detail ?? '')).toMatchObject({ added_more: 3 });
    await house.confirm();
    expect(house.audit.state).toBe('current');
  });

  it('is meant by no word that was given for another row about it, over a restart too', async () => {
    await house.addForeign();
    await house.decide();
    await house.minute();
    const first = house.audit.doubt?.seq ?? 0;
    expect(house.audit.doubt).toMatchObject({ action: 'audit.doubted', detail: { row: expect.any(Number), flaw: 'added' } });
    await house.stop();
    await house.startAgain();
    expect(house.audit.doubt?.seq).toBe(first);
    await house.addForeign();
    await expect(house.audit.confirm(PERSON, first)).rejects.toMatchObject({ code: 'conflict' });
    const second = house.audit.doubt?.seq ?? 0;
    expect(second).toBeGreaterThan(first);
    // The second half of a double click, and whoever read nothing.
    for (const seen of [first, 0]) {
      await expect(house.audit.confirm(PERSON, seen)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Another row'),
      });
    }
    expect(house.audit.state).toBe('broken');
    await house.audit.confirm(PERSON, second);
    expect([house.audit.state, house.audit.doubt]).toEqual(['current', undefined]);
  });
});
