// Signing the audit at intervals, counting the signatures where the identity is kept, and seeing by that count that an older database was put
// back.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SEAL_INTERVAL_MS, SEAL_ROWS_MAX, STOP_COUNT_MAX_MS } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

const seals = () => house.store.read.auditSeals(0, 100);

describe('the signatures over the audit', () => {
  it('are made a minute after rows were added, once for all of them, and none where nothing was', async () => {
    await house.act(3);
    await house.clock.advance(SEAL_INTERVAL_MS - 1);
    expect(seals()).toEqual([]);
    await house.minute();
    expect(seals().map(({ counter, previous, seq }) => [counter, previous, seq])).toEqual([[1, 0, 3]]);
    await house.minute();
    await house.act(2);
    await house.minute();
    expect(seals().map(({ counter, previous, seq }) => [counter, previous, seq])).toEqual([
      [1, 0, 3],
      [2, 1, 5],
    ]);
  });

  it('are made at an orderly stop, with their count', async () => {
    await house.act();
    await house.stop();
    expect(house.counter.mark?.value).toBe(1);
    await house.startAgain();
    expect(seals().at(-1)?.seq).toBe(1);
  });

  it('are made at once when many rows were added, and raise the count once a minute at most', async () => {
    const before = house.counter.writes;
    for (let round = 0; round < 3; round++) {
      await house.act(SEAL_ROWS_MAX);
      for (let row = 0; row < SEAL_ROWS_MAX; row++) house.audit.appended();
      await house.clock.settle();
    }
    await expect.poll(() => seals().length).toBe(3);
    expect(house.counter.writes).toBe(before);
    await house.minute();
    expect(house.counter.writes).toBe(before + 1);
    expect(house.counter.mark?.value).toBe(3);
  });

  it('are never made over a chain that does not fit', async () => {
    await house.act(5);
    house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 2");
    await house.minute();
    expect(seals()).toEqual([]);
  });

  it('are made at a stop even while the vault hangs, and the stop waits two seconds for it at most', async () => {
    await house.act();
    house.counter.hangs = true;
    await house.clock.advance(SEAL_INTERVAL_MS);
    await house.act();
    const stopped = house.audit.stop();
    await house.clock.advance(STOP_COUNT_MAX_MS);
    await stopped;
    expect(house.store.read.lastAuditSeal()?.seq).toBe(2);
    house.counter.hangs = false;
  });

  it('wait until their count can be kept', async () => {
    const other = await AuditHouse.start();
    try {
      other.counter.trouble = 'locked';
      await other.stop();
      await other.startAgain();
      await other.act();
      await other.minute();
      expect([other.audit.state, other.audit.rulesMayAct, other.store.read.lastAuditSeal()]).toEqual(['unchecked', false, undefined]);
      other.counter.trouble = undefined;
      await other.minute();
      await other.minute();
      expect([other.audit.state, other.audit.rulesMayAct, other.store.read.lastAuditSeal()?.seq]).toEqual(['current', true, 1]);
    } finally {
      await other.close();
    }
  });
});

describe('a database that was put back', () => {
  async function rolledBack(): Promise<void> {
    await house.act(4);
    await house.stop();
    house.keepAs('older');
    await house.startAgain();
    await house.act(4, 'rule.removed');
    await house.stop();
    house.putBack('older');
    await house.startAgain();
  }

  it('is seen by the count, put on record once, and lets no rule act over any number of starts', async () => {
    await rolledBack();
    for (let start = 0; start < 2; start++) {
      expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['older_copy', false]);
      expect(house.actions().filter((action) => action === 'audit.doubted')).toHaveLength(1);
      await house.minute();
      await house.stop();
      await house.startAgain();
    }
    expect(house.states.at(-1)).toBe('older_copy');
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: { kind: 'older_copy' } });
  });

  it('is taken for the record once its owner says so, which is on record, and the count goes on above both', async () => {
    await rolledBack();
    await house.audit.confirm(PERSON);
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['current', true]);
    expect(house.store.read.audit({ limit: 1 })[0]).toMatchObject({ action: 'audit.confirmed', ...PERSON });
    expect(house.counter.mark?.value).toBe(3);
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: null, counted: true });
    await house.act();
    await house.stop();
    await house.startAgain();
    expect(house.audit.state).toBe('current');
    await expect(house.audit.confirm(PERSON)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is no older one after a kill before the count was raised', async () => {
    await house.act(4);
    await house.minute();
    await house.act(4);
    await house.clock.advance(1);
    await house.crash();
    await house.startAgain();
    expect(house.audit.state).toBe('current');
  });

  it('is another one where its own name differs from the counted one', async () => {
    await house.act();
    await house.stop();
    const { mark } = house.counter;
    house.counter.mark = { databaseId: 'f'.repeat(32), value: mark?.value ?? 0 };
    await house.startAgain();
    expect(house.audit.state).toBe('other_database');
    expect((await house.verify()).flaw?.kind).toBe('older_copy');
    await house.audit.confirm(PERSON);
    expect(house.counter.mark?.databaseId).toBe(mark?.databaseId);
  });

  it.each(['absent', 'damaged'] as const)('is in doubt while the count is %s', async (how) => {
    await house.act();
    await house.stop();
    if (how === 'absent') house.counter.mark = undefined;
    else house.counter.trouble = 'damaged';
    await house.startAgain();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['counter_lost', false]);
    await house.audit.confirm(PERSON);
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['current', 2]);
  });
});
